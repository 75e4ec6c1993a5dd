"""The public face: what `autolab.<tab>` shows, and that `help` leads from a name to an example."""

from __future__ import annotations

import inspect
import types
from importlib import import_module

import pytest

import autolab

FUNCTIONS = [
    name
    for name in autolab.__all__
    if inspect.isroutine(getattr(autolab, name)) or inspect.isclass(getattr(autolab, name))
]
MADE_ELSEWHERE = {"GradientReport": "check_gradients", "Recording": "record"}


def test_tab_shows_what_is_meant_to_be_used_and_nothing_else():
    assert sorted(dir(autolab)) == sorted([*autolab.__all__, "__version__"])
    assert sorted(set(autolab.__all__)) == sorted(autolab.__all__)
    assert not [name for name in autolab.__all__ if name.startswith("_")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_shows_an_example(name: str):
    found = getattr(autolab, name)
    if inspect.isclass(found) and issubclass(found, Exception):
        assert found.__doc__
        return
    told = found.__doc__ or ""
    assert ">>> " in told or MADE_ELSEWHERE[name] in told, name


EXPLAINED = "authoring functions initializers links optimizers serializers training training.extensions transforms"


@pytest.mark.parametrize("module", EXPLAINED.split())
def test_everything_in_a_module_has_an_example(module: str):
    found = import_module(f"autolab.{module}")
    public = {
        name: getattr(found, name) for name in found.__all__ if not isinstance(getattr(found, name), types.ModuleType)
    }
    errors = [name for name, one in public.items() if inspect.isclass(one) and issubclass(one, Exception)]
    assert [name for name, one in public.items() if ">>> " not in (one.__doc__ or "") and name not in errors] == []


def test_help_is_a_map_of_all_names():
    told = autolab.__doc__ or ""
    missing = [name for name in autolab.__all__ if name not in told]
    modules = [name for name in missing if isinstance(getattr(autolab, name), types.ModuleType)]
    assert modules == ["analysis"], "each module stands on the map; analysis stands there with its functions"
    assert {"explore", "check_gradients", "interact", "Variable", "grad", "lesson"} & set(missing) == set()
