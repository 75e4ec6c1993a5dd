"""What a person does in the derivative explorer, and reads there."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from autolab.views.draw.messages import say


def numbers(page: Page) -> Locator:
    """The number below each formula, with its sign of equality."""
    return page.locator(".al-stack output")


def order(page: Page, n: int) -> Locator:
    """The switch to an order."""
    return page.get_by_role("radio", name=f"{say('curve_order')} {n}", exact=True)


def point_at(page: Page) -> float:
    """Where the point stands."""
    return float(page.locator(".al-plot").first.get_attribute("aria-valuenow") or "nan")


def type_point(page: Page, text: str) -> None:
    """Type a number into the field that Enter opens on the point."""
    page.locator(".al-plot").first.press("Enter")
    page.get_by_label("x, number").fill(text)
    page.get_by_label("x, number").press("Enter")


def in_menu(page: Page, name: str) -> None:
    """Press a button of the menu, and close the menu."""
    page.locator(".al-menu > summary").click()
    page.get_by_role("button", name=name, exact=True).click()
    page.locator(".al-menu > summary").click()
