"""The public face: what `autolab.<tab>` shows, and that `help` leads from a name to an example."""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from doctest import SKIP, DocTestParser
from importlib import import_module
from pkgutil import iter_modules

import pytest
from helpers.each import each

import autolab

FUNCTIONS = [
    name
    for name in autolab.__all__
    if inspect.isroutine(getattr(autolab, name)) or inspect.isclass(getattr(autolab, name))
]


def test_tab_shows_what_is_meant_to_be_used_and_nothing_else():
    assert sorted(dir(autolab)) == sorted([*autolab.__all__, "__version__"])
    assert sorted(set(autolab.__all__)) == sorted(autolab.__all__)
    assert not [name for name in autolab.__all__ if name.startswith("_")]


def test_tab_after_functions_shows_functions_and_no_module():
    assert dir(autolab.functions) == sorted(autolab.functions.__all__)
    assert not [name for name in dir(autolab.functions) if not callable(getattr(autolab.functions, name))]


def test_no_module_of_a_package_has_the_name_of_a_function_beside_it():
    """Such a module is out of reach: ``autolab.functions.precision`` is a function."""
    modules = {module.name for module in iter_modules(autolab.functions.__path__)}
    assert modules & set(autolab.functions.__all__) == set()


@each("name", FUNCTIONS)
def test_help_shows_an_example(name: str):
    found = getattr(autolab, name)
    if inspect.isclass(found) and issubclass(found, Exception):
        assert found.__doc__
        return
    assert ">>> " in (found.__doc__ or ""), name


MODULES = "analysis authoring compat data data.transforms debug functions gpu gradcheck initializers lesson links"
EXPLAINED = f"{MODULES} optimizers plots recording serializers training training.extensions transforms views".split()
FROM_THE_NETWORK = {"get_fashion_mnist", "get_mnist"}  # their examples are there to read, and skipped


def test_every_public_module_is_looked_at():
    public = {name for name in autolab.__all__ if isinstance(getattr(autolab, name), types.ModuleType)}
    assert public <= set(EXPLAINED)


def runs(told: str | None) -> bool:
    """Whether a docstring has an example that does something: all but imports and what is skipped counts."""
    examples = [one for one in DocTestParser().get_examples(told or "") if not one.options.get(SKIP)]
    return any([not one.source.startswith(("import ", "from ")) for one in examples])


@each("module", EXPLAINED)
def test_everything_in_a_module_has_an_example(module: str):
    found = import_module(f"autolab.{module}")
    public = {
        name: getattr(found, name) for name in found.__all__ if not isinstance(getattr(found, name), types.ModuleType)
    }
    errors = [name for name, one in public.items() if inspect.isclass(one) and issubclass(one, Exception)]
    named = {name: one for name, one in public.items() if name not in errors}
    assert [name for name, one in named.items() if ">>> " not in (one.__doc__ or "")] == []
    assert {name for name, one in named.items() if not runs(one.__doc__)} <= FROM_THE_NETWORK


def test_each_schedule_of_a_learning_rate_has_an_example():
    found = [one for name, one in vars(autolab.optimizers.lr_scheduler).items() if name.endswith("LR")]
    assert len(found) > 8 and [one for one in found if not runs(one.__doc__)] == []


def not_made(told: str) -> set[str]:
    """The names that the examples of a docstring use, though nothing in them makes or imports these."""
    tree = [*ast.walk(ast.parse("".join([one.source for one in DocTestParser().get_examples(told)])))]
    names = [node for node in tree if isinstance(node, ast.Name)]
    made = {name.id for name in names if isinstance(name.ctx, ast.Store)} | set(dir(builtins))
    made |= {
        node.name for node in tree if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name
    }
    made |= {node.arg for node in tree if isinstance(node, ast.arg)}
    made |= {(node.asname or node.name).partition(".")[0] for node in tree if isinstance(node, ast.alias)}
    return {name.id for name in names} - made


@each("module", ["autolab", *[f"autolab.{name}" for name in EXPLAINED]])
def test_an_example_can_be_pasted_alone(module: str):
    found = import_module(module)
    public = [getattr(found, name) for name in found.__all__]
    own = [one for one in public if inspect.isroutine(one) or inspect.isclass(one)]
    own += [method for one in own if inspect.isclass(one) for method in vars(one).values() if inspect.isroutine(method)]
    assert {one.__qualname__: names for one in own if (names := not_made(inspect.getdoc(one) or ""))} == {}


def test_a_name_that_an_example_does_not_make_is_seen():
    assert not_made(">>> import a.b\n>>> def f(x):\n...     return a.b(x) + y") == {"y"}


@pytest.mark.parametrize(
    "told", ["", "Words.", ">>> import autolab", ">>> autolab.explore(f)  # doctest: +SKIP", ">>> from a import b"]
)
def test_what_does_nothing_is_no_example(told: str):
    assert not runs(told) and runs(f"{told}\n\n>>> 1 + 1\n2")


def test_help_is_a_map_of_all_names():
    told = autolab.__doc__ or ""
    missing = [name for name in autolab.__all__ if name not in told]
    modules = [name for name in missing if isinstance(getattr(autolab, name), types.ModuleType)]
    assert modules == ["analysis"], "each module stands on the map; analysis stands there with its functions"
    assert {"explore", "check_gradients", "interact", "Variable", "grad", "lesson"} & set(missing) == set()


def test_a_function_that_is_asked_for_one_level_too_high_is_found_and_not_listed():
    assert autolab.tanh is autolab.functions.tanh and autolab.cat is autolab.functions.concatenate
    assert not {"tanh", "cat"} & set(dir(autolab))


def test_a_misspelled_name_is_an_attribute_error():
    with pytest.raises(AttributeError) as caught:
        _ = autolab.Varible
    assert str(caught.value) == "module 'autolab' has no attribute 'Varible'"
    assert caught.value.name == "Varible" and caught.value.obj is autolab  # Python adds "Did you mean: 'Variable'?"


@pytest.mark.parametrize("name", ["line_chart", "show_hessian", "show_jacobian", "surface"])
def test_a_function_that_moved_is_found_at_its_old_place_and_not_listed(name: str):
    assert getattr(autolab, name) is getattr(autolab.plots, name)
    assert name not in dir(autolab)


@pytest.mark.parametrize(("former", "name"), [("checked", "check_inplace"), ("scope", "named_scope")])
def test_former_names_are_found_and_not_listed(former: str, name: str):
    assert getattr(autolab, former) is getattr(autolab, name) and former not in dir(autolab)


@pytest.mark.parametrize("module", ["data", "initializers", "links", "optimizers", "training", "training.extensions"])
def test_a_class_tells_tools_and_readers_what_it_takes(module: str):
    package = import_module(f"autolab.{module}")
    for name in package.__all__:
        found = getattr(package, name)
        if inspect.isclass(found) and vars(found).keys() & {"__init__"}:
            settings = [*inspect.signature(found.__init__).parameters][1:]
            assert [*inspect.signature(found).parameters] == settings, name
