"""Graphs as DOT text, Variables in orange and functions in blue, as DeZero draws them."""

from __future__ import annotations

import gc
from itertools import count
from pathlib import Path
from typing import Any

from ...engine.creator import input_nodes, nodes_below
from ...engine.multi_output import MultiOutputNode, OutputNode
from ...engine.node import Node
from ...engine.primitive import Primitive
from ...recording import graph
from ...shared.files import write
from ...views.export.pictures import literal
from .. import missing
from ._variable import Variable

_CLASSES = {"relu": "ReLU", "leaky_relu": "LeakyReLU", "matmul": "MatMul", "getitem": "GetItem"}
"""DeZero's classes whose names are not those of AutoLab's functions in capitals."""


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
    2 [label="", color=orange, style=filled]
    3 [label="Mul", color=lightblue, style=filled, shape=box]
    3 -> 2
    0 -> 3
    0 -> 3
    0 [label="x", color=orange, style=filled]
    }
    """
    own_kind: Any = (output.shape, output.dtype)
    if output.node is None:
        lines = [_variable(0, output.name, own_kind, verbose)]
    else:
        lines = _drawn(nodes_below(output.node), {output.node: own_kind}, verbose)
    return "\n".join(["digraph g {", *lines, "}"])


def _drawn(nodes: list[Node], kinds: dict[Node, Any], verbose: bool) -> list[str]:
    """A line for each box and each arrow. A node's Variable has an even number, its function the next one."""
    lines: list[str] = []
    names = {v.node: v.name for v in gc.get_referrers(*nodes) if isinstance(v, Variable)}
    numbers, constants = {node: 2 * i for i, node in enumerate(nodes)}, count(2 * len(nodes))
    for node in reversed(nodes):
        own, function = numbers[node], numbers[node] + 1
        has_many = isinstance(node, MultiOutputNode) and len(node.kinds) > 1  # each of which has a node above
        for edge in node.edges:
            kinds.setdefault(edge.parent, edge.fit or kinds.get(node, ((), None)))
        if not has_many:
            lines.append(_variable(own, names.get(node), kinds.get(node), verbose))
        if isinstance(node, OutputNode):
            lines.append(f"{numbers[node.parent] + 1} -> {own}")
        elif node.order:
            label = _text(_class_of(node.function))
            lines.append(f'{function} [label="{label}", color=lightblue, style=filled, shape=box]')
            lines += [] if has_many else [f"{function} -> {own}"]
            for parent in input_nodes(node):
                number = next(constants) if parent is None else numbers[parent]
                lines += [_variable(number, None, None, verbose)] if parent is None else []
                lines.append(f"{number} -> {function}")
    return lines


def _variable(number: int, name: str | None, kind: Any, verbose: bool) -> str:
    shown = [name or "", f"{kind[0]} {kind[1]}" if verbose and kind is not None else ""]
    return f'{number} [label="{_text(": ".join(filter(None, shown)))}", color=orange, style=filled]'


def _text(label: str) -> str:
    """A label between quotes: what users named can end neither the label nor the line."""
    return literal(label).replace('"', '\\"').replace("\n", " ")


def _class_of(function: Any) -> str:
    name = function.name
    return _CLASSES.get(name, name.title().replace("_", "")) if isinstance(function, Primitive) else name


def plot_dot_graph(output: Variable, verbose: bool = True, to_file: str = "graph.png") -> Any:
    """Draw the graph of ``output`` into a file, whose extension says how: png, pdf, svg.

    In a notebook the picture is shown, too. Where Graphviz's program ``dot`` is not installed, AutoLab draws its own
    picture into an SVG file and says so.
    """
    from graphviz import ExecutableNotFound, Source

    source, path = Source(get_dot_graph(output, verbose)), Path(to_file)
    try:
        write(path, source.pipe(format=path.suffix[1:] or "png"))
    except ExecutableNotFound:
        path = path.with_suffix(".svg")
        drawn = graph(output)
        drawn.save(path)
        print(f"plot_dot_graph: Graphviz's program dot is not installed; {path} is AutoLab's own picture")
        return drawn
    return source


__getattr__ = missing(__name__)
