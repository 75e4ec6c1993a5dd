"""Graphs as DOT text with a box for each Variable and each function, as Chainer and DeZero draw them."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from itertools import count
from typing import Any

from ..engine import MultiOutputNode, Node, OutputNode, Primitive, Variable
from ..engine.creator import input_nodes, nodes_below
from ..recording import Recording
from ..recording.graph import graph_named
from ..views.export.pictures import literal

_CLASSES = {"relu": "ReLU", "leaky_relu": "LeakyReLU", "matmul": "MatMul", "getitem": "GetItem"}
"""Classes whose names are not those of AutoLab's functions in capitals."""


def dot_text(outputs: Sequence[Variable], verbose: bool = True) -> str:
    """The graph that computed some Variables, in Graphviz's DOT language.

    With ``verbose``, names of Variables are followed by shape and dtype. Arrays and numbers have no label: the graph
    keeps only what gradients need of them.
    """
    kinds: dict[Any, Any] = {y.node: (y.shape, y.dtype) for y in outputs}
    lines = _drawn(_nodes(outputs), kinds, verbose)
    alone = [y for y in outputs if y.node is None]
    lines += [_variable(-1 - i, y.name, (y.shape, y.dtype), verbose) for i, y in enumerate(alone)]
    return "\n".join(["digraph g {", *lines, "}"])


def _nodes(outputs: Sequence[Variable]) -> list[Node]:
    return sorted({node for y in outputs if y.node for node in nodes_below(y.node)}, key=lambda node: node.order)


def named(nodes: Sequence[Node]) -> list[tuple[str, Variable]]:
    """The named Variables of a graph that the program still holds."""
    return [(v.name, v) for v in gc.get_referrers(*nodes) if isinstance(v, Variable) and v.name]


def graph_with_names(output: Variable) -> Recording:
    """The graph of a Variable as AutoLab draws it, with the names of all Variables in it."""
    return graph_named(output, named(_nodes([output])))


def _drawn(nodes: list[Node], kinds: dict[Node, Any], verbose: bool) -> list[str]:
    """One line per box and per arrow. A node's Variable has an even number, its function the next one."""
    lines: list[str] = []
    numbers, constants = {node: 2 * i for i, node in enumerate(nodes)}, count(2 * len(nodes))
    for node in reversed(nodes):
        own, function = numbers[node], numbers[node] + 1
        has_many = isinstance(node, MultiOutputNode) and len(node.kinds) > 1  # each of which has a node above
        for edge in node.edges:
            kinds.setdefault(edge.parent, edge.fit or kinds.get(node, ((), None)))
        if not has_many:
            lines.append(_variable(own, getattr(node, "name", None), kinds.get(node), verbose))
        if isinstance(node, OutputNode):
            lines.append(f"{numbers[node.parent] + 1} -> {own}")
        elif node.order:
            label = label_text(_class_of(node.function))
            lines.append(f'{function} [label="{label}", color=lightblue, style=filled, shape=box]')
            lines += [] if has_many else [f"{function} -> {own}"]
            for parent in input_nodes(node):
                number = next(constants) if parent is None else numbers[parent]
                lines += [_variable(number, None, None, verbose)] if parent is None else []
                lines.append(f"{number} -> {function}")
    return lines


def _variable(number: int, name: str | None, kind: Any, verbose: bool) -> str:
    shown = [name or "", f"{kind[0]} {kind[1]}" if verbose and kind is not None else ""]
    return f'{number} [label="{label_text(": ".join(filter(None, shown)))}", color=orange, style=filled]'


def label_text(label: str) -> str:
    """A quoted label, escaped so that a user's name can end neither the label nor the line."""
    return literal(label).replace('"', '\\"').replace("\n", " ")


def _class_of(function: Any) -> str:
    name = function.name
    return _CLASSES.get(name, name.title().replace("_", "")) if isinstance(function, Primitive) else name
