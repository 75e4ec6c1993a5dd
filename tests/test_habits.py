"""What people type out of habit is answered with what there is; the page in docs says the same."""

from __future__ import annotations

import ast
import copy
import itertools
import pickle
import re
import runpy
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, elementwise, grad, no_grad, optimizers, primitive, serializers, transforms
from autolab import functions as F
from autolab import links as L
from autolab.engine.habit_tables import ALIASES, ON_PURPOSE, OTHER_FORMS, PLACES, answers, patterns
from autolab.engine.habits import _IMPORTED_FROM, _MODULES

ROOT = Path(__file__).parents[1]
OWNERS: dict[str, Any] = {
    "Variable": Variable(1.0),
    "View": autolab.heatmap(np.ones((2, 2))),
    "Link": L.Linear(2, 3),
    "Optimizer": optimizers.SGD().setup(L.Linear(2, 3)),
    "functions": F,
    "links": L,
    "special": autolab.scipy.special,  # type: ignore[attr-defined]
    "init": autolab.nn.init,
    "func": autolab.func,  # type: ignore[attr-defined]
    "functional": autolab.autograd.functional,  # type: ignore[attr-defined]
    "image_transforms": autolab.data.transforms,
    "linalg": autolab.linalg,  # type: ignore[attr-defined]
    "norm": autolab.scipy.stats.norm,  # type: ignore[attr-defined]
    "stats": autolab.scipy.stats,  # type: ignore[attr-defined]
    "optimizers": optimizers,
    "utils": autolab.nn.utils,
    "rnn": autolab.nn.utils.rnn,
    "lr_scheduler": optimizers.lr_scheduler,
    "transforms": transforms,
    "serializers": serializers,
    "initializers": autolab.initializers,
    "data": autolab.data,
    "training": autolab.training,
    "extensions": autolab.training.extensions,
    "gradcheck": autolab.gradcheck,
    "plots": autolab.plots,
    "Recording": autolab.record(lambda x: x, 1.0),
    "GradientReport": autolab.check_gradients(lambda x: x, 1.0),
    "autograd": autolab.autograd,  # type: ignore[attr-defined]
    "autolab": autolab,
}


@each("where", OWNERS)
def test_a_missing_name_is_answered(where: str) -> None:
    owner, listed = OWNERS[where], {*dir(OWNERS[where])}
    for name in answers(where):
        with pytest.raises(AttributeError, match=rf"has no (attribute )?'{name}'; instead: ") as caught:
            getattr(owner, name)
        assert len(str(caught.value)) <= 300 and "`" not in str(caught.value), name
        assert not hasattr(owner, name) and name not in listed


@each("where", [where for where in PLACES if patterns(where) and where in OWNERS])
def test_a_name_of_a_family_is_answered(where: str) -> None:
    """A name that a pattern describes, with any letters for its ``*``."""
    for pattern in patterns(where):
        with pytest.raises(AttributeError, match="; instead: ") as caught:
            getattr(OWNERS[where], pattern.replace("*", "Qq"))
        assert len(str(caught.value)) <= 300 and not {"`", "{", "}"} & {*str(caught.value)}, pattern


def test_no_answer_hides_what_is_there() -> None:
    """Neither a function of NumPy's nor a module, which the answers would keep from being imported."""
    assert not answers("autolab").keys() & {*np.__all__} - {"core", "i0"}
    for package, where in _IMPORTED_FROM.items():
        modules = {module.name for module in iter_modules(getattr(import_module(package), "__path__", []))}
        assert not modules & answers(where).keys(), package


@each(("where", "name"), [(where, name) for where in ALIASES for name in ALIASES[where]])
def test_an_alias_is_what_it_stands_for(where: str, name: str) -> None:
    owner, target = OWNERS[where], ALIASES[where][name]
    found = None if "." in target and where in ("Link", "Optimizer") else getattr(owner, name)
    if where == "autograd" or (where in ("Variable", "View", "Recording", "Link", "Optimizer") and "." in target):
        found = getattr(type(owner), name) if where in ("Variable", "Link", "Optimizer") else found
        owner, found = autolab, getattr(found, "__func__", found)
    for part in target.split(".") if target else ():
        owner = getattr(owner, part) if not hasattr(owner, "__path__") else _below(owner, part)
    assert (found is owner or found == owner) and name not in answers(where) and name not in dir(OWNERS[where])


