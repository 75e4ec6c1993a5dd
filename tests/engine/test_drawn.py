"""matplotlib draws Variables: it gets their values, as it does of arrays. Nobody else is given them silently."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import DetachError, Variable

matplotlib = pytest.importorskip("matplotlib")

X = np.linspace(0.1, 1, 5)
PICTURE = np.random.default_rng(0).uniform(size=(4, 4))


@pytest.fixture
def ax() -> Iterator[Any]:
    from matplotlib.figure import Figure

    yield Figure().add_subplot()


DRAWINGS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "plot": lambda ax, x, y, p: ax.plot(x, y),
    "plot without x": lambda ax, x, y, p: ax.plot(y),
    "plot of a list of losses": lambda ax, x, y, p: ax.plot([y[0], y[1], y[2]]),
    "several lines": lambda ax, x, y, p: ax.plot(x[:4], p),
    "scatter": lambda ax, x, y, p: ax.scatter(x, y, c=y, s=100 * y),
    "imshow": lambda ax, x, y, p: ax.imshow(p, vmin=0, vmax=2),
    "hist": lambda ax, x, y, p: ax.hist(y, bins=3),
    "hist with weights": lambda ax, x, y, p: ax.hist(X, weights=y),
    "bar": lambda ax, x, y, p: ax.bar(x, y, width=0.1),
    "bars with names": lambda ax, x, y, p: ax.bar(list("abcde"), y),
    "barh": lambda ax, x, y, p: ax.barh(x, y),
    "errorbar": lambda ax, x, y, p: ax.errorbar(x, y, yerr=y / 10),
    "fill_between": lambda ax, x, y, p: ax.fill_between(x, y, y + 1),
    "step": lambda ax, x, y, p: ax.step(x, y),
    "semilogy": lambda ax, x, y, p: ax.semilogy(x, y),
    "contourf": lambda ax, x, y, p: ax.contourf(p),
    "pcolormesh": lambda ax, x, y, p: ax.pcolormesh(p),
    "quiver": lambda ax, x, y, p: ax.quiver(x, y, x, y),
    "boxplot": lambda ax, x, y, p: ax.boxplot(y),
    "stackplot": lambda ax, x, y, p: ax.stackplot(x, y, y),
    "axhline and limits": lambda ax, x, y, p: (ax.axhline(y[0]), ax.set_xlim(y[0], y[4])),
    "text": lambda ax, x, y, p: ax.text(y[0], y[1], "here"),
}


def _drawn(ax: Any) -> np.ndarray:
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba()).copy()


@each("name", DRAWINGS)
def test_a_drawing_is_that_of_the_values(name: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    pictures = []
    for wrapped in (lambda a: Variable(a) * 1.0, lambda a: a):
        figure = Figure(figsize=(2, 2), dpi=40)
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        DRAWINGS[name](axes, wrapped(X), wrapped(X * X), wrapped(PICTURE))
        pictures.append(_drawn(axes))
    np.testing.assert_array_equal(*pictures)
    assert len(np.unique(pictures[0])) > 2


def test_others_are_still_refused(ax: Any) -> None:
    y = Variable(X) * 2
    ax.plot(y)
    with pytest.raises(DetachError):
        np.asarray(y)
    array = np.zeros(5)
    with pytest.raises((DetachError, ValueError)):
        array[0] = y[0]
    with pytest.raises(DetachError):
        np.ma.masked_array(y)
