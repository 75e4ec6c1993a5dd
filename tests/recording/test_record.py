"""record(): every step of a run with the user's own names, its gradients, and nothing kept alive."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from helpers.nodes import MulAdd, SinCos

import autolab
from autolab import DamagedValueError, FunctionNode, Parameter, Variable, grad, record
from autolab import functions as F
from autolab.recording import Step


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


def value(step: Step) -> float:
    return step.value.values.item()


def gradient(step: Step) -> float | None:
    return None if step.grad is None else step.grad.values.item()


def test_muladd() -> None:
    r = record(muladd, 2.0, 3.0, z=4.0)
    assert (r.function, r.inputs, r.outputs) == ("muladd", (0, 1, 2), (4,))
    assert [(s.id, s.kind, s.function, s.name, value(s), gradient(s), s.status) for s in r.steps] == [
        (0, "input", None, "x", 2.0, 3.0, "ok"),
        (1, "input", None, "y", 3.0, 2.0, "ok"),
        (2, "input", None, "z", 4.0, 1.0, "ok"),
        (3, "call", "mul", "h", 6.0, 1.0, "ok"),
        (4, "call", "add", "w", 10.0, 1.0, "ok"),
    ]
    h = r["h"]
    assert (h.source, h.statement, h.file) == ("x * y", "h = x * y", "test_record.py")
    assert r.source.splitlines()[h.line - r.first_line].strip() == "h = x * y"
    assert [(o.parameter, o.step, o.rule, o.numbers) for o in h.operands] == [
        ("a", 0, "g * b", "1 * 3 = 3"),
        ("b", 1, "g * a", "1 * 2 = 2"),
    ]
    assert [o.contribution.values.item() for o in h.operands] == [3.0, 2.0]
    assert [(b.id, b.of, b.upstream.values.item()) for b in r.backward] == [(0, 4, 1.0), (1, 3, 1.0)]
    with pytest.raises(KeyError, match="no step is called 'q'; the names are x, y, z, h, w"):
        r["q"]


def test_a_function_node_shows_as_one_step() -> None:
    def program(x, y, z):
        (w,) = MulAdd().apply((x, y, z))
        return w

    r = record(program, 2.0, 3.0, 4.0)
    (call,) = [s for s in r.steps if s.kind == "call"]
    assert (call.function, call.name, call.source) == ("MulAdd", "w", "MulAdd(x, y, z)")
    assert [(o.parameter, o.step, o.rule) for o in call.operands] == [(f"inputs[{i}]", i, None) for i in range(3)]
    assert [o.contribution.values.item() for o in call.operands] == [3.0, 2.0, 1.0]
    assert call.backward_code.startswith("def backward(self, target_input_indexes, grad_outputs):")
    assert [gradient(r[name]) for name in "xyz"] == [3.0, 2.0, 1.0]


def test_several_results_are_parts_of_one_call() -> None:
    def program(x):
        s, c = SinCos().apply((x,))  # noqa: RUF059  # the name is what this is about
        return s * 2.0

    r = record(program, 0.5)
    call, s, c = r.steps[1:4]
    assert (call.kind, call.name, call.value, call.grad, call.status) == ("call", None, None, None, "ok")
    assert [(p.kind, p.name, p.operands[0].step) for p in (s, c)] == [("part", "s", 1), ("part", "c", 1)]
    assert (gradient(s), s.status, gradient(c), c.status) == (2.0, "ok", None, "not_reached")
    assert gradient(r["x"]) == 2 * np.cos(0.5)
    assert [b.of for b in r.backward] == [4, 1] and r.backward[1].upstream is None


def test_several_outputs() -> None:
    def program(x):
        a = x * x
        return a, F.sum(a), x

    r = record(program, [1.0, 2.0])
    assert r.outputs == (1, 2, 0)
    np.testing.assert_array_equal(r["x"].grad.values, 2 * (1 + 1) * np.array([1.0, 2.0]) + 1)
    upstream = (np.array([1.0, 0.0]), None, [5.0, 5.0])
    r = record(program, [1.0, 2.0], options={"upstream": upstream})
    np.testing.assert_array_equal(r["x"].grad.values, 2 * np.array([2.0, 1.0]) * [1, 2] + 5)


@pytest.mark.parametrize("upstream", [[1.0, 10.0], np.array([1.0, 10.0]), Variable([1.0, 10.0])])
def test_upstream_of_one_output(upstream: object) -> None:
    r = record(lambda x: x * x, [1.0, 2.0], options={"upstream": upstream})
    np.testing.assert_array_equal(r["x"].grad.values, [2.0, 40.0])
    np.testing.assert_array_equal(r.steps[-1].grad.values, [1.0, 10.0])


def test_loops_nested_functions_and_reuse() -> None:
    def inner(a, factor):
        product = a * factor
        return product

    def program(x, n: int):
        h = x
        for _ in range(n):
            h = inner(h, x)
        h += x
        return h

    r = record(program, 2.0, 3)
    assert [s.name for s in r.steps] == ["x", "product", "product", "product", "h"]
    assert [[o.step for o in s.operands] for s in r.steps[1:]] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    assert (r["h"].source, r["h"].statement) == ("h + x", "h += x")
    assert (value(r["h"]), gradient(r["x"])) == (18.0, 4 * 8 + 1)
    assert r["product"].id == 3 and len({(s.line, s.source) for s in r.steps[1:4]}) == 1


NAMES = [
    ("y = x * 2.0\n    return y", "y", "x * 2.0"),
    ("return x * 2.0", None, "x * 2.0"),
    ("y: object = x * 2.0\n    return y", "y", "x * 2.0"),
    ("y = z = x * 2.0\n    return y", "y", "x * 2.0"),
    ("box = {}\n    box['k'] = x * 2.0\n    return box['k']", "box['k']", "x * 2.0"),
    ("y = np.exp(x)\n    return y", "y", "np.exp(x)"),
    ("y = x.sum()\n    return y", "y", "x.sum()"),
    ("y = -x\n    return y", "y", "-x"),
    ("y = F.sum(\n        x\n    )\n    return y", "y", "F.sum(\n        x\n    )"),
    ("y = [x * 2.0][0]\n    return y", None, "x * 2.0"),
    ("return (lambda v: v * 2.0)(x)", None, "v * 2.0"),
]


@pytest.mark.parametrize(("body", "name", "source"), NAMES)
def test_names_and_sources(body: str, name: str | None, source: str, tmp_path: object) -> None:
    path = tmp_path / "written.py"
    path.write_text(f"import numpy as np\nfrom autolab import functions as F\ndef program(x):\n    {body}\n")
    space: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    step = record(space["program"], 1.0).steps[1]
    assert (step.name, step.source, step.file) == (name, source, "written.py")


def test_code_without_source_still_records() -> None:
    space: dict[str, object] = {}
    text = "def program(x):\n    y = x * 2.0\n    return y"
    exec(compile(text, "<generated>", "exec"), space)  # of "<string>" Python 3.13 may know another text, that of -c
    r = record(space["program"], 3.0)
    assert (r.source, r.steps[1].name, r.steps[1].source, value(r.steps[1])) == (None, None, None, 6.0)


def test_lambdas_and_builtins() -> None:
    r = record(lambda x: x * x, 3.0)
    assert r.function == "<lambda>" and r.steps[1].source == "x * x"
    r = record(np.exp, 0.0)
    assert (r.function, r.steps[1].function, value(r.steps[1])) == ("exp", "exp", 1.0)
    assert record(F.tanh, 0.5).steps[0].name == "x"


def test_a_sum_inside_an_augmented_assignment_has_no_name() -> None:
    def program(x, y):
        h = x * 1.0
        h += x * y
        return h

    r = record(program, 2.0, 3.0)
    assert [(s.name, s.source) for s in r.steps[2:]] == [("h", "x * 1.0"), (None, "x * y"), ("h", "h + x * y")]


def test_leaves_of_the_function_are_named_as_they_are_written() -> None:
    alone, inside, boxed = [Variable([1.0, 2.0]) for _ in range(3)]
    box = {"w": boxed}

    def program(x):
        return x * alone.sum() + F.sum(np.exp(inside)) + F.sum(box["w"])

    leaves = [s for s in record(program, 1.0).steps if s.kind != "call"]
    assert [s.name for s in leaves] == ["x", "alone", "inside", None]


def test_a_function_node_with_arguments_is_shown_as_written() -> None:
    class Times(FunctionNode):
        def __init__(self, factor):
            self.factor = factor

        def forward(self, inputs):
            return (inputs[0] * self.factor,)

        def backward(self, target_input_indexes, grad_outputs):
            return (grad_outputs[0] * self.factor,)

    r = record(lambda x: Times(3.0).apply((x,))[0], 2.0)
    assert r.steps[1].source == "Times(3.0).apply((x,))" and gradient(r["x"]) == 3.0


W = Parameter([3.0, 4.0], name="weights")
scale = np.array([10.0, 100.0])


def test_a_rule_may_be_described_by_a_sentence() -> None:
    @autolab.elementwise()
    def squared(xp, x):
        return x * x

    @squared.vjp("x")
    def _(g, x):
        """Twice x, times what comes from above."""
        return g * 2 * x

    (operand,) = record(squared, 3.0).steps[1].operands
    assert (operand.rule, operand.numbers) == ("Twice x, times what comes from above.", None)


def test_closures_constants_and_numbers() -> None:
    bias = Variable(np.array([1, 2]))
    unnamed = Variable([1.0, 1.0])

    def program(x):
        return x * W * scale + bias - unnamed / 2

    r = record(program, [1.0, 2.0])
    found = {s.name: (s.kind, s.status) for s in r.steps if s.kind != "call"}
    assert found == {
        "x": ("input", "ok"),
        "weights": ("leaf", "ok"),
        "scale": ("constant", "constant"),
        "bias": ("constant", "integer"),
        "unnamed": ("leaf", "ok"),
    }
    np.testing.assert_array_equal(r["weights"].grad.values, [10.0, 200.0])
    assert r["scale"].grad is None
    (half,) = [s for s in r.steps if s.function == "div"]
    assert half.operands[1].constant == "2" and half.operands[1].step is None
    assert W.grad is None and bias.grad is None and unnamed.grad is None


def test_a_value_computed_before_is_an_input_whose_graph_is_not_followed() -> None:
    w = Variable(2.0)
    doubled = w * 2
    r = record(lambda x: x * doubled, 3.0)
    assert [(s.kind, s.name, gradient(s)) for s in r.steps] == [
        ("input", "x", 4.0),
        ("leaf", "doubled", 3.0),
        ("call", None, 1.0),
    ]
    assert w.grad is None


def test_a_function_that_differentiates() -> None:
    r = record(lambda x: grad(x**3, x, create_graph=True), 2.0)
    assert gradient(r["x"]) == 12.0


STATUS = [
    (lambda x: x * 0.0, "zero"),
    (lambda x: x * np.nan, "nonfinite"),
    (lambda x: x / 1e-320, "nonfinite"),
    (lambda x: Variable([1.0, 2.0]) * 2, "not_reached"),
    (lambda x: x * 2.0, "ok"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("fn", "status"), STATUS)
def test_status(fn: object, status: str) -> None:
    assert record(fn, [1.0, 2.0])["x"].status == status


def test_nothing_to_differentiate() -> None:
    r = record(lambda n: n * 2, np.array([1, 2]))
    assert [s.status for s in r.steps] == ["integer", "integer"]
    assert r.notes == ("no_gradient",) and r.backward == ()
    assert text(r).endswith("the result depends on no value that could have a gradient.")
    with autolab.no_grad():
        r = record(lambda x: x * 2, 1.0)
    assert r.notes == ("no_gradient",) and r.steps[0].grad is None
    constant = record(lambda x: Variable(5.0, requires_grad=False), 1.0)
    assert constant.outputs == (1,) and constant.steps[1].kind == "constant"


def in_a_thread(x: Any) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(F.sum(x * x)))
    thread.start()
    thread.join()
    return found[0]


def test_a_constant_that_is_changed_between_two_uses_is_shown_as_it_was_at_each() -> None:
    def f(x: Variable, t: Variable) -> Variable:
        before = x * t
        t[0] = 5
        return before + x * t

    r = record(f, [1.0, 2.0], np.array([3, 4]))
    used = [[r.steps[o.step].value.values.tolist() for o in s.operands[1:]] for s in r.steps if s.function == "mul"]
    assert used == [[[3, 4]], [[5, 4]]]
    assert r.steps[-1].value.values.tolist() == [8.0, 16.0]


def test_steps_that_were_made_elsewhere_are_missed_and_their_values_are_no_constants() -> None:
    h = Variable(3.0) * 2
    for fn, kinds in ((in_a_thread, ["input", "leaf"]), (lambda x: F.sum(x * h), ["input", "leaf", "call", "call"])):
        r = record(fn, np.array([1.0, 2.0]))
        assert [step.kind for step in r.steps] == kinds and r.notes == ("steps_elsewhere",)
        assert "Some values were computed before the function ran, or in another thread" in text(r)
    assert autolab.diagnose(in_a_thread, np.ones(2)).facts == (
        "Values computed before the program ran, or in another thread, were not looked at.",
    )


def test_a_parameter_that_is_returned_is_no_constant() -> None:
    w = Parameter(np.ones(2), name="w")
    r = record(lambda x: w, 1.0)
    assert (r.steps[1].kind, r.notes) == ("leaf", ())


def text(r: Any) -> str:
    return str(r._repr_mimebundle_()["text/plain"])


def damaging(x: Any) -> Any:
    h = x * 2
    y = h * h
    h.data[0] = 9.0
    return y


def test_a_value_changed_in_place_is_an_error_and_no_wrong_gradient() -> None:
    with pytest.raises(DamagedValueError) as caught:
        record(damaging, x=[1.0, 2.0])
    line = damaging.__code__.co_firstlineno + 2
    assert str(caught.value).startswith(f"input 'h' of mul (test_record.py, line {line}) was changed in place")


def test_inputs_that_were_left_out_at_the_end_are_no_operands() -> None:
    def program(x, w, b):
        h = F.linear(x, w)
        n = F.layer_norm(h, None, b)
        return F.clip(n, None, 0.5)

    r = record(program, np.ones((2, 3)), np.arange(6.0).reshape(2, 3), np.zeros(2))
    operands = [[(o.parameter, o.constant) for o in s.operands] for s in r.steps[3:]]
    assert operands[0] == [("x", None), ("w", None)]
    assert operands[1] == [("x", None), ("gamma", "None"), ("beta", None)]
    assert operands[2] == [("a", None), ("a_min", "None"), ("a_max", "0.5")]
    assert r["b"].grad is not None and r["n"].operands[2].contribution is not None