def _below(package: Any, name: str) -> Any:
    return getattr(package, name) if hasattr(package, name) else import_module(f"{package.__name__}.{name}")


def test_a_name_of_another_module_is_answered_by_its_place() -> None:
    """For every public name, in every module that answers habits: it is there, or the message says where."""
    modules = {where: owner for where, owner in OWNERS.items() if where in _MODULES}
    assert modules.keys() == _MODULES.keys() - {"lax", "random"}
    for (place, owner), (where, other) in itertools.permutations(modules.items(), 2):
        for name in {*vars(owner).get("__all__", ()), *ALIASES.get(place, ())}:
            try:
                getattr(other, name)
            except AttributeError as error:
                told = re.search(r"; instead: autolab\.([\w.]+)$", str(error))
                assert told or name in answers(where) or name in answers("autolab"), (where, name, error)
                assert not told or getattr(attrgetter(told[1])(autolab), "__doc__", "") != "", (where, name, error)


def test_others_are_still_missing() -> None:
    for owner in OWNERS.values():
        with pytest.raises(AttributeError, match="no attribute 'zzz'"):
            _ = owner.zzz


_KNOWN = {
    "F": F,
    "L": L,
    "autolab": autolab,
    "optimizers": optimizers,
    "serializers": serializers,
    "x": OWNERS["Variable"],
    "y": OWNERS["Variable"],
    "model": OWNERS["Link"],
    "optimizer": OWNERS["Optimizer"],
    **{name: OWNERS[name] for name in ("data", "training", "transforms", "initializers", "extensions")},
    "random": autolab.random,  # type: ignore[attr-defined]
    "nn": autolab.nn,
    "np": np,
    "numpy": np,
    "T": autolab.data.transforms,
}


@each("where", PLACES)
def test_what_is_offered_exists(where: str) -> None:
    for name, text in answers(where).items():
        for code in re.findall("`(.*?)`", text):
            if where != "parameters" and not re.match(r"[.-]|autolab \w+$", code) and not re.search(r"=(,|$)", code):
                ast.parse(re.sub(r"^(with .*:)$", r"\1 pass", code))
            for owner, path in re.findall(r"\b(\w+)\.([A-Za-z_.]\w*(?:\.\w+)*)", code):
                value = _KNOWN.get(owner)
                for part in path.split(".") if value is not None else ():
                    if part in ("creator", "grad", "name"):  # None until there is one
                        break
                    value = getattr(value, part, None)
                    assert value is not None, (name, code, part)


def test_the_page_is_up_to_date() -> None:
    """To bring it up to date: python scripts/habits.py"""
    script = runpy.run_path(str(ROOT / "scripts" / "habits.py"))
    assert (ROOT / "docs" / "habits.md").read_text("utf-8") == script["markdown"]()


def test_what_differs_from_pytorch_on_purpose_is_listed() -> None:
    """Both calls of a row work and give something else, and each function with another form by ``dim`` has a row."""
    known = {"x": Variable([[3.0, 1.0, 2.0, 5.0], [4.0, 8.0, 6.0, 7.0]]), "n": np.array([2, 3])}
    known |= {"F": F, "L": L, "nn": autolab.nn, "autolab": autolab, "Variable": Variable}  # type: ignore[attr-defined]
    known |= {"data": autolab.data, "optimizers": optimizers}
    for name, (own, theirs, reason) in ON_PURPOSE.items():
        found = eval(theirs, known)
        if name == "squeeze":
            with pytest.raises(ValueError, match="squeeze"):
                eval(own, known)
            continue
        assert repr(eval(own, known)) != repr(found) and reason, name
    assert OTHER_FORMS.keys() <= ON_PURPOSE.keys()


def test_a_user_may_have_such_a_name() -> None:
    class Net(autolab.Link):
        def __init__(self) -> None:
            super().__init__()
            self.parameters = autolab.Parameter(np.ones(2))
            self.step = 3

        def train(self) -> str:
            return "own"

    net = Net()
    assert net.train() == "own" and net.step == 3 and "parameters" in dir(net)
    np.testing.assert_array_equal(net.parameters.data, 1)


