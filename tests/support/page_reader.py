"""A page as its readers have it: headings, landmarks, charts with their descriptions and tables, words."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class PageRead(HTMLParser):
    """What a page is made of. Words of scripts and styles are not among its words; those of data in scripts are."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    attributes: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    figures: list[dict[str, int]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self._kind = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.attributes.append((tag, found))
        if tag not in ("meta", "input", "br", "link", "img"):
            self._open.append(tag)
        self._kind = found.get("type", "") if tag == "script" else self._kind
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append((int(tag[1]), ""))
        elif tag == "figure":
            self.figures.append({"described": 0, "tables": 0, "captions": 0})
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if "figure" in self._open and self.figures:
            self.figures[-1]["described"] += found.get("role") == "img" and bool(found.get("aria-label"))
            self.figures[-1]["tables"] += tag == "table"
            self.figures[-1]["captions"] += tag == "figcaption"

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        if inside in ("script", "style"):
            if self._kind == "application/json":
                self.data.append(data)
            return
        self.words.append(data)
        if inside in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)
        elif inside in ("td", "th") and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        """All words."""
        return " ".join(" ".join(self.words).split())

    @property
    def policy(self) -> str:
        """What the page may do."""
        return next(found["content"] for tag, found in self.attributes if "http-equiv" in found)


def read_page(html: str) -> PageRead:
    """The page that this is."""
    found = PageRead()
    found.feed(html)
    return found


def check_order_of(headings: list[tuple[int, str]]) -> None:
    """One first heading, none without words, and no level left out on the way down."""
    levels = [level for level, _ in headings]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(text.strip() for _, text in headings)
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
