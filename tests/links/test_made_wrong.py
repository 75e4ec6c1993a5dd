"""Links, optimizers and hooks that are made with wrong arguments say so by their public names."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Link, Parameter, observe, optimizers
from autolab import links as L


class Scale(Link):
    """One of a user's own."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.w = Parameter(np.ones(size))


OPTIONAL = {"Chain", "ChainList", "Dropout"} | {
    f"{kind}Normalization" for kind in ("Batch", "Instance", "Layer", "RMS")
}
WITHOUT = [
    *[getattr(L, name) for name in L.__all__ if name not in OPTIONAL],
    *[optimizers.Optimizer, optimizers.WeightDecay, optimizers.Lasso, optimizers.GradientClipping],
    *[optimizers.GradientNoise, Scale],
]


@each("made", [m for m in WITHOUT if m not in (L.Link, L.Sequential)], ids=lambda m: m.__name__)
def test_without_arguments_the_first_that_is_missing_is_named(made: Any) -> None:
    name = made.__name__
    with pytest.raises(TypeError, match=rf"^{name}: \w+ is missing; expected {name}\(\w+(, \w+)*\)$"):
        made()


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: L.Conv2D(1, out_channels=2), TypeError, r"Conv2D: ksize is missing; expected Conv2D\(in_channels, out_ch"),
    (lambda: L.Conv2D(1, 2, 3, stride=0), ValueError, "Conv2D: stride is 0; expected an integer of at least 1, or 2"),
    (lambda: L.Conv2D(1, 2, 3, stride="x"), ValueError, "Conv2D: stride is 'x'; expected an integer"),
    (lambda: L.Conv2D(1, 2, 3, pad=-1), ValueError, "Conv2D: pad is -1; expected an integer of at least 0"),
    (lambda: L.Conv2D(1, 2, 3, pad=(1, 2, 3)), ValueError, r"Conv2D: pad is \(1, 2, 3\)"),
    (lambda: L.Conv2D(1, 2, 3, dilate=1.5), ValueError, "Conv2D: dilate is 1.5"),
    (lambda: L.Conv1D(1, 2, 3, stride=(1, 1)), ValueError, r"Conv1D: stride is \(1, 1\); .* at least 1$"),
    (lambda: L.Conv1D(1, 2, (3, 3)), ValueError, r"Conv1D: ksize is \(3, 3\)"),
    (lambda: L.Linear(2, 3, initialW="he"), TypeError, "initializer of a parameter is 'he'; expected one such as"),
    (lambda: L.Dropout(None), ValueError, "Dropout: ratio is None; expected a number of at least 0"),
    (lambda: L.RNN(3, 4, activation=3), TypeError, "RNNCell: activation is 3; expected a function"),
    (lambda: optimizers.WeightDecay(0.1, 0.2), TypeError, "WeightDecay: got too many arguments"),
    (lambda: optimizers.GradientClipping(rate=1.0), TypeError, "GradientClipping: got a keyword 'rate'"),
]


@each(("make", "error", "message"), WRONG)
def test_a_wrong_argument_is_named(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        make()
    assert "__init__" not in str(caught.value)


def test_a_kernel_may_be_a_list() -> None:
    assert L.Conv2D(1, 2, [3, 2], pad=[1, 0])(np.ones((1, 1, 4, 4), np.float32)).shape == (1, 2, 4, 3)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_made_with_arguments_is_copied_without(protocol: int) -> None:
    made = Scale(3), L.Conv2D(1, 2, 3), optimizers.SGD(0.5), optimizers.WeightDecay(0.1)
    for one in made:
        for twin in (pickle.loads(pickle.dumps(one, protocol)), copy.copy(one), copy.deepcopy(one)):
            assert type(twin) is type(one) and vars(twin).keys() == vars(one).keys()
    assert pickle.loads(pickle.dumps(made[0], protocol)).w.shape == (3,)


CALLED: list[tuple[Callable[[], Any], str]] = [
    (lambda: L.Linear(3, 2)(), r"^Linear: x is missing; expected a call with \(x\)$"),
    (lambda: L.LSTM(3, 2)(), r"^LSTM: x is missing"),
    (lambda: L.Classifier(L.Linear(3, 2))(np.ones(3)), r"^Classifier: t is missing; expected a call with \(x, t\)$"),
    (lambda: L.Linear(3, 2)(1.0, 2.0), "^Linear: got too many arguments; expected at most 1: x$"),
    (lambda: L.Linear(3, 2)(y=1.0), "^Linear: got a keyword 'y'; expected x$"),
    (lambda: L.Sequential(L.Linear(3, 2))(), "^Linear: x is missing"),
]


@each(("call", "message"), CALLED)
@each("watched", [False, True])
def test_a_call_with_wrong_arguments_is_told_in_the_links_words(
    call: Callable[[], Any], message: str, watched: bool
) -> None:
    with pytest.raises(TypeError, match=message), observe(lambda event: None) if watched else nullcontext():
        call()


def test_a_type_error_inside_a_forward_stays_as_it_is() -> None:
    class Wrong(Link):
        def forward(self, x: Any) -> Any:
            return len(x, x)  # type: ignore[call-arg]

    with pytest.raises(TypeError, match=r"^len\(\) takes exactly one argument"):
        Wrong()(1.0)
