"""Formulas as MathML, made when the handbook is built: browsers draw it without a script and without a request."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def mathml(latex: str, display: str) -> str:
    """One formula; what latex2mathml does not know stops the build instead of being shown as it is written."""
    found: str = convert(latex.strip(), display=display)
    if "<mtext>\\" in found or "<mi>\\" in found:
        raise ExtensionError(f"there is no MathML for a command in {latex!r}")
    return found


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    number = f' <span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    place = f' id="{node["ids"][0]}"' if node["ids"] else ""
    self.body.append(f'<div class="math"{place} role="math">{mathml(node.astext(), "block")}{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make it the renderer of formulas."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
