"""The address of a saved page says what is looked at: whoever opens it sees the same. It can say nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import Page, expect

import autolab

from ..bare_page import menu, offered
from ..programs import muladd

pytestmark = pytest.mark.browser
Saved = Callable[..., Page]


def loop(x: Any) -> Any:
    for _ in range(15):
        x = x * 0.9 + 0.1
    return x


def hash_of(page: Page) -> dict[str, Any]:
    text = unquote(page.evaluate("() => location.hash.slice(1)"))
    return json.loads(text) if text else {}


def opened_at(page: Page, look: Any) -> None:
    """The same page again, by a link."""
    address = page.url.partition("#")[0]
    page.goto("about:blank")
    page.goto(f"{address}#{quote(look if isinstance(look, str) else json.dumps(look))}")
    page.wait_for_selector(".al-node")


def test_the_address_follows_what_is_looked_at_and_leads_back_to_it(open_file: Saved) -> None:
    page = open_file(autolab.record(muladd, 2.0, 3.0, 4.0))
    assert hash_of(page) == {}
    page.locator(".al-node[data-id='3']").click()
    expect(page.locator(".al-node.al-selected[data-id='3']")).to_be_visible()
    assert hash_of(page) == {"selected": 3}
    page.get_by_role("button", name="One step back").click()
    look = hash_of(page)
    assert look["selected"] == 3 and look["moment"] >= 0
    sentence = page.locator(".al-sentence").inner_text()
    opened_at(page, look)
    expect(page.locator(".al-sentence")).to_have_text(sentence)
    expect(page.locator(".al-node.al-selected[data-id='3']")).to_be_visible()
    assert hash_of(page) == look


def test_open_groups_are_found_again(open_file: Saved) -> None:
    recording = autolab.record(loop, 2.0)
    page = open_file(recording)
    offered(page, "Close all").click()
    expect(page.locator(".al-node")).to_have_count(2)
    look = hash_of(page)
    assert look == {"open": {"0": []}}
    opened_at(page, look)
    expect(page.locator(".al-node")).to_have_count(2)


HOSTILE = [
    "x", "[]", "null", "3", "%", '{"open": 5}', '{"open": {"0": ["x"]}}', '{"open": {"0": [99, -4]}}',
    '{"selected": 99}', '{"selected": "3"}', '{"moment": 1e9}', '{"colour": "<b>"}', '{"direction": "up"}',
    '{"__proto__": {"open": 1}}',
    '{"corners": [["x", 1, 1]]}', '{"path": true, "pick": [1]}', '{"histogram": 1}',
]  # fmt: skip


def test_an_address_that_means_nothing_changes_nothing(open_file: Saved) -> None:
    page = open_file(autolab.record(muladd, 2.0, 3.0, 4.0))
    texts = page.locator(".al-picture").text_content()
    for text in HOSTILE:
        opened_at(page, text)
        page.wait_for_timeout(50)
        assert page.locator(".al-picture").text_content() == texts, text
        assert page.locator(".al-selected").count() == 0, text
        page.locator(".al-node[data-id='3']").click()
        expect(page.locator(".al-selected")).to_have_count(1)


def test_an_address_can_be_copied(open_file: Saved) -> None:
    page = open_file(autolab.record(muladd, 2.0, 3.0, 4.0))
    page.locator(".al-node[data-id='0']").click()
    menu(page).get_by_role("button", name="Copy address").click()
    expect(
        menu(page).get_by_role("status").filter(has_text="Copied").or_(page.get_by_text("address bar"))
    ).to_be_visible()
