"""Bad inputs to Variables, gradients, modes and arrays."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np

import autolab
from autolab import Parameter, Variable, grad
from helpers.refusals import Refusal

REAL = "expected real numbers"


def _set(name: str, value: Any, owner: Any = None) -> Any:
    return lambda w: setattr(w.x if owner is None else owner, name, value)


VARIABLES = (
    Refusal(lambda w: Variable("text"), TypeError, "Variable", "data", "got str 'text'", REAL),
    Refusal(lambda w: Variable(None), TypeError, "Variable", "data", "got None", REAL),
    Refusal(lambda w: Variable(1j), TypeError, "Variable", "data", "got complex 1j", REAL),
    Refusal(lambda w: Variable(np.ones(2, complex)), TypeError, "Variable", "data", "complex128", REAL),
    Refusal(lambda w: Variable(object()), TypeError, "Variable", "data", "got object", REAL),
    Refusal(lambda w: Variable({"a": 1}), TypeError, "Variable", "data", "got dict {'a': 1}", REAL),
    Refusal(lambda w: Variable(["a"]), TypeError, "Variable", "data", "got list ['a']", REAL),
    Refusal(lambda w: Variable(np.datetime64("2020")), TypeError, "Variable", "data", "got datetime64", REAL),
    Refusal(
        lambda w: Variable([[1], [1, 2]]), TypeError, "Variable", "data", "[[1], [1, 2]]", "lists of equal lengths"
    ),
    Refusal(lambda w: Variable(np.ma.array([1.0])), TypeError, "Variable", "data", "masked array", "fill it"),
    Refusal(lambda w: Variable(w.x), TypeError, "Variable", "data", "is a Variable already", "use it as it is"),
    Refusal(lambda w: Variable(1.0, name=3), TypeError, "Variable", "name", "is 3", "expected a string"),
    Refusal(
        lambda w: Variable([1.0], requires_grad="yes"),
        TypeError,
        "Variable",
        "requires_grad",
        "is 'yes'",
        "expected True, False or None",
    ),
    Refusal(
        lambda w: Variable(np.arange(3), requires_grad=True),
        TypeError,
        "Variable",
        "requires_grad=True",
        "data is int64",
        "only floating-point data",
    ),
    Refusal(lambda w: Parameter([None]), TypeError, "Variable", "data", "got list [None]", REAL),
    Refusal(_set("data", "t"), TypeError, "Variable", ".data", "got str 't'", REAL),
    Refusal(_set("data", None), TypeError, "Variable", ".data", "got None", REAL),
    Refusal(_set("data", np.arange(3)), TypeError, "Variable", ".data", "got int64", "expected floats"),
    Refusal(_set("data", np.ones(3, complex)), TypeError, "Variable", ".data", "complex128", REAL),
    Refusal(lambda w: setattr(w.c, "data", np.ones(3, complex)), TypeError, "Variable", ".data", "complex128", REAL),
    Refusal(lambda w: setattr(w.x, "data", w.x * 2), TypeError, "Variable", ".data", "got a Variable", "write x = y"),
    Refusal(_set("grad", np.ones(4)), ValueError, "Variable", ".grad", "shape (4,)", "expected (3,)"),
    Refusal(_set("grad", "g"), TypeError, "Variable", ".grad", "got str 'g'", REAL),
    Refusal(_set("grad", np.ones(3, complex)), TypeError, "Variable", ".grad", "complex128", REAL),
    Refusal(
        lambda w: setattr(w.c, "grad", np.ones(3)),
        ValueError,
        "Variable",
        ".grad",
        "does not require a gradient",
        "expected requires_grad=True",
    ),
    Refusal(lambda w: float(w.x), ValueError, "Variable", "one Python number", "shape (3,)", "expected one element"),
    Refusal(lambda w: int(w.m), ValueError, "Variable", "one Python number", "shape (2, 3)", "expected one element"),
    Refusal(lambda w: w.x.item(), ValueError, "Variable", "one Python number", "shape (3,)", "np.sin(x)"),
    Refusal(lambda w: bool(w.x), ValueError, "bool", "Variable", "3 elements", "use .data.any() or .all()"),
    Refusal(lambda w: len(w.s), TypeError, "len", "Variable", "without axes", "expected at least one axis"),
    Refusal(lambda w: list(w.s), TypeError, "Variable", "value", "without axes", "cannot be iterated over"),
    Refusal(lambda w: w.x.__setitem__(0, 1.0), autolab.DetachError, "Variable", "elements", "assigned", "x.copy()"),
    Refusal(
        lambda w: np.asarray(w.x), autolab.DetachError, "numpy.asarray", "Variable", "drop the gradient", "np.stack"
    ),
    Refusal(lambda w: pickle.dumps(w.y), TypeError, "Variable", "value", "computed", "needs no copy"),
    Refusal(lambda w: copy.deepcopy(w.y), TypeError, "Variable", "value", "computed", "needs no copy"),
)

GRADIENTS = (
    Refusal(lambda w: w.y.backward(), RuntimeError, "backward", "output", "3 elements", "set y.grad"),
    Refusal(lambda w: w.c.backward(), RuntimeError, "backward", "value", "no Variable", "requires a gradient"),
    Refusal(lambda w: w.y.backward("ones"), TypeError, "backward", "gradient", "str", "expected real numbers"),
    Refusal(lambda w: w.s.backward(True, "yes"), TypeError, "backward", "create_graph", "is a str", "expected True"),
    Refusal(lambda w: grad(w.s, w.s, create_graph=1), TypeError, "grad", "create_graph", "is an int", "expected True"),
    Refusal(lambda w: grad(1.0, w.x), TypeError, "grad", "outputs", "has a float", "expected a Variable"),
    Refusal(lambda w: grad(None, w.x), TypeError, "grad", "outputs", "has None", "expected a Variable"),
    Refusal(lambda w: grad(w.s, w.array), TypeError, "grad", "inputs", "has an ndarray", "expected a Variable"),
    Refusal(lambda w: grad(w.s, [w.s, 1.0]), TypeError, "grad", "inputs", "has a float", "a sequence of them"),
    Refusal(lambda w: grad(w.y, w.x), RuntimeError, "backward", "output", "3 elements", "grad_outputs"),
    Refusal(lambda w: grad(w.y, w.x, [1.0, 1.0, 1.0]), ValueError, "grad", "grad_outputs", "got 3", "expected 1"),
    Refusal(lambda w: grad(w.y, w.x, [1.0, 1.0]), ValueError, "grad", "grad_outputs", "got 2", "not a list of numbers"),
    Refusal(lambda w: grad([w.s, w.y], w.x, [1.0]), ValueError, "grad", "grad_outputs", "got 1", "one per output"),
    Refusal(lambda w: grad(w.y, w.x, np.ones(2)), ValueError, "grad", "grad_outputs[0]", "(2,)", "expected (3,)"),
    Refusal(lambda w: grad(w.y, w.x, "a"), TypeError, "grad", "grad_outputs[0]", "got str 'a'", REAL),
    Refusal(lambda w: grad(w.y, w.x, np.ones(3) * 1j), TypeError, "grad", "grad_outputs[0]", "complex128", REAL),
)

MODES = (
    Refusal(
        lambda w: autolab.using_config("trian", True),
        AttributeError,
        "using_config",
        "mode",
        "'trian'",
        "the modes are enable_backprop, train, rng",
    ),
    Refusal(lambda w: autolab.using_config("train", 1), TypeError, "using_config", "train", "got 1", "expected a bool"),
    Refusal(lambda w: autolab.using_config("rng", 1), TypeError, "using_config", "rng", "got 1", "a Generator"),
    Refusal(_set("foo", 1, autolab.config), AttributeError, "config", "mode", "'foo'", "the modes are"),
    Refusal(_set("train", None, autolab.config), TypeError, "config", "train", "got None", "expected a bool"),
    Refusal(_set("rng", 42, autolab.config), TypeError, "config", "rng", "got 42", "expected a Generator"),
    Refusal(_set("foo", 1, autolab.global_config), AttributeError, "global_config", "mode", "'foo'", "the modes are"),
    Refusal(_set("train", "x", autolab.global_config), TypeError, "global_config", "train", "got 'x'", "a bool"),
    Refusal(lambda w: autolab.config.foo, AttributeError, "config", "mode", "'foo'", "the modes are"),
    Refusal(lambda w: autolab.observe(3), TypeError, "observe", "hook", "is an int", "expected a function"),
    Refusal(lambda w: autolab.named_scope(3), TypeError, "scope", "label", "is an int", "expected a string"),
    Refusal(lambda w: autolab.to_cpu("a"), TypeError, "to_cpu", "got", "a str", "expected an array"),
    Refusal(lambda w: autolab.as_variable("a"), TypeError, "Variable", "data", "got str 'a'", REAL),
)

ENGINE = (*VARIABLES, *GRADIENTS, *MODES)
