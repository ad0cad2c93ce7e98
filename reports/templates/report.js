"use strict";
/* The page is whole without this script. It filters and sorts the claims, says which verdicts another margin would
   change, and opens the claim that a link names. Nothing is loaded, and text reaches the page by textContent alone. */
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const list = one("#list");
  if (!list || !one("#words")) return; // no claims
  const WORDS = JSON.parse(one("#words").textContent);
  const filled = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const blocks = all(".claim", list).map((el) => ({ el, home: el.parentNode, place: Number(el.dataset.i), data: one(".flag bdi", el)?.textContent ?? "", cards: [] }));
  const cards = [];
  for (const block of blocks) {
    for (const el of all(".card", block.el)) {
      const status = Object.keys(WORDS.status).find((name) => el.classList.contains(name));
      const card = { el, block, status, whatIf: status, band: band(el.dataset.b), id: one(".body", el).id, text: null };
      block.cards.push(card);
      cards.push(card);
    }
  }
  const state = { q: "", sort: "eye", margin: null, refused: "" };

  // ------------------------------------------------------------------ margin

  /** `0.5 1.02 - - 0.3 u`: margin, reproduced from and up to, contradicted from and up to, may not contradict. */
  function band(text) {
    if (!text) return null;
    const words = text.split(" ");
    const [margin, rFrom, rTo, cFrom, cTo] = words.slice(0, 5).map((word) => (word === "-" ? null : Number(word)));
    return { margin, rFrom, rTo, cFrom, cTo, mute: words[5] === "u" };
  }

  /** As `audit.stats.decision.Band`: the ends belong to it, and an end of 0 "up to" is none. */
  function outcome(of, margin) {
    const within = (low, high) =>
      (low !== null || high !== null) && (low === null || margin >= low) && (high === null || (margin > 0 && margin <= high));
    if (within(of.rFrom, of.rTo)) return "reproduced";
    return within(of.cFrom, of.cTo) && !of.mute ? "contradicted" : "inconclusive";
  }

  /** How far the margin would have to move for another verdict; Infinity where none would do. */
  function slack(card) {
    if (!card.band) return Infinity;
    const ends = [card.band.rFrom, card.band.rTo, card.band.cFrom, card.band.cTo].filter((end) => end !== null && end > 0);
    return Math.min(...ends.map((end) => Math.abs(end - card.band.margin)), Infinity);
  }

  /** A note at the claim. Verdicts, counts, marks and titles are the audit's, whatever the margin. */
  function note(card, whatIf) {
    if (card.whatIf === whatIf) return;
    card.whatIf = whatIf;
    const what = one(".what", card.el);
    if (!one(".what-if", what)) what.append(" ", document.createElement("i"));
    what.lastChild.className = "what-if";
    what.lastChild.textContent = whatIf === card.status ? "" : filled(WORDS.what_if, { word: WORDS.status[whatIf].toLowerCase() });
  }

  const range = one("#margin");
  const number = one("#margin-number");
  const unit = (value) => WORDS.unit[value === 1 ? 0 : 1];
  const points = (value) => `${Number(value.toFixed(4))} ${unit(value)}`;
  const usable = (value) => value > 0 && value <= 100;
  const flipped = (card) => card.whatIf !== card.status;
  function judge() {
    for (const card of cards) {
      if (card.band) note(card, state.margin === null ? card.status : outcome(card.band, state.margin));
    }
    if (!range) return;
    const value = state.margin === null ? range.dataset.fixed : state.margin;
    range.value = value;
    if (document.activeElement !== number) number.value = value;
    one("#margin-unit").textContent = unit(Number(value));
    const at = { d: points(state.margin ?? 0), n: cards.filter(flipped).length, m: cards.filter((card) => card.band).length };
    one("#banner").hidden = state.margin === null;
    one("#banner-text").textContent = state.margin === null ? "" : filled(WORDS.banner, at);
    const said = [state.margin === null ? WORDS.fixed : filled(WORDS.moved, at)];
    if (state.margin > Number(range.max)) said.push(filled(WORDS.beyond, { d: points(Number(range.max)) }));
    if (state.refused) said.push(filled(WORDS.refused, { text: state.refused }));
    one("#flips").textContent = said.join(" ");
  }

  // ------------------------------------------------------------------ filter

  const KEYS = { v: "v", verdict: "v", d: "d", data: "d", dataset: "d", kind: "kind", m: "m", metric: "m" };
  let unknown = []; // what was asked for and is not there, in words
  /** `-d:eurlex "two words"` as tests of a card, all of which must hold. */
  function conditions(query) {
    const found = [];
    unknown = [];
    for (const [, minus, key, quoted, plain] of query.matchAll(/(-?)(?:(verdict|v|dataset|data|d|kind|metric|m):)?(?:"([^"]*)"?|(\S+))/gi)) {
      const wanted = quoted ?? plain;
      const test = wanted === "" ? null : condition(KEYS[(key || "").toLowerCase()] ?? "", wanted, quoted !== undefined);
      if (test) found.push(minus ? (card) => !test(card) : test);
      const other = !key && quoted === undefined && /^[a-z]+:(?=.)/i.exec(wanted)?.[0];
      if (other && !(other.slice(0, -1).toLowerCase() in KEYS) && !cards.some(test)) unknown.push(filled(WORDS.no_key, { key: other }));
    }
    return found;
  }

  const unquoted = (text) => text.toLowerCase().replaceAll('"', ""); // a quote cannot be asked for
  const kindsOf = (card) => [card.block.el.dataset.k, WORDS.kinds[card.block.el.dataset.k] ?? ""];
  /** The values of a key that there are, and whether one is asked for by a word. */
  const VALUES = {
    v: [() => Object.keys(WORDS.status), (value, word) => value.startsWith(word.replaceAll(" ", "_"))],
    d: [(card) => [unquoted(card.block.data)], (value, word) => value.includes(word)],
    kind: [kindsOf, (value, word) => value.startsWith(word)],
    m: [(card) => [metric(card)], (value, word) => value.startsWith(word)],
  };
  const metric = (card) => one(".what b", card.el).textContent.toLowerCase();
  function known(key, word) {
    const [of, fits] = VALUES[key];
    const values = [...new Set(cards.flatMap(of).filter(Boolean))].sort();
    if (values.some((value) => fits(value, word))) return;
    unknown.push(filled(WORDS.no_value, { asked: `${key}:${word}`, values: values.slice(0, 12).join(", ") + (values.length > 12 ? ", ..." : "") }));
  }

  function condition(key, asked, quoted, chip = false) {
    const wanted = unquoted(asked);
    const several = quoted ? [wanted] : wanted.split(",").filter(Boolean);
    const some = (test) => (card) => several.some((word) => test(card, word));
    if (key && !chip) for (const word of several) known(key, word);
    if (key === "v") return some((card, word) => card.status.startsWith(word.replaceAll(" ", "_")));
    if (key === "d") return some((card, word) => unquoted(card.block.data).includes(word));
    if (key === "kind") return some((card, word) => kindsOf(card).some((it) => it.startsWith(word)));
    if (key === "m") return some((card, word) => metric(card) === word);
    if (wanted === "primary" && !quoted) return (card) => "p" in card.block.el.dataset;
    if (wanted === "flipped" && !quoted) return flipped;
    return (card) => textOf(card).includes(wanted);
  }

  function textOf(card) {
    const parts = [one("hgroup", card.block.el), one("summary", card.el) ?? card.el, one(".lead", card.el)];
    card.text ??= unquoted(parts.map((el) => el?.textContent ?? "").join(" ") + " " + card.id);
    return card.text;
  }

  const box = one("#filter");
  function filter() {
    const tests = conditions(state.q);
    let shown = 0;
    for (const block of blocks) {
      let here = 0;
      for (const card of block.cards) {
        card.el.hidden = !tests.every((test) => test(card));
        here += card.el.hidden ? 0 : 1;
      }
      block.el.hidden = here === 0;
      shown += here;
    }
    for (const group of all(".group", list)) {
      group.hidden = state.sort !== "eye" || all(".claim", group).every((el) => el.hidden);
      const fold = one(".fold", group);
      if (fold && tests.length) fold.open = true;
    }
    for (const part of all("[data-heads]", list)) part.hidden = all(`.group[data-part="${part.dataset.heads}"]`, list).every((el) => el.hidden);
    one("#shown").textContent = [shown ? filled(WORDS.shown, { n: shown, m: cards.length }) : WORDS.none, ...unknown].join(" ");
    one("#filter-clear").disabled = state.q.trim() === "";
    if (document.activeElement !== box) box.value = state.q;
    chips();
  }

  const tokens = () => state.q.match(/[^\s"]+(?:"[^"]*"?)?|"[^"]*"?/g) || [];
  function chips() {
    const current = new Set(tokens().map((token) => token.toLowerCase()));
    for (const chip of all("#chips button")) {
      const [key, value] = [chip.dataset.key, chip.dataset.value];
      const test = condition(key, value, key !== "", true);
      one("span", chip).textContent = cards.filter(test).length;
      chip.setAttribute("aria-pressed", namesOf(chip).some((it) => current.has(it)));
    }
  }
  const token = ({ dataset: { key, value } }, word = value) => (key ? key + ":" : "") + (/[\s,]/.test(word) ? `"${word.replaceAll('"', "")}"` : word);
  /** As it is put into the box, and by the word that stands on it. */
  const namesOf = (chip) => [token(chip), token(chip, one("bdi", chip).textContent)].map((it) => it.toLowerCase());

  // ------------------------------------------------------------------ order

  const flat = list.appendChild(document.createElement("div"));
  const orders = {
    paper: (block) => [block.place],
    data: (block) => [block.data || "\uffff", block.place],
    name: (block) => [one("hgroup bdi", block.el).textContent.trim().toLowerCase(), block.place],
    flip: (block) => [Math.min(...block.cards.map(slack)), block.place],
  };
  let sorted = "eye";
  function sort() {
    one("#sort").value = state.sort;
    if (state.sort === sorted) return; // thousands of claims are moved only for another order
    sorted = state.sort;
    const key = state.sort === "eye" ? null : orders[state.sort];
    if (!key) for (const block of blocks) block.home.append(block.el);
    else {
      const keyed = blocks.map((block) => ({ block, key: key(block) }));
      keyed.sort((a, b) => compare(a.key[0], b.key[0]) || compare(a.key[1], b.key[1]));
      flat.append(...keyed.map((it) => it.block.el));
    }
  }
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  // ------------------------------------------------------------------ address

  function remember() {
    const held = new URLSearchParams();
    if (state.q.trim()) held.set("q", state.q.trim());
    if (state.sort !== "eye") held.set("sort", state.sort);
    if (state.margin !== null) held.set("margin", state.margin);
    const text = held.toString();
    history.replaceState(null, "", text ? "#" + text : location.href.split("#")[0]);
  }

  function arrive() {
    const text = location.hash.slice(1);
    if (/^(q|sort|margin)=/.test(text)) {
      const held = new URLSearchParams(text);
      const margin = held.get("margin");
      state.q = held.get("q") || "";
      state.sort = Object.hasOwn(orders, held.get("sort") || "") ? held.get("sort") : "eye";
      state.margin = range && usable(Number(margin)) ? Number(margin) : null;
      state.refused = margin && state.margin === null ? margin.slice(0, 20) : "";
      redraw();
      const place = state.q ? one(".filter") : one("#claims");
      requestAnimationFrame(() => place.scrollIntoView({ block: "start" }));
    } else if (text) reveal(text);
  }

  /** Opens whatever holds the element, and the claim of which it is the body, which gets the focus. */
  function reveal(fragment) {
    let id = fragment;
    try { id = decodeURIComponent(fragment); } catch { /* as it stands */ }
    const target = document.getElementById(id);
    if (!target) return;
    const card = target.closest(".card");
    if (card && card.hidden) { state.q = ""; filter(); }
    for (let el = target; el; el = el.parentElement) if (el.localName === "details") el.open = true;
    if (!card) return;
    const arrived = () => {
      one("summary, a", card).focus({ preventScroll: true });
      card.closest(".claim").scrollIntoView({ block: "start" });
    };
    arrived();
    requestAnimationFrame(arrived); // what is above may only now have got its height
    // a browser goes to the fragment by itself once the page is loaded, and takes the focus along
    if (document.readyState !== "complete") window.addEventListener("load", () => setTimeout(arrived), { once: true });
  }

  function redraw() { judge(); sort(); filter(); }
  function change(values) { Object.assign(state, values); redraw(); remember(); }

  // ------------------------------------------------------------------ what one does

  const later = (act, wait) => { let timer; return () => { clearTimeout(timer); timer = setTimeout(act, wait); }; };
  const keep = later(remember, 200);
  const refilter = later(() => { filter(); remember(); }, 120);
  box.addEventListener("input", () => { state.q = box.value; refilter(); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; change({ q: "" }); }
    if (event.key === "ArrowDown") step(null, 1, event);
  });
  one("#filter-clear").addEventListener("click", () => { change({ q: "" }); box.value = ""; box.focus(); });
  one("#sort").addEventListener("change", (event) => change({ sort: event.target.value }));
  one("#chips").addEventListener("click", (event) => {
    const chip = event.target.closest("button");
    if (!chip) return;
    const [own, present] = [token(chip), tokens()];
    const rest = present.filter((it) => !namesOf(chip).includes(it.toLowerCase()));
    const next = rest.length < present.length ? rest : [...rest.filter((it) => !chip.dataset.key || !it.startsWith(chip.dataset.key + ":")), own];
    change({ q: next.join(" ") });
  });
  one("#open-all").addEventListener("click", () => { for (const card of cards) if (!card.el.hidden) card.el.open = true; });
  one("#close-all").addEventListener("click", () => { for (const card of cards) card.el.open = false; });
  if (range) {
    const move = (value) => {
      state.refused = usable(value) || number.value === "" ? "" : number.value;
      if (usable(value)) state.margin = value;
      judge();
      if (/flipped/i.test(state.q)) refilter();
      else { chips(); keep(); }
    };
    range.addEventListener("input", () => move(Number(range.value)));
    number.addEventListener("input", () => move(Number(number.value)));
    number.addEventListener("blur", judge);
    one("#margin-back").addEventListener("click", () => { change({ margin: null, refused: "" }); });
  }

  function step(from, by, event) {
    const seen = all("summary", list).filter((el) => el.parentNode.matches(".card") && el.checkVisibility());
    const next = seen[from ? seen.indexOf(from) + by : 0];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
  /** Each claim that is opened gets a link to itself, to be copied. */
  list.addEventListener("toggle", (event) => {
    const body = event.target.matches(".card[open]") && one(".body", event.target);
    if (!body || one(".self", body)) return;
    const link = document.createElement("a");
    link.className = "self";
    link.href = "#" + body.id;
    link.textContent = WORDS.link;
    (one(".badges", body) || one(".lead", body)).append(" ", link);
  }, true);
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && event.target.matches(".card > summary")) step(event.target, by, event);
  });
  /** A command into the clipboard; where that is forbidden it is marked, so that a key copies it. */
  const before = one("#before-only")?.textContent ?? ""; // on a large page the commands of claims lack it
  const command = (button) => button.dataset.copy || (button.closest("p.run") ? before : "") + button.previousElementSibling.textContent;
  for (const text of all("p.run > code")) {
    const button = text.parentNode.appendChild(document.createElement("button"));
    button.type = "button";
    button.dataset.copy = "";
    button.textContent = WORDS.copy;
  }
  for (const button of all("[data-copy]")) {
    const word = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      let said = WORDS.copied;
      try {
        await navigator.clipboard.writeText(command(button));
      } catch {
        getSelection().selectAllChildren(button.previousElementSibling);
        said = WORDS.marked;
      }
      button.textContent = said;
      setTimeout(() => { button.textContent = word; }, 2000);
    });
  }
  window.addEventListener("hashchange", arrive);
  for (const el of all("[data-script]")) el.hidden = false;
  redraw();
  arrive();
})();
