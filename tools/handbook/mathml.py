"""Formulas as MathML, made when the handbook is built: browsers draw it without a script and without a request.

Browsers break no formula. So what ``\\qquad`` sets apart in a formula of its own stands side by side where there is
room, and one below the other on a telephone.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_JOINER = "\u2060"
"""Keeps a full stop on the line of the formula that it follows."""
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_UNDER = {"max", "min", "sup", "inf", "lim"}
"""What has its subscript below it in a formula of its own."""
_FUNCTIONS = {"log", "exp", "sin", "cos", "sinh", "cosh", "tanh", *_UNDER}
_SIGNS = {"-", "\u2212", "+"}
_PRIMES = {"\u2032", "\u2033", "\u2034"}
_CLOSING = {")", "]", "}", "|", "!", "\u2026", "\u230b", "\u2309", *_PRIMES}
_RARE = {"\u29f5": "\u2216"}
"""Signs that few fonts have, and the same in more of them: without one of these sets."""


def mathml(latex: str, display: str) -> str:
    """One formula; what latex2mathml does not know stops the build instead of being shown as it is written."""
    fitting = re.sub(r"\\[bB]ig([lr])(?![a-z])", lambda side: "\\left" if side[1] == "l" else "\\right", latex)
    found: str = convert(fitting.strip(), display=display)  # a browser knows how large a bracket must be
    if ">\\" in found:
        raise ExtensionError(f"there is no MathML for a command in {latex!r}")
    try:
        return _as_browsers_draw_it(found, display)
    except ElementTree.ParseError:  # an & outside of a table
        raise ExtensionError(f"there is no MathML for {latex!r}") from None


def _as_browsers_draw_it(found: str, display: str) -> str:
    """What TeX knows and browsers do not: columns, what stands below a maximum, and the room around a sign or a log."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(found)
    for element in list(root.iter()):
        element.text = _RARE.get(element.text or "", element.text)
        _with_prime(element)
        if (side := element.attrib.pop("columnalign", None)) is not None:
            element.set("style", f"text-align: {side}")
        if element.text in ("|", "/"):  # not operators between two things, which have space around them
            element.attrib |= {"lspace": "0", "rspace": "0"}
        first = next(iter(element), None)
        if display == "block" and _kind(element) == "msub" and first is not None and first.text in _UNDER:
            element.tag = f"{{{_NAMESPACE}}}munder"
        if _kind(element) in ("mrow", "mtd"):
            _with_room(element)
    return ElementTree.tostring(root, encoding="unicode")


def _kind(element: ElementTree.Element | None) -> str:
    return "" if element is None else element.tag.removeprefix(f"{{{_NAMESPACE}}}")


def _with_prime(element: ElementTree.Element) -> None:
    """A prime is high up in its own letter; as an exponent it would float far above, smaller than a reader can see."""
    if _kind(element) not in ("msup", "msubsup"):
        return
    exponent = element[-1]
    prime = exponent[0] if _kind(exponent) == "mrow" and len(exponent) else exponent
    if prime.text not in _PRIMES:
        return
    primed = ElementTree.Element(f"{{{_NAMESPACE}}}mrow")
    sign = ElementTree.SubElement(primed, f"{{{_NAMESPACE}}}mo", {"lspace": "0", "rspace": "0"})
    sign.text = prime.text
    primed.insert(0, element[0])
    element[0] = primed
    if prime is exponent or len(exponent) == 1:
        element.remove(exponent)
        element.tag = f"{{{_NAMESPACE}}}{'mrow' if len(element) == 1 else 'msub'}"
    else:
        exponent.remove(prime)


def _with_room(row: ElementTree.Element) -> None:
    """A sign stands next to what it belongs to, and a function a little apart from what it is taken of."""
    before: ElementTree.Element | None = None
    children = list(row)
    row[:] = []
    for child in children:
        operator = _kind(before) == "mo" and before is not None and before.text not in _CLOSING
        if _kind(child) == "mo" and child.text in _SIGNS and (before is None or operator):
            child.set("form", "prefix")
        if _is_function(child) and _kind(before) not in ("", "mo", "mspace"):
            row.append(_space())
        if _is_function(before) and _kind(child) not in ("mo", "mspace"):
            row.append(_space())
        row.append(child)
        before = child


def _is_function(element: ElementTree.Element | None) -> bool:
    if element is not None and _kind(element) in ("msub", "msup", "munder"):
        element = element[0]
    return element is not None and element.text in _FUNCTIONS


def _space() -> ElementTree.Element:
    return ElementTree.Element(f"{{{_NAMESPACE}}}mspace", {"width": "0.167em"})


def _inline(self: Any, node: nodes.math) -> None:
    opened = _JOINER if self.body and self.body[-1].endswith("(") else ""
    self.body.append(opened + mathml(node.astext(), "inline") + _JOINER)
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    number = f' <span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    place = f' id="{node["ids"][0]}"' if node["ids"] else ""
    drawn = "".join(f"<span>{mathml(part, 'block')}</span>" for part in parts(node.astext()))
    self.body.append(f'<div class="math"{place} role="math">{drawn}{number}</div>\n')
    raise nodes.SkipNode


def parts(latex: str) -> list[str]:
    """What ``\\qquad`` sets apart, outside of braces and tables."""
    if "\\begin" in latex:
        return [latex]
    found, depth = [""], 0
    for piece in re.split(r"(\\qquad|[{}])", latex):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if piece == "\\qquad" and not depth:
            found.append("")
        else:
            found[-1] += piece
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    """Make it the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
