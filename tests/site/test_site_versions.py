"""A reader goes from one version of the site to another, in Chromium. `make test-site` runs this."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.axe import violations
from helpers.built_site import OWN, SITE, builder, served_folder
from playwright.sync_api import Browser

import autolab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="`make site` builds it"),
]


@pytest.fixture
def two_versions(tmp_path: Path) -> Path:
    """A site with an older version; the parts that take most of the room are left out."""
    without = shutil.ignore_patterns(*OWN, "moving", "notebooks", "images")
    site, older = tmp_path / "site", tmp_path / "older"
    shutil.copytree(SITE, site, ignore=without)
    shutil.copytree(SITE, older / "0.0.9", ignore=without)
    (older / "0.0.9" / "docs" / "speed.html").unlink()
    builder("versions").join(site, autolab.__version__, older)
    return site


@pytest.mark.parametrize("server", [True, False], ids=["served", "files"])
def test_a_reader_goes_to_another_version_and_back(browser: Browser, two_versions: Path, server: bool) -> None:
    with served_folder(two_versions) as address, browser.new_page() as page:
        root = address if server else f"{two_versions.as_uri()}/"
        for start, there in {"docs/hosts.html": "docs/hosts.html", "docs/speed.html": "index.html"}.items():
            page.goto(f"{root}{start}")
            page.locator(".versions summary:visible").press("Enter")
            assert page.locator(".versions a:visible").all_inner_texts() == [autolab.__version__, "0.0.9"]
            assert violations(page) == []
            page.get_by_role("link", name="0.0.9", exact=True).press("Enter")
            page.wait_for_url(f"{root}0.0.9/{there if server else 'index.html'}")
            page.locator(".versions summary:visible").press("Enter")
            page.get_by_role("link", name=autolab.__version__, exact=True).press("Enter")
            page.wait_for_url(f"{root}{there if server else 'index.html'}")
