"""Bad inputs to transforms, checks, recordings, live views and the command line."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

import autolab
from autolab import check_gradients, explore, numerical_grad, record, transforms
from autolab.app import cli
from autolab.views.graph.session import Session
from helpers.refusals import Refusal

FUNCTION = "expected a function of Variables"


def double(x):
    return x * 2


def several(x):
    return x * 1, x * 2


TRANSFORMS = (
    Refusal(lambda w: transforms.grad(3), TypeError, "grad", "fn", "is an int", FUNCTION),
    Refusal(lambda w: transforms.grad(w.y), TypeError, "grad", "fn", "is a Variable", "autolab.grad"),
    Refusal(lambda w: transforms.jacobian(None), TypeError, "jacobian", "fn", "is None", FUNCTION),
    Refusal(lambda w: transforms.hessian(1), TypeError, "hessian", "fn", "is an int", FUNCTION),
    Refusal(lambda w: transforms.vjp(1, w.array), TypeError, "vjp", "fn", "is an int", FUNCTION),
    Refusal(lambda w: transforms.nth_derivative(3, 1), TypeError, "nth_derivative", "fn", "is an int", FUNCTION),
    Refusal(lambda w: transforms.nth_derivative(double, -1), TypeError, "nth_derivative", "n", "is -1", "0, 1, 2, ..."),
    Refusal(lambda w: transforms.nth_derivative(double, 1.5), TypeError, "nth_derivative", "n", "is 1.5", "an order"),
    Refusal(
        lambda w: transforms.grad(double)(w.array), ValueError, "grad", "double", "shape (3,)", "take a sum, or use"
    ),
    Refusal(
        lambda w: transforms.grad(double, 5)(1.0), TypeError, "grad", "wrt", "is 5", "expected an argument of double"
    ),
    Refusal(lambda w: transforms.grad(double)(), TypeError, "grad", "wrt", "none was given", "expected an argument"),
    Refusal(
        lambda w: transforms.grad(double)(np.arange(3)), TypeError, "grad", "argument 0", "int64", "floating-point"
    ),
    Refusal(
        lambda w: transforms.grad(double)("a"), TypeError, "grad", "argument 0", "is a str", "expected real numbers"
    ),
    Refusal(
        lambda w: transforms.grad(double)(1j), TypeError, "grad", "argument 0", "a complex", "expected real numbers"
    ),
    Refusal(lambda w: transforms.grad(lambda x: x.data)(1.0), TypeError, "grad", "<lambda>", "ndarray", "a Variable"),
    Refusal(lambda w: transforms.vjp(double, w.array)[1](np.ones(2)), ValueError, "vjp", "upstream", "(2,)", "(3,)"),
    Refusal(
        lambda w: transforms.jvp(double, w.array, np.ones(2)), ValueError, "jvp", "tangent", "(2,)", "expected (3,)"
    ),
    Refusal(
        lambda w: transforms.hvp(lambda x: (x * x).sum(), w.array, np.ones(2)),
        ValueError,
        "hvp",
        "vector",
        "(2,)",
        "expected (3,)",
    ),
)

CHECKS = (
    Refusal(lambda w: check_gradients(3, 1.0), TypeError, "check_gradients", "fn", "is an int", FUNCTION),
    Refusal(lambda w: check_gradients(double, "a"), TypeError, "check_gradients", "input", "no float", "an array"),
    Refusal(
        lambda w: check_gradients(double, np.arange(3)), TypeError, "check_gradients", "input", "no float", "a list"
    ),
    Refusal(
        lambda w: check_gradients(double, np.ones(2) * 1j), TypeError, "check_gradients", "'x'", "complex128", "real"
    ),
    Refusal(
        lambda w: check_gradients(lambda x: "a", 1.0), TypeError, "check_gradients", "returned", "a str", "a Variable"
    ),
    Refusal(lambda w: check_gradients(double, y=1.0), TypeError, "check_gradients", "double(x)", "'x'", "missing"),
    Refusal(
        lambda w: check_gradients(double, 1.0, options={"eps": 1}),
        TypeError,
        "check_gradients",
        "options",
        "'eps'",
        "expected 'rng'",
    ),
    Refusal(
        lambda w: check_gradients(double, 1.0, options="eps"),
        TypeError,
        "check_gradients",
        "options",
        "is a str",
        "expected a dict",
    ),
    Refusal(lambda w: check_gradients(double, 1.0, rng=4), TypeError, "check_gradients", "rng", "is 4", "a generator"),
    Refusal(lambda w: check_gradients(double, 1.0)["q"], KeyError, "GradientReport", "input", "'q'", "the names are x"),
    Refusal(lambda w: numerical_grad(3, (w.array,), ()), TypeError, "numerical_grad", "f", "is an int", "a function"),
    Refusal(
        lambda w: numerical_grad(lambda: (w.array,), (1.0,), (w.array,)),
        TypeError,
        "numerical_grad",
        "inputs[0]",
        "is a float",
        "expected a floating-point array",
    ),
    Refusal(
        lambda w: numerical_grad(lambda: (w.array,), (w.array,), (np.ones(2),)),
        ValueError,
        "numerical_grad",
        "grad_outputs[0]",
        "(2,)",
        "expected (3,)",
    ),
)


def _recorded(fn: Any = double, **options: Any) -> Any:
    return lambda w: record(fn, w.array, options=options)


RECORDINGS = (
    Refusal(lambda w: record(3, 1.0), TypeError, "record", "fn", "is an int", FUNCTION),
    Refusal(lambda w: record(lambda x: 1.0, 2.0), TypeError, "record", "returned", "a float", "expected a Variable"),
    Refusal(lambda w: record(double, 1.0, 2.0), TypeError, "record", "double(x)", "positional", "too many"),
    Refusal(lambda w: record(double, q=1.0), TypeError, "record", "double(x)", "'x'", "missing a required argument"),
    Refusal(lambda w: record(double, w.array * 1j), TypeError, "record", "'x'", "complex128", "expected real numbers"),
    Refusal(_recorded(depth=1), TypeError, "record", "options", "'depth'", "expected 'upstream', 'budget'"),
    Refusal(lambda w: record(double, 1.0, options=3), TypeError, "record", "options", "is an int", "expected a dict"),
    Refusal(_recorded(upstream=np.ones(2)), ValueError, "record", "'upstream'", "(2,)", "expected (3,)"),
    Refusal(_recorded(upstream="a"), TypeError, "record", "'upstream'", "got str 'a'", "expected real numbers"),
    Refusal(
        _recorded(several, upstream=1.0), ValueError, "record", "'upstream'", "is a float", "expected a tuple of 2"
    ),
    Refusal(_recorded(budget="a"), TypeError, "record", "'budget'", "is 'a'", "expected a number of bytes"),
    Refusal(_recorded(budget=-1), TypeError, "record", "'budget'", "is -1", "expected a number of bytes"),
    Refusal(lambda w: record(double, 1.0)["q"], KeyError, "Recording", "step", "'q'", "the names are x"),
    Refusal(
        lambda w: record(double, 1.0).save("g.doc"), ValueError, "save", "suffix", "'.doc'", "expected one of .svg"
    ),
    Refusal(lambda w: explore(3, 1.0), TypeError, "explore", "fn", "is an int", FUNCTION),
    Refusal(lambda w: explore(double, q=1.0), TypeError, "explore", "double(x)", "'x'", "missing a required argument"),
    Refusal(
        lambda w: explore(double, 1.0, options={"depth": 1}), TypeError, "explore", "options", "'depth'", "expected"
    ),
    Refusal(lambda w: explore(lambda: 1), TypeError, "explore", "returned", "an int", "expected a Variable"),
    Refusal(lambda w: Session(double, (1.0,)).move("q", None, 1.0), ValueError, "explore", "input", "'q'", "moved"),
    Refusal(
        lambda w: Session(double, (1.0,)).move("x", None, "a"), ValueError, "explore", "x", "'a'", "expected a finite"
    ),
    Refusal(lambda w: autolab.nothing, AttributeError, "autolab", "attribute", "'nothing'", "no attribute"),
)


def _command(*arguments: str) -> Any:
    """Run the command line; what it says becomes the message of the exit."""

    def run(w: Any) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                status = cli.main(arguments)
            except SystemExit as stop:
                status = stop.code
        assert status not in (0, None)
        raise SystemExit(said.getvalue())

    return run


COMMANDS = (
    Refusal(_command("paint"), SystemExit, "autolab", "command", "'paint'", "choose from"),
    Refusal(
        _command("lab", "no such.ipynb"), SystemExit, "autolab lab", "file", "no such.ipynb", "expected a notebook"
    ),
    Refusal(_command("lab", "--port", "x"), SystemExit, "autolab lab", "--port", "is not a port", "expected a number"),
    Refusal(_command("lab", "--port", "70000"), SystemExit, "autolab lab", "--port", "'70000'", "from 0 to 65535"),
)

TOOLS = (*TRANSFORMS, *CHECKS, *RECORDINGS, *COMMANDS)