x, X = Variable([1.0, 2.0]), np.ones((1, 2, 4, 4))
KEYWORDS: list[tuple[Callable[[], Any], str]] = [
    (lambda: F.softmax(x, dims=0, dim=0), "softmax: got a keyword 'dim'; expected x, axis; instead: axis="),
    (lambda: F.softmax(x, 0, dim=0), "softmax: got one argument by position and by name"),
    (lambda: F.max(x, keepdim=True), "max: got a keyword 'keepdim'; .*instead: keepdims="),
    (lambda: x.std(keepdim=True), "std: got a keyword 'keepdim'; .*instead: keepdims="),
    (lambda: F.attention(x, x, x, dropout_p=0.1), "attention: got a keyword 'dropout_p'; expected query, key, value"),
    (
        lambda: optimizers.Adam(betas=0.9),
        "Adam: got a keyword 'betas'; .*instead: beta1=, beta2=",
    ),
    (lambda: optimizers.Adam(momentum=0.9), r"Adam: got a keyword 'momentum'; .*MomentumSGD\(lr, momentum\)"),
    (lambda: L.Linear(2, 3, bias=x), "Linear: got a keyword 'bias'; .*nobias=True"),
    (lambda: L.BatchNorm2d(3, momentum=0.1), "BatchNormalization: got a keyword 'momentum'; .*decay= is 1 - momentum"),
    (lambda: autolab.nn.Conv2d(1, 2), r"Conv2d: ksize is missing; expected Conv2d\(in_channels, out_channels, ksize\)"),
    (lambda: L.Linear(2, 3, True, None, None, 7), "Linear: got too many arguments; expected at most 5"),
    (lambda: L.Linear(2, in_size=3), "Linear: in_size was given twice"),
    (lambda: F.sum(x).backward(inputs=x), "Variable.backward: got a keyword 'inputs'; expected retain_grad, create"),
    (lambda: grad([lambda x: x * x], x), r"grad: outputs has a function; expected a Variable or a sequence of them"),
]


@each(("call", "message"), KEYWORDS)
def test_keywords_are_answered(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert len(str(caught.value)) <= 300


def _one(x: Any) -> Any:
    return x * x


OTHERS: list[tuple[Callable[[], Any], str]] = [
    (lambda: L.Linear(32, 3)(X), r"linear: .*; flatten images by F.reshape\(x, \(len\(x\), -1\)\) or L.Flatten\(\)$"),
    (lambda: L.Linear(7, 3)(X), r"linear: .* and b \(out,\)$"),
    (lambda: F.softmax_cross_entropy(X, np.array([0])), r"expected t of shape .*; before linear .* L.Flatten\(\)$"),
    (lambda: F.softmax_cross_entropy(X[0, 0], np.array([0])), r"that of x without axis -1$"),
    (lambda: x.repeat(2, 1, 1), r"got 3 arguments; expected repeats, axis; instead: autolab.tile\(x, \(2, 1, 1\)\)"),
    (lambda: autolab.using_config("debug", True), r"no mode 'debug'; .*; instead: with autolab.detect_anomaly\(\):"),
    (lambda: autolab.derivatives(np.sin, x=[2.0, 1.0]), r"one finite number; the ends .* domain=\(low, high\)$"),
    (lambda: autolab.derivatives(x=1.0), r"derivatives: fn is None; expected .*; write derivatives\(f, x=...\)$"),
    (
        lambda: autolab.derivatives(_one, q=1.0),
        r"derivatives: _one\(x.* does not take .* unexpected keyword argument 'q'$",
    ),
    (lambda: autolab.config.update("jax_debug_nans", True), r"no mode 'update'; .*autolab.set_debug\(True\)"),
    (lambda: L.Linear(2, 3, activation="relu"), r"a keyword 'activation'; .*L.Sequential\(layer, F.relu\)$"),
    (lambda: L.Conv2D(1, 2, 3).fit(X), r"has no 'fit'; instead: a loop of loss.backward\(\)"),
    (lambda: autolab.cuda.amp, r"no attribute 'amp'; instead: leave it out"),
    (lambda: autolab.graph(x, x), r"graph: got several values; expected one, .*graph\(y, x=x\)$"),
    (lambda: L.Linear(4, 3)(np.ones(8)), r"linear: .*; flatten images by F.reshape\(x, .* or L.Flatten\(\)$"),
    (lambda: autolab.derivatives(np.sin, x=[]), r"expected one finite number$"),
    (lambda: optimizers.AdamW(weight_decay_rate=0.1), "AdamW: got a keyword 'weight_decay_rate'; .*rate / lr$"),
]


@each(("call", "message"), OTHERS)
def test_other_uses_are_answered(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError), match=message):
        call()


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("from autolab.datasets import split_dataset", r"data.Subset\(dataset, range\(n\)\)"),
        ("from autolab.nn.utils.rnn import pack_padded_sequence", "the padded batch, from pad_sequence"),
        ("from autolab.training.triggers import EarlyStoppingTrigger", r"trainer.extend\(training.EarlyStopping"),
        ("from autolab.cuda.amp import autocast, GradScaler", r"leave it out; model.half\(\)"),
        ("from autolab.amp import autocast", r"leave it out; model.half\(\)"),
        ("from autolab import watch", r"autolab.explore\(f, x=...\)"),
    ],
)
def test_an_import_is_answered(statement: str, answer: str) -> None:
    with pytest.raises(ImportError, match=f"; instead: {answer}"):
        exec(statement)


