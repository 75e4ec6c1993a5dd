"""Modules: the names of their parameters, and their calls as scopes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.modules import module as torch_module
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

from ...engine.configuration import Mark, named_scope
from ...engine.modes import modes
from ..needed import UnsupportedError

_HOOKS = ("_backward_hooks", "_backward_pre_hooks")


class ModuleNames:
    """The names of parameters, buffers and modules: ``fc1.weight``, or ``net.fc1.weight`` for a module ``net`` that the
    recorded function uses."""

    def __init__(self, module: Module | None, arguments: Mapping[str, Module]) -> None:
        self._modules: dict[int, str] = {}
        self._tensors: dict[int, str] = {}
        self._held: list[Module] = []
        self.buffers: list[tuple[Tensor, Tensor]] = []  # with their values before the module ran
        if module is not None:
            self.add("", module)
        for name, argument in arguments.items():
            self.add(name, argument)

    def add(self, name: str, module: Module) -> None:
        """Register the names in a module that is itself called ``name``."""
        refuse_hooks(module)
        self._held.append(module)
        prefix = f"{name}." if name else ""
        for key, inner in module.named_modules():
            self._modules.setdefault(id(inner), prefix + key if key else name)
        for key, tensor in [*module.named_parameters(), *module.named_buffers()]:
            self._tensors.setdefault(id(tensor), prefix + key)
        self.buffers += [(buffer, buffer.clone()) for buffer in module.buffers()]

    def of_module(self, module: Module) -> str | None:
        """The name of a module; None if it is not known."""
        return self._modules.get(id(module))

    def of_tensor(self, tensor: Tensor) -> str | None:
        """The name of a parameter or buffer; None for any other tensor."""
        return self._tensors.get(id(tensor))


def refuse_hooks(module: Module) -> None:
    """Raise if a hook could change gradients on their way."""
    for owner, inner in [("", None), *module.named_modules()]:
        kinds = [getattr(inner, kind, None) for kind in _HOOKS]
        if inner is None:
            kinds = [getattr(torch_module, f"_global{kind}", None) for kind in _HOOKS]
        if any(kinds):
            what = f"module {owner!r:.60}" if owner else type(module).__name__
            raise UnsupportedError(f"record: {what} has a backward hook, which may change gradients; remove the hook")


class _ModuleCall(named_scope):
    """The scope of one call of a module; ``frame`` is PyTorch's frame in which its forward runs."""

    def __init__(self, label: str, frame: FrameType) -> None:
        super().__init__(label)
        self._frame = frame

    def value(self) -> tuple[Mark, ...]:
        return (*modes().marks, Mark(self._label, self._frame, self._frame.f_lineno))


@contextmanager
def calls_as_scopes(
    names: ModuleNames, root: Module | None, holder_of: Callable[[Any], tuple[str, Module] | None]
) -> Iterator[None]:
    """A context in which every call of a module in this thread, except ``root`` itself, is a scope.

    ``holder_of(module)`` finds the module that has one that is not known yet, and the user's name of it.
    """
    thread = get_ident()
    open_: list[tuple[Module, _ModuleCall]] = []

    def enter(module: Module, args: Any) -> None:
        if get_ident() != thread or module is root:
            return
        if names.of_module(module) is None:
            names.add(*holder_of(module) or ("", module))
        name, kind = names.of_module(module), type(module).__name__
        called = _ModuleCall(f"{name}: {kind}" if name else kind, sys._getframe(1))
        called.__enter__()
        open_.append((module, called))

    def leave(module: Module, args: Any, result: Any) -> None:
        if get_ident() == thread and open_ and open_[-1][0] is module:
            open_.pop()[1].__exit__(None, None, None)

    handles = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        while open_:
            open_.pop()[1].__exit__(None, None, None)


@contextmanager
def copied_buffers(root: Module | None = None, dtype: torch.dtype | None = None) -> Iterator[None]:
    """A context in which modules called in this thread work on copies of their buffers: looking does not train.

    All of ``root``, too, works on copies; with ``dtype``, floating-point ones are converted to it.
    """
    thread = get_ident()
    own: dict[tuple[int, str], tuple[Module, Tensor]] = {}

    def copy(module: Module, dtype: torch.dtype | None = None) -> None:
        for name, buffer in module._buffers.items():
            if buffer is not None and (id(module), name) not in own:
                own[id(module), name] = module, buffer
                module._buffers[name] = buffer.to(dtype if buffer.is_floating_point() else None, copy=True)

    def enter(module: Module, args: Any) -> None:
        if get_ident() == thread:
            copy(module)

    for inner in () if root is None else root.modules():
        copy(inner, dtype)
    handle = register_module_forward_pre_hook(enter)
    try:
        yield
    finally:
        handle.remove()
        for (_, name), (module, buffer) in own.items():
            module._buffers[name] = buffer
