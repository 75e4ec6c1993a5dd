"""Formulas as plain data, and in words."""

from __future__ import annotations

from helpers.each import each

from autolab.views.draw.typeset import in_pairs, name, of_label, of_source, of_tokens, plain


@each(
    ("source", "said"),
    [
        ("x * y + z", "x · y + z"),
        ("(a + b) * c", "(a + b) · c"),
        ("a - (b - c)", "a − (b − c)"),
        ("-x * y", "−x · y"),
        ("(-x) ** 2", "(−x)²"),
        ("x ** (n - 1)", "x^(n − 1)"),
        ("np.exp(-x**2)", "exp(−x²)"),
        ("x @ w.T", "x w^⊤"),
        ("x[0, 1]", "x_0, 1"),
        ("x.sum()", "x.sum()"),  # a method of what is not known to be a module stays as written
        ("lambda x: x", "lambda x: x"),
        ("x y", "x y"),
    ],
)
def test_an_expression_is_read_as_it_binds(source: str, said: str) -> None:
    assert plain(of_source(source)) == said


def test_labels_keep_their_parentheses_and_the_index_of_a_use() -> None:
    assert plain(of_label("(x * y)₂")) == "(x · y)_2"
    assert of_label("x₁") == ["sub", ["name", "x"], ["num", "1"]]


def test_derivatives_are_fractions_with_their_numbers_below() -> None:
    tokens = [("∂w", "∂x"), "=", ("∂w", "∂h"), "·", ("∂h", "∂x")]
    assert plain(of_tokens(tokens)) == "∂w/∂x = ∂w/∂h · ∂h/∂x"
    tree = in_pairs(list(zip(tokens, ["−3", "=", "1", "·", "−3"], strict=True)))
    assert plain(tree) == "∂w/∂x = ∂w/∂h · ∂h/∂x; −3 = 1 · −3"


def test_names_are_data_without_signs_that_cannot_be_seen() -> None:
    assert of_label("a\u202eb") == ["text", "a\ufffdb"] and name("a\nb") == ["name", "a b"]


def test_names_of_greek_letters_and_indices() -> None:
    assert name("alpha") == ["name", "α"]
    assert name("w_12") == ["sub", ["name", "w"], ["num", "12"]]
