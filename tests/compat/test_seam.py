"""Facades under their original names: installing, taking away, what is missing, and scripts that run unedited."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from helpers.checkout import ROOT
from helpers.each import each

from autolab import compat


def test_the_original_name_gives_the_facade_itself(dezero):
    import dezero.functions as F

    facade = importlib.import_module("autolab.compat.dezero")
    assert dezero is facade and F is facade.functions
    assert facade.__spec__.name == facade.__name__ == "autolab.compat.dezero"
    assert [name for name in sys.modules if name.startswith("dezero")] == ["dezero", "dezero.functions"]


def test_installing_is_undone_and_may_be_repeated(dezero):
    before = list(sys.meta_path)
    compat.install("dezero")
    assert sys.meta_path == before
    compat.uninstall("dezero")
    compat.uninstall("dezero")
    assert len(sys.meta_path) == len(before) - 1
    assert not [name for name in sys.modules if name.startswith("dezero")]
    with pytest.raises(ModuleNotFoundError, match="No module named 'dezero'"):
        importlib.import_module("dezero")


def test_two_names_of_one_module_after_installing_again(dezero):
    first = importlib.import_module("dezero.functions")
    compat.uninstall("dezero")
    compat.install("dezero")
    assert importlib.import_module("dezero.functions") is first


@pytest.mark.parametrize("loaded", ["dezero", "dezero.core"])
def test_the_library_itself_is_not_replaced_once_it_is_there(monkeypatch, loaded):
    real = ModuleType(loaded)
    real.__file__ = "site-packages/dezero.py"
    monkeypatch.setitem(sys.modules, loaded, real)
    with pytest.raises(RuntimeError) as caught:
        compat.install("dezero")
    assert str(caught.value).startswith(f"install: {loaded} is already imported from site-packages/dezero.py; install")
    compat.uninstall("dezero")
    assert sys.modules[loaded] is real


@each("function", [compat.install, compat.uninstall])
@each("name", ["dezro", "", "numpy", "absent", "a" * 10_000, 3])
def test_an_unknown_facade_says_which_there_are(function, name):
    with pytest.raises(ValueError, match=r": there is no facade of .*; there are .*dezero") as caught:
        function(name)
    assert str(caught.value).startswith(f"{function.__name__}: ") and len(str(caught.value)) < 300


SAID = "dezero.functions.foo is not part of AutoLab's dezero facade"


def test_a_name_that_is_not_there_fails_by_its_name(dezero):
    with pytest.raises(AttributeError) as caught:
        dezero.functions.foo()
    assert str(caught.value) == SAID and caught.value.name == "foo"
    for module, sentence in (("dezero.functions", SAID), ("dezero", SAID.replace(".functions", ""))):
        with pytest.raises(ImportError) as imported:
            exec(f"from {module} import foo")
        assert str(imported.value) == sentence
    assert not hasattr(dezero.functions, "foo") and getattr(dezero, "foo", 1) == 1


@pytest.mark.parametrize("name", ["foo", "foo.bar"])
def test_a_module_that_is_not_there_fails_by_its_name(dezero, name):
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(f"dezero.{name}")
    assert caught.value.name == "dezero.foo"
    assert str(caught.value) == "dezero.foo is not part of AutoLab's dezero facade"


def test_what_there_is_instead_is_told():
    look_up = compat.missing("autolab.compat.dezero.functions", {"foo": "there is bar"})
    with pytest.raises(AttributeError, match=r"functions\.foo is not part of AutoLab's dezero facade; there is bar$"):
        look_up("foo")


# ---------------------------------------------------------------------- scripts
def compat_run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autolab.compat", *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )


SHOWN = """
import json, sys, __main__
print(json.dumps([__name__, __file__, sys.argv, sys.path[0], __main__.__dict__ is globals(), __doc__, __package__,
                  __spec__, type(__loader__).__name__, sorted({*globals()} - {"__annotations__", "__cached__"})]))
"""


def test_a_script_sees_what_plain_python_shows_it(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "script.py").write_text(f'"""A script."""\n{SHOWN}', "utf-8")
    (tmp_path / "link.py").symlink_to("inner/script.py")
    for script in ("inner/script.py", "link.py"):
        plain = subprocess.run([sys.executable, script, "a", "-b"], cwd=tmp_path, capture_output=True, text=True)
        ours = compat_run("dezero", script, "a", "-b", folder=tmp_path)
        assert json.loads(ours.stdout) == json.loads(plain.stdout), ours.stderr


def test_a_script_runs_over_the_facade_and_not_over_a_folder_beside_it(tmp_path):
    (tmp_path / "dezero").mkdir()
    (tmp_path / "dezero" / "__init__.py").write_text("raise SystemExit('the wrong one')", "utf-8")
    (tmp_path / "script.py").write_text("import dezero.functions as F\nprint(F.__name__, float(F.exp(0.0)))", "utf-8")
    answer = compat_run("dezero", "script.py", folder=tmp_path)
    assert (answer.stdout, answer.returncode) == ("autolab.compat.dezero.functions 1.0\n", 0), answer.stderr


@pytest.mark.parametrize("body", ["1 / 0", "def f(:", "raise SystemExit(3)", "import sys; sys.exit('text')"])
def test_a_script_that_fails_ends_as_it_would_in_plain_python(tmp_path, body):
    (tmp_path / "script.py").write_text(f"def f():\n    {body}\nf()" if body != "def f(:" else body, "utf-8")
    plain = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    ours = compat_run("dezero", "script.py", folder=tmp_path)
    assert (ours.stderr, ours.returncode) == (plain.stderr, plain.returncode)


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ([], 2, "usage: python -m autolab.compat LIBRARY SCRIPT [ARGUMENT ...]\nLIBRARY is one of:"),
        (["dezero"], 2, "usage:"),
        (["--help"], 0, ""),
        (["dezro", "script.py"], 2, "autolab.compat: install: there is no facade of 'dezro'; there are"),
        (["dezero", "nowhere.py"], 2, "autolab.compat: [Errno 2] No such file or directory: "),
    ],
)
def test_wrong_arguments_are_explained(tmp_path, arguments, status, told):
    answer = compat_run(*arguments, folder=tmp_path)
    assert answer.returncode == status and answer.stderr.startswith(told) and "Traceback" not in answer.stderr
    assert ("dezero" in answer.stdout) == (status == 0)
