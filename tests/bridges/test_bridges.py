"""What holds of the bridges without PyTorch and JAX: a missing library is said in a sentence, nothing imports one."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from helpers.checkout import ROOT

import autolab
from autolab.bridges.needed import UnsupportedError, missing
from autolab.shared.foreign import bridge


def answer(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("library", "title"), [("torch", "PyTorch"), ("jax", "JAX")])
def test_a_missing_library_is_said_in_one_sentence(library, title):
    program = f"""
import sys
sys.modules[{library!r}] = None  # Python then finds no module of that name
try:
    import autolab.bridges.{library}
except ImportError as error:
    print(error, error.__cause__, error.__suppress_context__)
"""
    sentence = f"autolab.bridges.{library} needs {title}: pip install 'jupyter-autolab[{library}]'"
    assert answer(program) == f"{sentence} None True"


def test_what_a_library_itself_misses_is_another_error():
    error = ModuleNotFoundError("No module named 'sympy'", name="sympy")
    assert missing(error, "torch", "PyTorch") is error


def test_autolab_imports_neither():
    program = """
import sys, autolab, autolab.bridges
autolab.record(lambda x: x * x, 1.0)
autolab.check_gradients(lambda x: x * x, 1.0)
print(*[name for name in ("torch", "jax") if name in sys.modules])
"""
    assert answer(program) == ""


def test_the_extras_are_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for library in ("torch", "jax"):
        assert [text.partition(">=")[0] for text in extras[library]] == [library]


class Tensor:
    """What an object of PyTorch looks like from outside."""


def test_a_library_is_recognised_by_the_modules_of_its_types(monkeypatch):
    class Own(Tensor):
        pass

    monkeypatch.setattr(Tensor, "__module__", "torch.nn.modules")
    monkeypatch.setitem(sys.modules, "torch", sys)
    found = object()
    monkeypatch.setitem(sys.modules, "autolab.bridges.torch", found)
    for values in [(Tensor(),), (Own(),), ([1.0, Own()],), ({"x": Tensor()},)]:
        assert bridge(abs, values) is found
    assert bridge(Own) is found
    assert bridge(Own().__init__) is found  # a method of one
    assert bridge(abs, (1.0, [2.0], "torch", None)) is None
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    monkeypatch.delitem(sys.modules, "jaxlib", raising=False)
    assert bridge(abs, (Tensor(),)) is None


def test_the_public_functions_hand_on(monkeypatch):
    class Bridge:
        def __getattr__(self, name):
            return lambda *args, **options: (name, options)

    monkeypatch.setattr(Tensor, "__module__", "torch")
    monkeypatch.setitem(sys.modules, "torch", sys)
    monkeypatch.setitem(sys.modules, "autolab.bridges.torch", Bridge())
    assert autolab.record(abs, Tensor(), options={"budget": 1}) == ("record", {"options": {"budget": 1}})
    assert autolab.explore(abs, x=Tensor())[0] == "explore"
    name, options = autolab.check_gradients(abs, Tensor(), reveal=2)
    assert (name, options["reveal"], options["order"]) == ("check_gradients", 2, 1)
    assert autolab.graph(Tensor())[0] == "graph_in"


def test_the_error_is_a_runtime_error():
    assert issubclass(UnsupportedError, RuntimeError)
