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


_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_UNDER = {"max", "min", "sup", "inf", "lim"}
"""What has its subscript below it in a formula of its own."""


def mathml(latex: str, display: str) -> str:
    """One formula; what latex2mathml does not know stops the build instead of being shown as it is written."""
    found: str = convert(latex.strip(), display=display)
    if ">\\" in found:
        raise ExtensionError(f"there is no MathML for a command in {latex!r}")
    try:
        return _as_browsers_draw_it(found, display)
    except ElementTree.ParseError:  # an & outside of a table
        raise ExtensionError(f"there is no MathML for {latex!r}") from None


def _as_browsers_draw_it(found: str, display: str) -> str:
    """Columns aligned by style, since browsers know no ``columnalign``; and what belongs below a maximum put there."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(found)
    for element in root.iter():
        if (side := element.attrib.pop("columnalign", None)) is not None:
            element.set("style", f"text-align: {side}")
        if element.text in ("|", "/"):  # not operators between two things, which have space around them
            element.attrib |= {"lspace": "0", "rspace": "0"}
        first = next(iter(element), None)
        limits = element.tag == f"{{{_NAMESPACE}}}msub" and first is not None and first.text in _UNDER
        if display == "block" and limits:
            element.tag = f"{{{_NAMESPACE}}}munder"
    return ElementTree.tostring(root, encoding="unicode")


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), "inline"))
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
