"""lesson.check: what is empty, how help comes step by step, and that nothing gives the answer away."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.each import each

from autolab import FunctionNode, Variable, lesson
from autolab.lesson import checking, results
from autolab.lesson.exercise import Values
from autolab.lesson.judgement import compared
from autolab.lesson.messages import say
from autolab.shared.numerals import signed
from autolab.views.live import notebook

from .lessons import EXERCISES, NOTEBOOKS, answers, mistaken, run_exercise


@pytest.fixture(autouse=True)
def no_help_given_yet(monkeypatch):
    monkeypatch.setattr(checking, "_given", {})


class NoForward(FunctionNode):
    pass


class NoBackward(FunctionNode):
    def forward(self, inputs):
        x, y, z = inputs
        return (x * y - z,)


class HalfABackward(NoBackward):
    def backward(self, target_input_indexes, grad_outputs):
        return *grad_outputs, *grad_outputs, None


def raises_not_implemented(gy):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("start-zero", None),
        ("start-zero", ...),
        ("start-sign", NotImplemented),
        ("start-zero", {"y": None}),
        ("linear-gb", lambda gy: None),
        ("linear-gb", lambda gy: ...),
        ("linear-gb", raises_not_implemented),
        ("muladd-gz", NoForward),
        ("muladd-gz", NoBackward),
        ("muladd-gz", HalfABackward),
    ],
)
def test_an_empty_answer_is_not_yet_one(name, answer):
    for _ in range(3):
        outcome = lesson.check(name, answer)
        assert (outcome.state, outcome.passed, outcome.hints, outcome.further) == ("not yet", False, (), 0)
    assert "not yet" in outcome._repr_mimebundle_()["text/html"]


def shown(outcome):
    return len(outcome.hints), outcome.further


def wrong_gb(gy):
    return gy.mean(axis=0)


def test_each_call_shows_one_more_step_and_more_shows_two():
    assert [shown(lesson.check("linear-gb", wrong_gb)) for _ in range(5)] == [(1, 3), (2, 2), (3, 1), (4, 0), (4, 0)]
    lesson.check("linear-gb", lambda gy: gy.sum(axis=0))
    assert shown(lesson.check("linear-gb", wrong_gb, more=True)) == (2, 2)
    assert shown(lesson.check("linear-gb", None)) == (0, 0)
    assert shown(lesson.check("linear-gb", wrong_gb)) == (3, 1)


def test_an_answer_for_one_draw_or_one_upstream_gradient_is_wrong():
    """What is learnt by heart from one call fails at the next."""
    learnt = []

    def remembering(gy):
        learnt.append(gy.sum(axis=0))
        return learnt[0]

    assert not lesson.check("linear-gb", remembering).passed
    assert len(learnt) == 2
    assert not lesson.check("linear-gb", lambda gy: learnt[0]).passed


def test_both_points_count():
    calls = []

    def right_once(gy):
        calls.append(gy)
        return gy.sum(axis=0) if len(calls) == 1 else gy.mean(axis=0)

    assert lesson.check("linear-gb", right_once).kind == "mean"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([9, 9, 9], "Look at it: all 3 elements are wrong."),
        ([1, 2, 9], "Look at it: 1 of 3 elements is wrong. Which one, and why?"),
        ([1, 9, 9], "Look at it: 2 of 3 elements are wrong. What do they have in common?"),
        ([9, 9], "Look at it: both numbers are wrong."),
        ([9], "Look at it."),
    ],
)
def test_how_many_elements_are_wrong_is_said(wrong, sentence):
    right = np.arange(1.0, len(wrong) + 1)
    assert compared("it", np.array(wrong), right, 1e-6)[0].text == sentence


class Square(FunctionNode):
    def forward(self, inputs):
        x, y, z = inputs
        self.retain_inputs((0, 1))
        return (x * y - z,)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        return g * y, g * x, g


def test_the_ladder_of_a_wrong_gradient():
    for _ in range(6):
        outcome = lesson.check("muladd-gz", Square)
    which, shape, errors, symptom, where, own = [step.text for step in outcome.hints]
    assert which == "Look at the gradient of z: if z grows a little, how does the result change?"
    assert "(5, 4), is right" in shape
    assert outcome.hints[2].errors.shape == (5, 4) and errors.startswith(
        "For one random draw of inputs, the largest error"
    )
    assert symptom.startswith("The gradient of z has the wrong sign")
    assert where.startswith("Look for a minus sign") and "Square.backward" in where
    assert own == "z enters with a minus. If z grows, does the result grow?"
    html = outcome._repr_mimebundle_()["text/html"]
    assert html.count("<li>") == 6 and html.count("data:image/svg") == 1


def test_what_the_learners_code_raises_is_a_sentence():
    outcome = lesson.check("linear-gb", lambda gy: 1 / 0)
    assert str(outcome).splitlines()[1] == "  Your code stops with ZeroDivisionError: division by zero"
    again = lesson.check("linear-gb", lambda gy: 1 / 0)
    assert [step.text for step in again.hints][1:] == [EXERCISES["linear-gb"].says["hint"]] and again.further == 0


def test_one_number_has_no_shape_and_no_count():
    off, _ = (step.text for step in lesson.check("training-norm", lambda g: 0.0, more=True).hints)
    assert re.fullmatch(r"For one random draw of inputs, your result is off by −[\d.]+ \(yours minus .*\)\.", off)
    nan = lesson.check("training-norm", lambda g: float("nan")).hints[0].text
    assert nan == "For one random draw of inputs, your result is not a finite number."
    steps = lesson.check("training-norm", lambda g: abs(g)).hints
    assert steps[1].text == "The shape of your result is (5, 4); it must be one number."


@pytest.mark.parametrize(("name", "answer"), [("muladd-gz", lambda x, y, z: x * y - z), ("linear-gb", 3.0)])
def test_another_kind_of_answer_is_named(name, answer):
    assert lesson.check(name, answer).kind in ("no_class", "no_function")


def test_a_number_may_be_a_variable_or_an_array():
    assert lesson.check("start-zero", Variable(-1.0)).passed
    assert lesson.check("start-zero", np.array(-1)).passed


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (-1.0009, None),
        (-1.002, "number.small"),
        (-0.998, "number.large"),
        (0, "number.large"),
        (-50.0, "number.small"),
        (0.001, "number.sign"),
    ],
)
def test_a_predicted_number_is_right_to_three_digits_and_else_too_small_or_too_large(answer, told):
    outcome = lesson.check("start-zero", answer, more=True)
    while outcome.further:
        outcome = lesson.check("start-zero", answer, more=True)
    assert outcome.passed == (told is None)
    assert outcome.passed or say(told, answer=signed(f"{answer:g}")) in [hint.text for hint in outcome.hints]


def test_a_word_may_be_written_large_or_among_blanks():
    exercise = EXERCISES["start-sign"]
    assert lesson.check("start-sign", f" {exercise.truth().upper()} ").passed


def test_an_answer_may_change_its_inputs():
    def emptied(gy):
        total = gy.sum(axis=0)
        gy[...] = 0
        return total

    assert lesson.check("linear-gb", emptied).passed


def test_an_unknown_name_is_an_error_with_the_names_of_the_lesson():
    with pytest.raises(KeyError, match=r"'start-nought'; the names are start-sign, .*start-own") as caught:
        lesson.check("start-nought", 1)
    assert len(str(caught.value)) <= 300 and "muladd" not in str(caught.value)
    with pytest.raises(KeyError) as caught:
        lesson.check("x" * 1000, 1)
    assert len(str(caught.value)) <= 300


VALUES = [
    (notebook, name, wrong)
    for notebook in NOTEBOOKS
    for name, entry in answers(notebook).items()
    for wrong in entry["wrong"]
    if isinstance(EXERCISES[name], Values)
]


@each(("notebook", "name", "wrong"), VALUES, ids=[f"{name}-{wrong['kind']}" for _, name, wrong in VALUES])
def test_no_element_of_the_expected_array_is_shown(monkeypatch, notebook, name, wrong):
    monkeypatch.setattr(checking, "_given", {})
    fresh = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed=7: fresh(seed))
    expected = np.asarray(EXERCISES[name].reference(**EXERCISES[name].inputs(fresh(7))))
    for _ in range(6):
        outcome = run_exercise(notebook, mistaken(notebook, name, wrong))
    numbers = [float(text) for text in re.findall(r"-?\d+\.\d+", str(outcome).replace("−", "-"))]
    assert not any(np.isclose(number, expected, rtol=1e-3).any() for number in numbers)


def test_where_an_answer_of_numbers_is_off():
    met = []

    def slope(x, y):
        met.append(f"At x = {x:.4g}, y = {y:.4g}, your result is off by -1 (yours minus what it should be).")
        return 1.0 * y

    lesson.check("start-slope", slope)
    met.clear()
    assert lesson.check("start-slope", slope).hints[0].text.replace("−", "-") == met[0]


def test_a_result_without_return_is_no_empty_answer(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text("def forgot(gy):\n    gy.sum(axis=0)\n\n\ndef empty(gy):\n    return None  # <-- your line\n")
    names: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert lesson.check("linear-gb", names["empty"]).state == "not yet"
    assert str(lesson.check("linear-gb", names["forgot"])).splitlines()[1].endswith(say("none"))


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("linear-own-link", "return self.W * x", "print(self.W * x)", say("none")),
        ("stuck-list", "return self.second(h)", "print(self.second(h))", say("none")),
        ("stuck-list", "self.first(x)", "self.frist(x)", "Your code stops with AttributeError"),
    ],
)
def test_a_class_of_a_notebook_that_returns_nothing_or_stops_is_no_empty_answer(name, before, after, told):
    notebook = next(path for path in NOTEBOOKS if name in answers(path))
    source = mistaken(notebook, name, {"change": [before, after]})
    assert told in str(run_exercise(notebook, source))


@pytest.mark.parametrize(
    ("name", "answer", "kind"),
    [
        ("linear-gb", lambda gy: gy.sum(axis=0) + 5j, "an array of complex128"),
        ("linear-gb", lambda gy: (gy.sum(axis=0), 1), "a tuple"),
        ("linear-gb", lambda gy: "abc", "a str"),
        ("start-own", lambda x, y: [3 * x - y], "a list"),
    ],
)
def test_a_result_that_is_no_array_of_numbers_is_named(name, answer, kind):
    outcome = lesson.check(name, answer)
    assert (outcome.kind, outcome.hints[0].text) == ("no_array", say("no_array", kind=kind))


def test_weights_that_are_no_numbers_do_not_learn():
    assert not lesson.check("stuck-equal", lambda rng: (rng.normal(size=(3, 4)), np.full(4, np.nan))).passed


def test_an_exception_without_words_is_named_and_a_long_one_is_cut():
    def fails(gy):
        raise AssertionError

    def rambles(gy):
        raise ValueError("x" * 9999)

    assert lesson.check("linear-gb", fails).hints[0].text == "Your code stops with AssertionError"
    assert len(lesson.check("linear-gb", rambles).hints[0].text) < 350


def test_what_an_answer_prints_is_cut_off(capsys):
    def gb(gy):
        for k in range(30):
            print("line", k)
        return gy.sum(axis=0)

    assert lesson.check("linear-gb", gb).passed
    assert capsys.readouterr().out.splitlines() == [*[f"line {k}" for k in range(20)], say("printed", count=40)]
    print("as ever")
    assert capsys.readouterr().out == "as ever\n"


def test_the_report_is_data(monkeypatch):
    monkeypatch.setattr(results, "_results", {})
    assert lesson.report() == ()
    for answer in (wrong_gb, wrong_gb, lambda gy: gy):
        lesson.check("linear-gb", answer)
    lesson.check("linear-gx", None)
    lesson.check("start-zero", -1)
    found = {one.exercise: (one.verdict, one.cause, one.hints, one.points) for one in lesson.report()}
    assert found["linear-gb"] == ("wrong", "copies", 3, 0) and found["linear-gx"] == ("not yet", "", 0, 0)
    assert found["start-zero"] == ("right", "", 0, 1) and found["linear-own"] == ("not tried", "", 0, 0)
    assert [one.exercise for one in lesson.report("start")] == list(checking.exercises("start"))
    lesson.check("linear-gb", lambda gy: gy.sum(axis=0))
    assert str(lesson.check("linear-gx", lambda x, W, gy: gy @ W)).endswith(
        "(Right so far in this lesson: 2 of 7 exercises.)"
    )
    (gb,) = [one for one in lesson.report("linear") if one.exercise == "linear-gb"]
    assert (gb.verdict, gb.cause, gb.hints, gb.points) == ("right", "", 3, 1)
    with pytest.raises(KeyError, match="no lesson is called 'nought'"):
        lesson.report("nought")


def test_where_no_code_is_shown_an_exercise_is_left_out_and_says_so(monkeypatch):
    """The environment of a kernel that Voila has started; elsewhere the variable means nothing."""
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5.13")
    assert "run this cell again" in str(lesson.check("start-zero", None))
    monkeypatch.setattr(notebook, "shell", lambda: object())
    assert str(lesson.check("start-zero", None)).startswith("○ start-zero: left out, as this page shows no code")
    assert lesson.check("start-zero", -1).passed


class TwoFaced(FunctionNode):
    """Softsign where it is called anew; where it is called close by, as for a numeric gradient, a square."""

    last: np.ndarray | None = None

    def forward(self, inputs):
        (x,) = inputs
        self.retain_inputs((0,))
        anew = TwoFaced.last is None or np.abs(TwoFaced.last - x).max() > 0.5
        TwoFaced.last = x.copy()
        return (x / (1 + abs(x)) if anew else x * x,)

    def backward(self, target_input_indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (grad_outputs[0] * 2 * x,)


def test_a_forward_is_judged_on_the_calls_that_its_gradient_is_judged_on():
    for _ in range(3):
        assert lesson.check("softsign-own", TwoFaced).kind == "forward"


def test_a_forward_is_right_to_nine_digits():
    class Near(FunctionNode):
        off = 1e-6

        def forward(self, inputs):
            self.retain_inputs((0, 1))
            x, y, z = inputs
            return ((x * y - z) * (1 + self.off),)

        def backward(self, target_input_indexes, grad_outputs):
            x, y = self.get_retained_inputs()
            (g,) = grad_outputs
            return g * y, g * x, -g

    assert lesson.check("muladd-gz", Near).kind == "forward"
    Near.off = 0.0
    assert lesson.check("muladd-gz", Near).passed


@pytest.mark.parametrize("kind", [tuple, list])
def test_arrays_that_tell_two_gradients_apart_come_in_a_tuple_or_a_list(kind):
    assert lesson.check("bugs-witness-bias", kind((np.ones((2, 3)), np.zeros(3)))).passed
    assert not lesson.check("bugs-witness-bias", kind((np.ones((1, 3)), np.zeros(3)))).passed
