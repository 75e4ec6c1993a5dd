"""``chainer.computational_graph``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dot import dot_text


class ComputationalGraph:
    """A graph that can be written in Graphviz's DOT language."""

    def __init__(self, outputs: Sequence[Any]) -> None:
        self._text = dot_text(outputs)

    def dump(self, format: str = "dot") -> str:
        """The graph as text, which the program ``dot`` turns into a picture."""
        if format != "dot":
            raise NotImplementedError(f"ComputationalGraph.dump: format is {format!r:.60}; expected 'dot'")
        return self._text


def build_computational_graph(outputs: Sequence[Any], **options: Any) -> ComputationalGraph:
    """The graph that computed Variables, which are orange; functions are blue, whatever Chainer's ``..._style`` says.

    Raises
    ------
    NotImplementedError
        If there are other options.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x = chainer.Variable(np.ones(2), name="x")
    >>> print(chainer.computational_graph.build_computational_graph([chainer.functions.exp(x)]).dump())
    digraph g {
    2 [label="(2,) float64", color=orange, style=filled]
    3 [label="Exp", color=lightblue, style=filled, shape=box]
    3 -> 2
    0 -> 3
    0 [label="x: (2,) float64", color=orange, style=filled]
    }
    """
    usual = {"remove_variable": False, "show_name": True, "rankdir": "TB"}
    if others := [name for name, one in options.items() if not name.endswith("_style") and one != usual.get(name)]:
        raise NotImplementedError(f"build_computational_graph: {others[0]:.60} is not part of AutoLab's chainer facade")
    return ComputationalGraph(outputs)
