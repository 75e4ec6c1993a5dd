"""Graphs as DOT text, Variables in orange and functions in blue, as DeZero draws them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from ...engine.creator import input_nodes, nodes_below
from ...engine.multi_output import MultiOutputNode, OutputNode
from ...engine.node import Node
from ...engine.primitive import Primitive
from ...shared.files import write
from ...views.export.pictures import literal
from .. import missing
from ._variable import Variable, named

_CLASSES = {"relu": "ReLU", "leaky_relu": "LeakyReLU", "matmul": "MatMul", "getitem": "GetItem"}
"""DeZero's classes whose names are not those of AutoLab's functions in capitals."""

Kind = tuple[tuple[int, ...], Any]


def get_dot_graph(output: Variable, verbose: bool = True) -> str:
    """The graph of ``output`` in the language of Graphviz.

    Parameters
    ----------
    output : Variable
    verbose : bool
        Add shapes and dtypes to the names.

    Notes
    -----
    Arrays and numbers stand there without a label: the graph keeps of them what gradients need.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Variable, utils
    >>> x = Variable(np.array(1.0), name="x")
    >>> print(utils.get_dot_graph(x * x, verbose=False))
    digraph g {
    0 [label="", color=orange, style=filled]
    1 [label="Mul", color=lightblue, style=filled, shape=box]
    1 -> 0
    2 -> 1
    2 -> 1
    2 [label="x", color=orange, style=filled]
    }
    """
    return "digraph g {\n" + "".join([f"{line}\n" for line in _Drawing(output, verbose).lines()]) + "}"


class _Drawing:
    def __init__(self, output: Variable, verbose: bool) -> None:
        self._output, self._verbose = output, verbose
        self._ids: dict[Any, int] = {}
        self._kinds: dict[Node, Kind] = {}
        self._names = {v.node: v.name for v in list(named.values()) if v.node is not None}

    def lines(self) -> Iterator[str]:
        root, name = self._output.node, self._output.name
        if root is None:
            yield self._variable("output", name, (self._output.shape, self._output.dtype))
            return
        self._kinds[root] = self._output.shape, self._output.dtype
        for node in sorted(nodes_below(root), key=lambda node: -node.order):
            if not _is_function_alone(node):
                yield self._variable(node, self._names.get(node), self._kinds.get(node))
            if node.order:
                yield from self._function(node)

    def _function(self, node: Node) -> Iterator[str]:
        """A function with its edges; of one with several results it is drawn with the last of them."""
        for edge in node.edges:
            self._kinds.setdefault(edge.parent, edge.fit or self._kinds.get(node, ((), None)))
        if isinstance(node, OutputNode):
            yield f"{self._id(('f', node.parent))} -> {self._id(node)}"
            return
        me = self._id(("f", node))
        yield f'{me} [label="{_text(_class_of(node.function))}", color=lightblue, style=filled, shape=box]'
        if not _is_function_alone(node):
            yield f"{me} -> {self._id(node)}"
        for i, parent in enumerate(input_nodes(node)):
            if parent is None:
                yield self._variable((node, i), None, None)
            yield f"{self._id((node, i) if parent is None else parent)} -> {me}"

    def _variable(self, key: Any, name: str | None, kind: Kind | None) -> str:
        label = name or ""
        if self._verbose and kind is not None:
            label += (": " if name else "") + f"{kind[0]} {kind[1]}"
        return f'{self._id(key)} [label="{_text(label)}", color=orange, style=filled]'

    def _id(self, key: Any) -> int:
        return self._ids.setdefault(key, len(self._ids))


def _is_function_alone(node: Node) -> bool:
    """Whether it stands for no Variable: each of several results has a node of its own above."""
    return isinstance(node, MultiOutputNode) and len(node.kinds) > 1


def _text(label: str) -> str:
    """A label between quotes: what users named can end neither the label nor the line."""
    return literal(label).replace('"', '\\"').replace("\n", " ")


def _class_of(function: Any) -> str:
    name = function.name
    return _CLASSES.get(name, name.title().replace("_", "")) if isinstance(function, Primitive) else name


def plot_dot_graph(output: Variable, verbose: bool = True, to_file: str = "graph.png") -> Any:
    """Draw the graph of ``output`` into a file, whose extension says how: png, pdf, svg.

    In a notebook the picture is returned, too.

    Raises
    ------
    RuntimeError
        If Graphviz's program ``dot`` is not installed. `autolab.graph` needs none.
    """
    from graphviz import ExecutableNotFound, Source

    kind = os.path.splitext(to_file)[1][1:]
    try:
        picture = Source(get_dot_graph(output, verbose)).pipe(format=kind or "png")
    except ExecutableNotFound:
        raise RuntimeError(
            "plot_dot_graph: Graphviz's program dot is not installed; autolab.graph(y).save('graph.svg') needs none"
        ) from None
    write(to_file, picture)
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None or kind not in ("png", "svg", "jpg", "jpeg", "gif"):
        return None
    from IPython import display

    return display.SVG(picture) if kind == "svg" else display.Image(picture)


__getattr__ = missing(__name__)
