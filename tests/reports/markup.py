"""Reads a page back the way a browser would: elements with their attributes, and the visible text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: End tags that HTML lets one leave out: before which start tags, and before which end tag of the parent.
IMPLIED = {"dt": ("dt", "dd"), "dd": ("dt", "dd"), "li": ("li",)} | dict.fromkeys(
    ("p", "ol", "ul", "dl", "div", "figure", "details", "table"), ("p",)
)
ENDED_WITH = {"dl": ("dt", "dd"), "ol": ("li",), "ul": ("li",)}
VOID = {"meta", "br", "link", "img", "input", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass
class Markup(HTMLParser):
    """All elements in order; `unclosed` holds what was opened and never closed, or closed out of turn."""

    elements: list[Element] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open and self._open[-1].tag in IMPLIED.get(tag, ()):
            self._open.pop()
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1].tag in ENDED_WITH.get(tag, ()):
            self._open.pop()
        if not self._open or self._open[-1].tag != tag:
            self.unclosed.append(tag)
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1].tag in ("style", "script"):
            return
        self.pieces.append(data)
        for element in self._open:
            element.pieces.append(data)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def tags(self) -> Counter[str]:
        return Counter(element.tag for element in self.elements)

    def attribute_names(self) -> Counter[tuple[str, str]]:
        return Counter((element.tag, name) for element in self.elements for name in element.attributes)

    def of_class(self, name: str) -> list[Element]:
        return [element for element in self.elements if name in element.attributes.get("class", "").split()]

    def ids(self) -> list[str]:
        return [element.attributes["id"] for element in self.elements if "id" in element.attributes]


def parsed(html: str) -> Markup:
    """The page's markup; everything opened must have been closed in turn."""
    markup = Markup()
    markup.feed(html)
    markup.close()
    markup.unclosed += [element.tag for element in markup._open]
    return markup
