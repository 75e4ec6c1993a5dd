"""Writes the parameters of PyTorch's functions and classes: ``python tests/bridges/torch_signatures.py``.

A line of the table is a name and the parameters of each way to call it; ``*`` stands before those by keyword only.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from autolab import compat

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "compat" / "torch_signatures.txt"


def table() -> str:
    """The parameters of everything that both PyTorch and the facade have."""
    lines = []
    for module in [name for name in compat.originals() if name.partition(".")[0] == "torch"]:
        facade = import_module(f"autolab.compat.{module}")
        for name in sorted(facade.__all__):
            one = getattr(import_module(module), name, None)
            if callable(one) and name not in _NO_ARGUMENTS and (ways := _ways(module, name, one)):
                lines.append(f"{module}.{name}: {' | '.join(ways)}")
    tensor, original = import_module("autolab.compat.torch").Tensor, import_module("torch").Tensor
    for name in sorted(set(vars(tensor)) & set(dir(original))):
        one, methods = getattr(original, name), callable(getattr(tensor, name)) and not name.startswith("_")
        if callable(one) and methods and (ways := _ways("torch.Tensor", name, one)):
            lines.append(f"torch.Tensor.{name}: {' | '.join(ways)}")
    return "\n".join(lines) + "\n"


def _ways(module: str, name: str, one: Any) -> list[str]:
    try:
        return [_written(inspect.signature(one).parameters.values())]
    except (TypeError, ValueError):
        return sorted(dict.fromkeys(_of_operator(f"{'linalg_' if module.endswith('linalg') else ''}{name}")))


def _written(parameters: Any) -> str:
    names = []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any([n.startswith("*") for n in names]):
            names.append("*")
        names.append({p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name)
    return ", ".join(names)


def _of_operator(name: str) -> Iterator[str]:
    """The ways to call what is written in C++."""
    from torch._C import _jit_get_schemas_for_operator as schemas

    for schema in [*schemas(f"aten::{name}"), *schemas(f"aten::special_{name}")]:
        if any([str(a.type) in ("List[str]", "Dimname") or a.is_out for a in schema.arguments]):
            continue
        if schema.arguments and any(["Tensor" in str(a.type) or name in _MADE for a in schema.arguments]):
            names = []
            for a in schema.arguments:
                names += ["*"] if a.kwarg_only and "*" not in names else []
                names.append("input" if a.name == "self" else a.name)
            yield ", ".join(names)


_NO_ARGUMENTS = {"Size", "Tensor", "dtype", "device", "finfo", "iinfo"}  # which nobody makes, or by position alone
_MADE = {"zeros", "ones", "empty", "full", "arange", "linspace", "logspace", "eye", "rand", "randn", "randint"}
_MADE |= {"randperm", "normal"}

if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
