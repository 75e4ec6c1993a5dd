"""Text from users becomes markup in one way only."""

import tracemalloc
import unicodedata

import pytest

from autolab.views.draw.escape import (
    Markup,
    clean,
    code,
    details,
    element,
    escape,
    fact_table,
    join,
    paragraph,
    picture,
    prose,
    table,
)


def test_clean_shows_what_hides():
    assert clean("a\u202eb\u200fc\x00d\ufeffe") == "a�b�c�d�e"
    assert clean("\ud800") == "�"
    assert clean("one\ntwo\tthree\u2028four") == "one two three four"
    assert clean("é 中 🎉 x₁ ∂") == "é 中 🎉 x₁ ∂"


@pytest.mark.parametrize(
    ("kind", "character"),
    [("Cc", "\x1b"), ("Cf", "\u2066"), ("Cf", "\U000e0041"), ("Cs", "\udfff"), ("Co", "\ue000"), ("Cn", "\u0378")],
)
def test_no_kind_of_character_that_cannot_be_seen_is_left(kind, character):
    assert unicodedata.category(character) == kind
    assert clean(f"a{character}b") == escape(f"a{character}b") == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("space", "\t\n\r\v\f\x85\u2028\u2029")
def test_every_white_space_becomes_a_blank(space):
    assert clean(f"a{space}b") == "a b"


def test_what_joins_a_picture_of_several_stays():
    assert clean("👩\u200d🚀") == "👩\u200d🚀"


def test_clean_cuts_the_end_and_reads_no_further():
    assert len(clean("x" * 10**6)) == 200
    assert clean("x" * 200) == "x" * 200
    assert clean("x" * 201).endswith("x…")


def test_escape_leaves_no_sign_of_markup():
    assert escape("<b a=\"1\" b='2'>&") == "&lt;b a=&quot;1&quot; b=&#x27;2&#x27;&gt;&amp;"
    assert escape(escape("<")) == "&lt;"


@pytest.mark.parametrize("build", [lambda t: element("b", t), lambda t: join([t]), lambda t: picture(t, "alt")])
def test_builders_refuse_plain_text(build):
    for text in ("<script>", "<script>" * 100):
        with pytest.raises(TypeError, match="expected Markup") as caught:
            build(text)
        assert len(str(caught.value)) <= 120
    assert isinstance(build(Markup("<i></i>")), Markup)


def test_attributes_are_quoted():
    assert (
        element("rect", title='"><script>', x=1.25, class_=None) == '<rect title="&quot;&gt;&lt;script&gt;" x="1.2"/>'
    )


def test_long_texts_are_cut_where_they_become_markup():
    long = "x" * 30_000
    assert len(escape(long)) == len(code(long)) - len("<code></code>") == 200
    assert len(escape(long, 1000)) == len(prose(long)) == 1000 and len(prose(long, 70)) == 70
    assert prose("$a" * 500, 10).count("$") == 5
    assert len(element("b", title=long)) == len('<b title=""></b>') + 20_000
    assert len(picture(Markup("<svg/>"), long).partition('" src')[0]) == len('<img alt="') + 1500


def test_elements_without_content_have_no_end():
    for tag in ("img", "br", "rect", "path", "circle", "line", "image", "meta"):
        assert element(tag, x=1) == f'<{tag} x="1"/>'
    assert element("b", data_look=1) == '<b data-look="1"></b>'


def test_the_pieces_of_a_page_escape_what_they_are_given():
    assert table(["<i>"], [[escape("<b>")]]) == (
        '<table><thead><tr><th scope="col">&lt;i&gt;</th></tr></thead>'
        "<tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>"
    )
    assert fact_table([("<i>", "<b>"), ("none", "")]) == (
        '<table><tbody><tr><th scope="row">&lt;i&gt;</th><td><code>&lt;b&gt;</code></td></tr>'
        '<tr><th scope="row">none</th><td></td></tr></tbody></table>'
    )
    assert details("<i>", paragraph(code("$"))) == (
        "<details><summary>&lt;i&gt;</summary><p><code>$</code></p></details>"
    )
    assert prose("<i>") == "&lt;i&gt;"
    assert code("a\nb") == "<code>a b</code>"
    assert picture(Markup("<svg/>"), '"<i>').startswith('<img alt="&quot;&lt;i&gt;" src="data:image/svg+xml;base64,')


def test_prose_starts_no_formula():
    assert prose("$x$ and \\(y\\)").replace("<code>$</code>", "").replace("<code>\\</code>", "") == "x and (y)"


def test_of_a_long_text_no_more_is_read_than_is_shown():
    text = "x" * 10**6
    tracemalloc.start()
    assert len(clean(text)) == len(escape(text)) == 200
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000
