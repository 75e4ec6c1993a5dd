"""``chainer.computational_graph``"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...recording import graph


class ComputationalGraph:
    """A graph that can be written in the language of Graphviz."""

    def __init__(self, recording: Any) -> None:
        self.recording = recording

    def dump(self, format: str = "dot") -> str:
        """The graph as text; `dot` makes a picture of it."""
        if format != "dot":
            raise NotImplementedError(f"ComputationalGraph.dump: format is {format!r:.60}; expected 'dot'")
        return str(self.recording.to_graphviz().source)


def build_computational_graph(outputs: Sequence[Any], **options: Any) -> ComputationalGraph:
    """The graph behind Variables. ``options`` told Chainer how to draw; AutoLab has a form of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x = chainer.Variable(np.ones(2))
    >>> chainer.computational_graph.build_computational_graph([chainer.functions.exp(x)]).dump()[:7]
    'digraph'
    """
    if len(outputs) != 1:
        raise NotImplementedError(f"build_computational_graph: got {len(outputs)} outputs; expected one")
    return ComputationalGraph(graph(outputs[0]))
