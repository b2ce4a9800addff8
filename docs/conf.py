"""The handbook: ``make handbook`` builds it into build/handbook, without a network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from epsilens.version import __version__

project = "Epsilens"
author = "The Epsilens developers"
copyright = "The Epsilens developers; Apache-2.0"  # noqa: A001 - Sphinx's name
version = release = __version__
_OURS = ("mathml", "commands", "cards", "files", "api")
extensions = ["myst_parser", *(f"tools.handbook.{name}" for name in _OURS)]
exclude_patterns = ["notebooks/*.ipynb"]
smartquotes = False  # two hyphens begin an option

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "Epsilens"
html_static_path = ["static"]
html_css_files = ["handbook.css", "code.css"]
html_search_scorer = str(Path(__file__).resolve().parent / "static" / "search.js")
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "github-dark"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
add_module_names = False
python_use_unqualified_type_names = True