def test_what_was_answered_runs() -> None:
    assert transforms.grad(lambda x: x * x)(Variable(3.0)).data == 6
    y = x * x
    F.sum(y).backward()
    F.sum(y).backward()  # the graph is still there
    np.testing.assert_array_equal(x.grad.data, 4 * x.data)
    x.cleargrad()


def test_links_and_optimizers_are_copied_and_pickled_as_before() -> None:
    for thing in (L.Linear(2, 3), optimizers.Adam()):
        for twin in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
            assert type(twin) is type(thing)


# ---------------------------------------------------------------------- updates by hand
def test_an_update_that_makes_a_computed_value_is_explained() -> None:
    w, lr = Variable(2.0), 0.1
    (w * w).backward()
    w = w - lr * w.grad
    (w * w).backward()
    with pytest.raises(
        TypeError, match=r"w has no gradient, as it is a computed value now: .* w.data -= lr \* w.grad.data"
    ):
        w = w - lr * w.grad
    with pytest.raises(TypeError, match=r"w has no gradient, as it is a computed value"):
        w -= lr * w.grad


def test_an_assignment_under_no_grad_is_explained() -> None:
    w, lr = Variable(2.0), 0.1
    (w * w).backward()
    with no_grad():
        w = w - lr * w.grad
    with pytest.raises(RuntimeError, match=r"in no_grad, w is such a value: write w -= lr \* w.grad") as caught:
        (w * w).backward()
    assert len(str(caught.value)) <= 300
    with pytest.raises(TypeError, match=r"w has no gradient, as it is a constant now"), no_grad():
        w = w - lr * w.grad


def test_the_update_that_is_shown_goes_on_working() -> None:
    w, lr = Variable(2.0), 0.1
    for _ in range(50):
        w.cleargrad()
        (w * w).backward()
        w.data -= lr * w.grad.data
    assert abs(w.data) < 1e-4


def test_gradients_that_are_not_there_are_none_elsewhere() -> None:
    y = Variable(2.0) * 3
    assert y.grad is None
    z = y - 1.0 if y.grad is None else y - y.grad
    assert z.data == 5
    assert (y - 1, y.grad)[1] is None
    assert [y - 1.0, y.grad][1] is None and {y - 1.0: y.grad}
    leaf = Variable(1.0)
    with pytest.raises(TypeError, match="NoneType"):
        leaf = leaf - 0.1 * leaf.grad


# ---------------------------------------------------------------------- declarations
def test_a_forward_without_xp_is_explained() -> None:
    message = r"cube: its forward takes \(x\); expected xp in front, for NumPy or CuPy: def cube\(xp, x\)"
    for decorator in (elementwise, primitive):
        with pytest.raises(autolab.DeclarationError, match=message):

            @decorator(x=lambda g, x: 3 * g * x * x)
            def cube(x):
                return x * x * x

    with pytest.raises(autolab.DeclarationError, match=r"times: its forward takes \(a, b\)"):

        @elementwise(a=lambda g, b: g * b, b=lambda g, a: g * a)
        def times(a, b):
            return a * b


def test_a_decorator_without_brackets_is_explained() -> None:
    with pytest.raises(
        autolab.DeclarationError, match=r"elementwise: expected a rule for each input, .*@elementwise\(x="
    ):

        @elementwise
        def cube(xp, x):
            return x * x * x
