"""Text from users becomes markup in one way only."""

import pytest

from autolab.display.escape import Markup, clean, element, escape, join
from autolab.display.html import picture, prose


def test_clean_shows_what_hides():
    assert clean("a\u202eb\u200fc\x00d\ufeffe") == "a�b�c�d�e"
    assert clean("\ud800") == "�"
    assert clean("one\ntwo\tthree\u2028four") == "one two three four"
    assert clean("é 中 🎉 x₁ ∂") == "é 中 🎉 x₁ ∂"


def test_clean_cuts_the_end_and_reads_no_further():
    assert len(clean("x" * 10**6)) == 200
    assert clean("x" * 200) == "x" * 200
    assert clean("x" * 201).endswith("x…")


def test_escape_leaves_no_sign_of_markup():
    assert escape("<b a=\"1\" b='2'>&") == "&lt;b a=&quot;1&quot; b=&#x27;2&#x27;&gt;&amp;"
    assert escape(escape("<")) == "&lt;"


@pytest.mark.parametrize("build", [lambda t: element("b", t), lambda t: join([t]), lambda t: picture(t, "alt")])
def test_builders_refuse_plain_text(build):
    with pytest.raises(TypeError, match="expected Markup"):
        build("<script>")
    assert isinstance(build(Markup("<i></i>")), Markup)


def test_attributes_are_quoted():
    assert (
        element("rect", title='"><script>', x=1.25, class_=None) == '<rect title="&quot;&gt;&lt;script&gt;" x="1.2"/>'
    )


def test_prose_starts_no_formula():
    assert prose("$x$ and \\(y\\)").replace("<code>$</code>", "").replace("<code>\\</code>", "") == "x and (y)"
