"""The output of every unit of a small network over the plane of its two features, and its decision boundary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..engine import as_array, as_variable, no_grad, using_config
from ..links import Linear, Link
from .model_state import ModelState, layers

SIDE = 32
"""Grid points of a picture along each feature."""

_MARGIN = 0.15
"""How far the pictures extend beyond the examples, as a fraction of their range."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of one `Linear` layer, or the features: their pictures, weights and biases.

    Parameters
    ----------
    name : str
        Name of the layer; empty for the features.
    pictures : numpy.ndarray
        The output of each unit, after its activation, at every grid point, of shape ``(units, SIDE, SIDE)``; the first
        row is the top of the picture.
    weights, bias : numpy.ndarray
        Of shapes ``(units, units of the previous layer)`` and ``(units,)``; empty for the features.
    weight_gradients, bias_gradients : numpy.ndarray or None
        Their gradients; None where there were none.
    """

    name: str
    pictures: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    weight_gradients: np.ndarray | None = None
    bias_gradients: np.ndarray | None = None


class DecisionBoundary:
    """Pictures of what a network computes over the plane of its features, after any update whose state was kept.

    It evaluates a copy of the model, so that training is not disturbed.

    Parameters
    ----------
    model : Link
        A network that calls its `Linear` layers one after the other, on examples of two features; of a `Classifier`
        the predictor is used.
    x : array
        Examples of shape ``(n, 2)``.
    t : array of integers
        Their classes, of shape ``(n,)`` or ``(n, 1)``.

    Raises
    ------
    ValueError
        If the shapes do not fit, a feature is not finite, or the model has buffers.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, optimizers
    >>> from autolab.training import Monitor
    >>> from autolab.training.boundary import DecisionBoundary
    >>> x, t = np.eye(2, dtype=np.float32), np.arange(2)
    >>> model = L.Classifier(L.MLP((3, 2)))
    >>> optimizer, monitor = optimizers.SGD(1.0).setup(model), Monitor(model)
    >>> monitor.update(loss=optimizer.update(model, x, t))
    >>> [units.pictures.shape for units in DecisionBoundary(model, x, t).at(monitor.states[-1])]
    [(2, 32, 32), (3, 32, 32), (2, 32, 32)]
    """

    def __init__(self, model: Link, x: Any, t: Any) -> None:
        self.x, self.t = np.asarray(as_array(x, "boundary: x")), np.asarray(as_array(t, "boundary: t"))
        if self.x.ndim != 2 or self.x.shape[1] != 2 or not len(self.x) or not np.isfinite(self.x).all():
            raise ValueError(f"boundary: x has shape {self.x.shape}; expected finite examples of shape (n, 2)")
        if self.t.shape not in ((len(self.x),), (len(self.x), 1)) or self.t.dtype.kind not in "iub":
            raise ValueError(
                f"boundary: t has shape {self.t.shape} and dtype {self.t.dtype}; expected {len(self.x)} integers"
            )
        self.t = self.t.reshape(-1).astype(int)
        kept = [name for link in model.links() for name, _ in link._own("buffer")]
        if kept:
            raise ValueError(f"boundary: the model has the buffer {kept[0]}, which past states do not include")
        self._model = model
        low, high = self.x.min(axis=0).astype(float), self.x.max(axis=0).astype(float)
        margin = _MARGIN * np.where(high > low, high - low, 1.0)
        self.low, self.high = low - margin, high + margin
        across, up = [np.linspace(self.low[i], self.high[i], SIDE) for i in range(2)]
        plane = np.stack(np.meshgrid(across, up[::-1]), axis=-1).reshape(-1, 2)
        self._plane = plane.astype(self.x.dtype if self.x.dtype.kind == "f" else np.float32)

    def at(self, state: ModelState) -> list[Units]:
        """The features, and the units of each layer, after the update whose state is given.

        Raises
        ------
        ValueError
            If the layers do not form a chain, or the state holds only reduced copies of their arrays.
        """
        twin = self._copy_at(state)
        calls, result = self._run(twin)
        named = {id(layer.link): layer for layer in layers(twin)}
        found = [Units("", _pictures(self._plane), np.empty((2, 0)), np.empty(2))]
        handed = [array for _, array in calls[1:]] + [result]
        for (link, array), after in zip(calls, handed, strict=True):
            units, before = link.W.shape
            if array.shape[1:] != (before,) or before != len(found[-1].pictures) or after.shape != (SIDE**2, units):
                raise ValueError("its Linear layers are not one chain, so it cannot be drawn unit by unit")
            paths = {id(parameter): path for path, parameter in named[id(link)].params}
            W, b = paths[id(link.W)], paths.get(id(link.b), "")
            bias = state.values[b].values if b else np.zeros(units)
            gradients = [None if g is None else g.values for g in (state.gradients[W], state.gradients.get(b))]
            found.append(Units(named[id(link)].name, _pictures(after), state.values[W].values, bias, *gradients))
        return found

    def _run(self, twin: Link) -> tuple[list[tuple[Linear, np.ndarray]], np.ndarray]:
        """Evaluate the plane: each `Linear` with its input, in the order of the calls, and the result."""
        self._calls: list[tuple[Linear, np.ndarray]] = []
        with no_grad(), using_config("train", False):
            result = np.asarray(getattr(twin, "predictor", twin)(as_variable(self._plane)).array)
        if not self._calls:
            raise ValueError("it has no Linear layer, so it cannot be drawn unit by unit")
        return self._calls, result

    def _copy_at(self, state: ModelState) -> Link:
        """A copy of the model with the parameters of a state."""
        twin = self._model.copy("copy")  # a new copy each time: a layer or an activation may have been replaced
        for link in twin.links():
            if isinstance(link, Linear):
                link.__dict__["forward"] = partial(self._heard, link)
        parameters = dict(twin.namedparams())
        if gone := state.values.keys() - parameters:
            raise ValueError(f"the model no longer has {min(gone)}, which it had then")
        for path, parameter in parameters.items():
            kept = state.values.get(path)
            if kept is None or not kept.is_whole:
                raise ValueError(f"{path} is too large to be kept whole, or has no numbers yet")
            parameter.data = kept.values
        return twin

    def _heard(self, link: Linear, x: Any) -> Any:
        """`Linear.forward`, which also records its input."""
        self._calls.append((link, np.asarray(getattr(x, "array", x))))
        return type(link).forward(link, x)


def _pictures(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values.T).reshape(-1, SIDE, SIDE)


def parting(outputs: np.ndarray) -> np.ndarray:
    """What decides between the classes: for two classes a number that is 0 at the boundary, for more the class.

    The number is a single output itself, or the second of two minus the first; the class is that of the largest output.

    Parameters
    ----------
    outputs : numpy.ndarray
        Of shape ``(outputs, ...)``.

    Examples
    --------
    >>> import numpy as np
    >>> parting(np.array([[1.0, 2.0], [3.0, 1.0]])).tolist(), parting(np.eye(3)).tolist()
    ([2.0, -1.0], [0, 1, 2])
    """
    if len(outputs) > 2:
        found: np.ndarray = outputs.argmax(axis=0)
        return found
    return outputs[0] if len(outputs) == 1 else outputs[1] - outputs[0]
