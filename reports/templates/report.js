"use strict";
/* The page is whole without this script. It filters the claims, says which verdicts another margin would change, and
   opens the claim that a link names. Nothing is loaded, and text reaches the page by textContent alone. */
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // ------------------------------------------------------------------ commands

  const WORDS = JSON.parse(one("#words").textContent);
  const filled = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  /** A command into the clipboard; where that is forbidden it is marked, so that a key copies it. */
  for (const button of all("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      let said = WORDS.copied;
      try {
        await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      } catch {
        getSelection().selectAllChildren(button.previousElementSibling);
        said = WORDS.marked;
      }
      button.textContent = said;
      setTimeout(() => { button.textContent = WORDS.copy; }, 2000);
    });
  }

  const list = one("#list");
  if (!one("#filter")) return; // no claims
  const cards = all(".card", list).map((el) => ({
    el,
    data: one(".flag .data", el)?.textContent.toLowerCase() ?? "",
    kind: [el.dataset.k, WORDS.kinds[el.dataset.k] ?? ""],
    text: null,
    rows: all(".row", el).map((row) => {
      const status = Object.keys(WORDS.status).find((name) => row.classList.contains(name));
      return { el: row, status, whatIf: status, band: band(row.dataset.b), metric: one("th, .metric", row).textContent.toLowerCase() };
    }),
  }));
  const rows = cards.flatMap((card) => card.rows);
  const state = { q: "", margin: null };

  // ------------------------------------------------------------------ margin

  /** `0.5 1.02 - - 0.3 u`: margin, reproduced from and up to, contradicted from and up to, may not contradict. */
  function band(text) {
    if (!text) return null;
    const words = text.split(" ");
    const [, rFrom, rTo, cFrom, cTo] = words.slice(0, 5).map((word) => (word === "-" ? null : Number(word)));
    return { rFrom, rTo, cFrom, cTo, mute: words[5] === "u" };
  }

  /** As `audit.stats.decision.Band`: the ends belong to it, and an end of 0 "up to" is none. */
  function outcome(of, margin) {
    const within = (low, high) =>
      (low !== null || high !== null) && (low === null || margin >= low) && (high === null || (margin > 0 && margin <= high));
    if (within(of.rFrom, of.rTo)) return "reproduced";
    return within(of.cFrom, of.cTo) && !of.mute ? "contradicted" : "inconclusive";
  }

  /** A note at the row. Verdicts, counts, marks and titles are the audit's, whatever the margin. */
  function note(row, whatIf) {
    if (row.whatIf === whatIf) return;
    row.whatIf = whatIf;
    const place = one(".verdict", row.el) ?? row.el;
    if (!one(".what-if", place)) place.append(Object.assign(document.createElement("i"), { className: "what-if" }));
    one(".what-if", place).textContent = whatIf === row.status ? "" : filled(WORDS.what_if, { word: WORDS.status[whatIf].toLowerCase() });
  }

  const range = one("#margin");
  const number = one("#margin-number");
  const points = (value) => `${Number(value.toFixed(4))} ${WORDS.unit[value === 1 ? 0 : 1]}`;
  const usable = (value) => value > 0 && value <= 100;
  const flipped = (row) => row.whatIf !== row.status;
  function judge() {
    if (!range) return;
    for (const row of rows) if (row.band) note(row, state.margin === null ? row.status : outcome(row.band, state.margin));
    const value = state.margin === null ? Number(range.dataset.fixed) : state.margin;
    range.value = value;
    if (document.activeElement !== number) number.value = value;
    one("#margin-unit").textContent = WORDS.unit[value === 1 ? 0 : 1];
    const at = { d: points(value), n: rows.filter(flipped).length, m: rows.filter((row) => row.band).length };
    one("#banner").hidden = state.margin === null;
    one("#banner-text").textContent = state.margin === null ? "" : filled(WORDS.banner, at);
    one("#flips").textContent = state.margin === null ? WORDS.fixed : filled(WORDS.moved, at);
  }

  // ------------------------------------------------------------------ filter

  const KEYS = { v: "v", verdict: "v", d: "d", data: "d", dataset: "d", kind: "kind", m: "m", metric: "m" };
  /** `-d:eurlex "two words"` as tests of a card, all of which must hold. */
  function conditions(query) {
    const found = [];
    for (const [, minus, key, quoted, plain] of query.matchAll(/(-?)(?:(verdict|v|dataset|data|d|kind|metric|m):)?(?:"([^"]*)"?|(\S+))/gi)) {
      const wanted = quoted ?? plain;
      if (wanted === "") continue;
      const test = condition(KEYS[(key || "").toLowerCase()] ?? "", wanted, quoted !== undefined);
      found.push(minus ? (card) => !test(card) : test);
    }
    return found;
  }

  const unquoted = (text) => text.toLowerCase().replaceAll('"', ""); // a quote cannot be asked for
  function condition(key, asked, quoted) {
    const wanted = unquoted(asked);
    const words = quoted ? [wanted] : wanted.split(",").filter(Boolean);
    const some = (test) => (card) => words.some((word) => test(card, word));
    if (key === "v") return some((card, word) => card.rows.some((row) => row.status.startsWith(word.replaceAll(" ", "_"))));
    if (key === "d") return some((card, word) => unquoted(card.data).includes(word));
    if (key === "kind") return some((card, word) => card.kind.some((name) => name.startsWith(word)));
    if (key === "m") return some((card, word) => card.rows.some((row) => row.metric === word));
    if (wanted === "primary" && !quoted) return (card) => "p" in card.el.dataset;
    if (wanted === "changed" && !quoted) return (card) => card.rows.some(flipped);
    return (card) => textOf(card).includes(wanted);
  }

  function textOf(card) {
    const parts = [one("summary", card.el) ?? card.el, ...all(".lead", card.el)].map((el) => el.textContent);
    card.text ??= unquoted([...parts, card.el.id, ...card.rows.map((row) => row.el.id)].join(" "));
    return card.text;
  }

  const box = one("#filter");
  function filter() {
    const tests = conditions(state.q);
    for (const card of cards) card.el.hidden = !tests.every((test) => test(card));
    for (const group of all(".group", list)) {
      group.hidden = all(".card", group).every((el) => el.hidden);
      const fold = one(".fold", group);
      if (fold && tests.length) fold.open = true;
    }
    const shown = cards.filter((card) => !card.el.hidden).length;
    one("#shown").textContent = shown ? filled(WORDS.shown, { n: shown, m: cards.length }) : WORDS.none;
    one("#filter-clear").disabled = state.q.trim() === "";
    if (document.activeElement !== box) box.value = state.q;
    const current = new Set(tokens().map((token) => token.toLowerCase()));
    for (const chip of all("#chips button")) {
      const test = condition(chip.dataset.key, chip.dataset.value, chip.dataset.key !== "");
      one("span", chip).textContent = cards.filter(test).length;
      chip.setAttribute("aria-pressed", current.has(token(chip).toLowerCase()));
    }
  }

  const tokens = () => state.q.match(/[^\s"]+(?:"[^"]*"?)?|"[^"]*"?/g) || [];
  const token = ({ dataset: { key, value } }) => (key ? key + ":" : "") + (/[\s,]/.test(value) ? `"${value.replaceAll('"', "")}"` : value);

  // ------------------------------------------------------------------ address

  function remember() {
    const held = new URLSearchParams();
    if (state.q.trim()) held.set("q", state.q.trim());
    if (state.margin !== null) held.set("margin", state.margin);
    const text = held.toString();
    history.replaceState(null, "", text ? "#" + text : location.href.split("#")[0]);
  }

  function arrive() {
    const text = location.hash.slice(1);
    if (/^(q|margin)=/.test(text)) {
      const held = new URLSearchParams(text);
      state.q = held.get("q") || "";
      state.margin = range && usable(Number(held.get("margin"))) ? Number(held.get("margin")) : null;
      redraw();
      requestAnimationFrame(() => one(state.q ? ".filter" : "#claims").scrollIntoView({ block: "start" }));
    } else if (text) reveal(text);
  }

  /** Opens whatever holds the element; a claim gets the focus. */
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
      one("summary, a", card)?.focus({ preventScroll: true }); // one line without a link has nothing to focus
      card.scrollIntoView({ block: "start" });
    };
    arrived();
    requestAnimationFrame(arrived); // what is above may only now have got its height
    // a browser goes to the fragment by itself once the page is loaded, and takes the focus along
    if (document.readyState !== "complete") window.addEventListener("load", () => setTimeout(arrived), { once: true });
  }

  function redraw() { judge(); filter(); }
  function change(values) { Object.assign(state, values); redraw(); remember(); }

  // ------------------------------------------------------------------ what one does

  const later = (act, wait) => { let timer; return () => { clearTimeout(timer); timer = setTimeout(act, wait); }; };
  const refilter = later(() => { filter(); remember(); }, 120);
  box.addEventListener("input", () => { state.q = box.value; refilter(); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; change({ q: "" }); }
    if (event.key === "ArrowDown") step(null, 1, event);
  });
  one("#filter-clear").addEventListener("click", () => { change({ q: "" }); box.value = ""; box.focus(); });
  one("#chips").addEventListener("click", (event) => {
    const chip = event.target.closest("button");
    if (!chip) return;
    const [own, present] = [token(chip), tokens()];
    const rest = present.filter((word) => word.toLowerCase() !== own.toLowerCase());
    const kept = rest.filter((word) => !chip.dataset.key || !word.startsWith(chip.dataset.key + ":"));
    change({ q: (rest.length < present.length ? rest : [...kept, own]).join(" ") });
  });
  one("#open-all").addEventListener("click", () => { for (const card of cards) if (!card.el.hidden) card.el.open = true; });
  one("#close-all").addEventListener("click", () => { for (const card of cards) card.el.open = false; });
  if (range) {
    const move = (value) => {
      if (usable(value)) state.margin = value;
      judge();
      refilter();
    };
    range.addEventListener("input", () => move(Number(range.value)));
    number.addEventListener("input", () => move(Number(number.value)));
    number.addEventListener("blur", judge);
    one("#margin-back").addEventListener("click", () => { change({ margin: null }); });
  }

  function step(from, by, event) {
    const seen = all(".card > summary", list).filter((el) => el.checkVisibility());
    const next = seen[from ? seen.indexOf(from) + by : 0];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && event.target.matches(".card > summary")) step(event.target, by, event);
  });
  window.addEventListener("hashchange", arrive);
  for (const el of all("[data-script]")) el.hidden = false;
  redraw();
  arrive();
})();
