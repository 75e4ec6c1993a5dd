"""What may stay of the markup that a notebook brings: a short list, each entry of which is tested from both sides."""

from __future__ import annotations

import pytest
from helpers.each import each

from autolab.lesson.pages.sanitiser import sanitised

PIXEL = "data:image/png;base64,AA=="
WITH_THEIR_TEXT = "script style svg math iframe object template noscript noembed noframes title textarea xmp select"
TAGS_ALONE = "embed form button label meta base link input video audio body html dialog center font marquee plaintext"
ATTRIBUTES = "onclick onload target srcset hidden dir align is action background ping"
PROPERTIES = "position top margin-top height width transform box-shadow font-size background background-image display"


def test_text_tables_and_pictures_stay() -> None:
    for text in (
        "<p>a <code>b</code></p>",
        '<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>',
        f'<img alt="a" src="{PIXEL}" width="9" height="9">',
        '<i style="color:red;background-color:blue;font-weight:bold;text-align:left">a</i>',
        '<details open=""><summary>a</summary>b</details>',
    ):
        assert sanitised(text) == text


@each("tag", WITH_THEIR_TEXT.split())
def test_what_holds_no_text_for_readers_goes_with_what_it_holds(tag: str) -> None:
    inside = "<option>hidden</option>" if tag == "select" else "hidden"
    assert sanitised(f"<b>a</b><{tag}>{inside}</{tag}>") == "<b>a</b>"


@each("tag", TAGS_ALONE.split())
def test_of_other_elements_only_the_text_stays(tag: str) -> None:
    assert f"<{tag}" not in sanitised(f"<p>a</p><{tag}>b</{tag}>")


@pytest.mark.parametrize("name", ATTRIBUTES.split())
def test_other_attributes_go(name: str) -> None:
    for tag in ("p", "a", "img", "td"):
        assert f" {name}=" not in sanitised(f"<table><tr><td><{tag} {name}='x'>a</table>")


@pytest.mark.parametrize("name", PROPERTIES.split())
def test_a_style_moves_and_enlarges_nothing(name: str) -> None:
    assert sanitised(f"<i style='color: red; {name}: 1px'>a</i>") == '<i style="color:red">a</i>'


@pytest.mark.parametrize(
    "address",
    [
        *("http://evil.test/x", "x.png", "//evil.test/x", "data:text/html;base64,AA==", "data:image/png,AA"),
        *(f"{PIXEL}#x", f"{PIXEL},<b>", f"x{PIXEL}", "data:image/x;base64,AA=="),
    ],
)
def test_a_picture_is_its_own_data_or_nothing(address: str) -> None:
    assert sanitised(f"<img src='{address}'>") == "<img>"


@pytest.mark.parametrize("size", ["9px", "-9", "9 onerror=x", "100%", ""])
def test_the_size_of_a_picture_is_a_number(size: str) -> None:
    assert sanitised(f"<img width='{size}' height='{size}'>") == "<img>"


@pytest.mark.parametrize("scheme", ["javascript", "vbscript", "file", "ftp", "blob", "data", "DATA", " data", "Data"])
def test_a_link_leads_to_a_page(scheme: str) -> None:
    assert "href" not in sanitised(f"<a href='{scheme}:text/html,x'>a</a>")


def test_a_link_to_a_notebook_leads_to_its_page_and_others_stay() -> None:
    for address, kept in (
        ("02_x.ipynb", "02_x.html"),
        ("02_x.ipynb#part", "02_x.html#part"),
        ("../x/02_x.ipynb#part", "02_x.html#part"),
        ("02_x.ipynb.txt", "02_x.ipynb.txt"),
        ("02_x.ipynb?a#part", "02_x.ipynb?a#part"),
        ("https://x.test/y.ipynb", "https://x.test/y.ipynb"),
        ("mailto:a@x.test", "mailto:a@x.test"),
        ("#data:", "#data:"),
    ):
        assert f'href="{kept}"' in sanitised(f'<a href="{address}">a</a>')
