"""How Sphinx builds the site. `make site` gathers its pages in build/site first; docs/site/build.py says how."""

from __future__ import annotations

import sys
from pathlib import Path

SITE = Path(__file__).parent / "site"
sys.path.insert(0, str(SITE))  # its extensions

import autolab  # noqa: E402

project = "AutoLab"
author = "The AutoLab developers"
copyright = f"{author}. MIT licence"
release = version = autolab.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "docstrings", "mathml"]
nitpicky = False
suppress_warnings = ["myst.strikethrough"]
templates_path = [str(SITE / "templates")]
html_static_path = [str(SITE / "static")]
html_extra_path = [
    str(SITE.parents[1] / "build" / "site" / "source" / "extra")
]  # pictures of raw HTML, pages that move
exclude_patterns = ["extra"]

# Notebooks have been executed before; their live views are pages of their own.
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autosummary_generate = False
autodoc_mock_imports = ["torch", "jax"]
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
numpydoc_show_class_members = False
# Left out: sections that a docstring here has only where it says something, and a style of summaries.
numpydoc_validation_checks = {"all", "ES01", "EX01", "GL02", "GL08", "PR04", "PR07", "RT01", "RT03", "SA01", "YD01"}
numpydoc_validation_checks |= {"SS01", "SS02", "SS05", "SS06"}  # a summary may begin with f, or take two lines
numpydoc_validation_checks |= {"PR08", "RT02", "RT04"}  # "float32 by default" begins with a small letter
numpydoc_validation_checks |= {"PR01", "PR02", "PR03"}  # docstrings.py checks the parameters
numpydoc_xref_param_type = False
numpydoc_class_members_toctree = False
default_role = "py:obj"
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "AutoLab"
html_favicon = str(SITE / "static" / "logo.svg")
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "404": [], "gallery/*": []}
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "text": "AutoLab", "alt_text": ""},
    "navbar_align": "left",
    "navbar_end": ["versions", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
    "navigation_depth": 2,
    "primary_sidebar_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "docs/conventions": []},  # it would be beside wide tables
    "footer_start": ["copyright"],
    "footer_end": ["release"],
    "search_bar_text": "Search all pages ...",
    "back_to_top_button": False,
    "surface_warnings": False,
}
