"""axe-core in a page: what it finds that would shut somebody out."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

GRAVE = ("serious", "critical")
ALWAYS = {
    "label-content-name-mismatch",
    "scrollable-region-focusable",
    "page-has-heading-one",
    "landmark-one-main",
    "region",
}
"""Rules that hold for every view, however small axe-core takes their breach to be."""
OF_THE_PAGE = ["page-has-heading-one", "landmark-one-main", "region", "bypass"]
"""Rules for whole pages: a view in a notebook leaves them to the page around it."""
COLORS = ["color-contrast", "link-in-text-block"]
"""Rules about colours, among those that are on by default."""

_BOXES = ":not(.al-node)"
"""axe-core joins all texts of an element without a space, and looks for that in its name. No name of a box of a graph
can hold "h = x * y×value6gradient1"; `_UNNAMED` asks for the heading of the box instead."""

_RUN = """async ([off, boxes, only]) => {
  axe.configure({ rules: [{ id: "label-content-name-mismatch", selector: boxes }] });
  const rules = { "label-content-name-mismatch": { enabled: true } };  // it is off by default
  for (const rule of off) rules[rule] = { enabled: false };
  const options = only.length ? { runOnly: only } : { rules };
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"], preload: false });
  return violations;
}"""
_UNNAMED = """() => [...document.querySelectorAll('.al-node')].flatMap(box => {
  const [seen, name] = [box.querySelector(':scope > text')?.textContent ?? '', box.getAttribute('aria-label') ?? ''];
  return name && name.includes(seen.replace('\u2026', '')) ? [] : [`${seen || 'a box'} is called ${name || 'nothing'}`];
})"""


@cache
def _program() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, within_another: bool = False, colors_only: bool = False) -> list[str]:
    """What axe-core finds: a line for each rule and element. ``within_another`` page, a view is no page.

    ``colors_only`` is for a second look of the same page: all other rules are about what does not change with it.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_program())
    off, only = OF_THE_PAGE if within_another else [], COLORS if colors_only else []
    found: list[dict[str, Any]] = page.evaluate(_RUN, [off, _BOXES, only])
    return page.evaluate(_UNNAMED) + [
        f"{rule['impact']} {rule['id']}: {part['html'][:160]} ({_why(part)})"
        for rule in found
        if rule["impact"] in GRAVE or rule["id"] in ALWAYS
        for part in rule["nodes"]
    ]


def _why(part: dict[str, Any]) -> str:
    return "; ".join(check["message"] for check in part["any"] + part["all"] + part["none"])[:200]
