"""MLP and Classifier: small models to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..engine import Variable, a_kind
from ..functions import accuracy, relu, softmax_cross_entropy
from .chain import Chain
from .linear import Linear
from .link import Link
from .reporter import report


class MLP(Chain):
    """A multilayer perceptron: linear layers ``l0``, ``l1`` ... with an activation after each but the last.

    Parameters
    ----------
    sizes : sequence of int
        Output sizes of the layers; the size of the input is taken from the first input.
    activation : callable
        By default `functions.relu`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, functions as F
    >>> L.MLP((10, 1), activation=F.sigmoid)(np.ones((5, 2), np.float32)).shape
    (5, 1)
    """

    def __init__(self, sizes: Sequence[int], activation: Callable[[Any], Any] = relu) -> None:
        if not callable(activation):
            raise TypeError(f"MLP: activation is {activation!r:.60}; expected a function such as functions.relu")
        if not isinstance(sizes, Iterable):
            raise TypeError(
                f"MLP: sizes is {sizes!r:.60}; expected the lengths of the layers' results, such as (100, 10)"
            )
        if not (sizes := tuple(sizes)):
            raise ValueError("MLP: sizes is empty; expected the length of at least one layer's result, such as (10,)")
        super().__init__(**{f"l{i}": Linear(None, size) for i, size in enumerate(sizes)})
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """The result of the last layer for ``x`` of shape ``(batch, in_size)``."""
        *hidden, last = self.children()
        for layer in hidden:
            x = self.activation(layer(x))
        return last(x)


class Classifier(Link):
    """A predictor with a loss; reports ``loss`` and ``accuracy`` of every batch.

    Parameters
    ----------
    predictor : Link
        Maps a batch to one score per class.
    lossfun : callable
        Maps scores and labels to the loss; by default `functions.softmax_cross_entropy`.
    accfun : callable or None
        Maps scores and labels to the accuracy, by default `functions.accuracy`; None reports no accuracy.

    Attributes
    ----------
    y, loss, accuracy
        Scores, loss and accuracy of the last call, detached from the graph; None before the first.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> model = L.Classifier(L.MLP((8, 3)))
    >>> model(np.ones((5, 2), np.float32), np.array([0, 1, 2, 0, 1])).shape
    ()
    """

    def __init__(
        self,
        predictor: Link,
        lossfun: Callable[[Any, Any], Any] = softmax_cross_entropy,
        accfun: Callable[[Any, Any], Any] | None = accuracy,
    ) -> None:
        super().__init__()
        if not isinstance(predictor, Link):
            raise TypeError(f"Classifier: predictor is {a_kind(predictor)}; expected a Link")
        self.predictor = predictor
        self.lossfun, self.accfun = lossfun, accfun
        self.y = self.loss = self.accuracy = None

    _observed = ("y", "loss", "accuracy")

    def forward(self, x: Any, t: Any) -> Any:
        """The loss of the batch ``x`` with the labels ``t``."""
        y = self.predictor(x)
        loss = self.lossfun(y, t)
        observed = {"loss": loss}
        if self.accfun is not None:
            observed["accuracy"] = self.accfun(y, t)
        found = {"accuracy": None, **observed, "y": y}
        own = {name: value.detach() if isinstance(value, Variable) else value for name, value in found.items()}
        vars(self).update(own)  # faster than `setattr`, which looks for parameters
        report(observed, self)
        return loss
