"""Style sheets: every kind of view brings `base.css`; a later view repeats it below the sheet of an earlier one."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.checkout import ROOT
from helpers.each import each

VIEWS = ROOT / "autolab" / "views"
SHEETS = sorted([path for path in VIEWS.glob("*/*.css") if path.name != "base.css"])


def of_single_classes(sheet: str) -> set[tuple[str, str]]:
    """The classes that are styled by their name alone, each with a property."""
    found = set()
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)):
        names = [one.strip() for one in selectors.split(",") if re.fullmatch(r"\.[\w-]+", one.strip())]
        found |= {(name, line.split(":")[0].strip()) for name in names for line in body.split(";") if ":" in line}
    return found


@each("path", SHEETS, ids=lambda path: path.stem)
def test_what_a_sheet_changes_of_the_base_holds_when_the_base_comes_again(path: Path) -> None:
    base = of_single_classes((VIEWS / "live" / "base.css").read_text("utf-8"))
    assert (".al-body", "grid-template-columns") in base
    assert of_single_classes(path.read_text("utf-8")) & base == set()


@each("path", sorted(VIEWS.glob("*/*.css")), ids=lambda path: path.stem)
def test_what_webkit_knows_by_another_name_has_that_name_too(path: Path) -> None:
    """WebKit drops `user-select`, and `text-decoration` with a style; browsers of 2024 drop `print-color-adjust`."""
    sheet = re.sub(r"\s+", " ", path.read_text("utf-8"))
    for name in ("user-select", "print-color-adjust"):
        for value in re.findall(rf"(?<!-){name}: (\w+);", sheet):
            assert f"-webkit-{name}: {value}; {name}: {value};" in sheet
    assert not re.findall(r"text-decoration: \w+ \w+", sheet)
