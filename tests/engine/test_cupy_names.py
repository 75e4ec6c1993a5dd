"""The stand-in for CuPy has what CuPy has and no more, and AutoLab asks CuPy for nothing else."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import cupy_names, strict_array, strict_module
from helpers.strict_module import cupy as xp
from helpers.strict_module import installed

import autolab
from autolab import to_gpu

PACKAGE = Path(autolab.__file__).parent
PATTERN = "function"
"""Stands for any function in `numpy_protocol.py`, which compares a forward's code with that of a mere call."""


def chain(node: ast.AST) -> list[str]:
    """``xp.linalg.norm`` and ``self.xp.linalg.norm`` as ``["linalg", "norm"]``; nothing for all else."""
    names = list[str]()
    while isinstance(node, ast.Attribute) and node.attr != "xp":
        names.insert(0, node.attr)
        node = node.value
    is_module = (isinstance(node, ast.Name) and node.id == "xp") or isinstance(node, ast.Attribute)
    return names if is_module else []


def refusals(source: str) -> Iterator[str]:
    """What a module asks of ``xp`` that CuPy lacks, or would not take."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from _unknown(chain(node))
        if isinstance(node, ast.Call) and chain(node.func):
            yield from _refused(chain(node.func), node)


def _unknown(names: list[str]) -> Iterator[str]:
    for i, name in enumerate(names):
        owner = ".".join(names[:i])
        if owner not in cupy_names.SPACES + cupy_names.CLASSES:
            continue
        if name not in cupy_names.names(owner) and not name.startswith("__") and name != PATTERN:
            yield f"CuPy has no {'.'.join(names)}"


def _refused(names: list[str], call: ast.Call) -> Iterator[str]:
    owner, name = ".".join(names[:-1]), names[-1]
    open_ended = any([isinstance(a, ast.Starred) for a in call.args]) or any([k.arg is None for k in call.keywords])
    if open_ended or owner not in cupy_names.SPACES or name not in cupy_names.names(owner):
        return
    try:
        cupy_names.checked(owner, name, tuple(call.args), {k.arg: k.value for k in call.keywords if k.arg})
    except TypeError as error:
        yield f"line {call.lineno}: {error}"


def test_cupy_has_all_that_is_asked_of_it() -> None:
    found = {str(module): list(refusals(module.read_text("utf-8"))) for module in sorted(PACKAGE.rglob("*.py"))}
    assert {module: asked for module, asked in found.items() if asked} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("xp.insert(x, 0, 1)", ["CuPy has no insert"]),
        ("y = self.xp.linalg.multi_dot", ["CuPy has no linalg.multi_dot"]),
        ("xp.sum(x, where=m)", ["line 1: cupy.sum(): got an unexpected keyword argument 'where'"]),
        ("self.xp.linalg.svd(x, hermitian=True)", ["line 1: cupy.linalg.svd(): got an unexpected keyword"]),
        ("xp.take_along_axis(x, i)", ["line 1: cupy.take_along_axis(): missing a required argument: 'axis'"]),
        ("xp.add.at(x, i, g); xp.linalg.svd(x, full_matrices=False); np.insert(x, 0, 1); f(xp, *xp.meshgrid(x))", []),
    ],
)
def test_what_cupy_lacks_is_found_in_a_source(source: str, found: list[str]) -> None:
    assert [text[: len(start)] for text, start in zip(refusals(source), found, strict=True)] == found


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: xp.geomspace, AttributeError),
        (lambda x: xp.linalg.svdvals, AttributeError),
        (lambda x: x.setflags, AttributeError),
        (lambda x: xp.max(x, where=x > 0), TypeError),
        (lambda x: x.sum(initial=1.0), TypeError),
        (lambda x: xp.argsort(x, stable=True), TypeError),
        (lambda x: xp.asarray(x, like=x), TypeError),
        (lambda x: xp.exp(x, where=x > 0), TypeError),
        (lambda x: xp.einsum("i->", x, order="C"), TypeError),
        (lambda x: xp.random.Generator(xp.random.Philox4x3210(1)).normal(), AttributeError),
    ],
)
def test_the_stand_in_refuses_what_cupy_does(call: Callable[[Any], Any], error: type[Exception]) -> None:
    with installed():
        x = to_gpu(np.ones(3))
        with pytest.raises(error):
            call(x)


def test_the_stand_in_has_nothing_that_cupy_lacks() -> None:
    spaces = {"": xp, "linalg": xp.linalg, "cuda": xp.cuda, "cuda.runtime": xp.cuda.runtime, "random": xp.random}
    for space, module in spaces.items():
        assert _public(vars(module)) <= set(cupy_names.names(space)), space
    classes = {
        "ndarray": strict_array.ndarray,
        "random.Generator": strict_module.Generator,
        "cuda.Device": strict_module.Device,
        "cuda.Event": strict_module.Event,
        "cuda.MemoryPool": strict_module.Pool,
    }
    for name, kind in classes.items():
        methods = {member: value for member, value in vars(kind).items() if callable(value) or type(value) is property}
        assert _public(methods) <= set(cupy_names.names(name)), name


def _public(members: Any) -> set[str]:
    return {name for name in members if not name.startswith("_")}


needs_cupy = pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="needs CuPy, but no driver")


@needs_cupy
def test_the_list_is_of_this_cupy() -> None:
    import cupy

    found = cupy_names.read(cupy)
    if found["source"] != cupy_names.source():
        pytest.skip(f"the list is of {cupy_names.source()}, here is {found['source']}")
    for owner, members in found["names"].items():  # a module may have more, when others of CuPy's were used
        assert cupy_names.names(owner).items() <= members.items(), owner
