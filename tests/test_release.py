"""What is said about a release in several places agrees; `make release-check` builds one."""

from __future__ import annotations

import importlib.util
import re
import tomllib

import yaml
from helpers.checkout import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONDA_NAMES = {"graphviz": "python-graphviz"}  # there, graphviz is the program


def test_the_version_is_the_same_everywhere() -> None:
    spec = importlib.util.spec_from_file_location("release", ROOT / "scripts" / "release.py")
    assert spec is not None and spec.loader is not None
    release = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(release)
    assert re.fullmatch(r"\d+\.\d+\.\d+", release.version())


def test_the_conda_recipe_asks_for_what_the_project_asks_for() -> None:
    run = yaml.safe_load((ROOT / "scripts" / "conda" / "recipe.yaml").read_text("utf-8"))["requirements"]["run"]
    needs = [re.fullmatch(r"([\w-]+)(.+)", one) for one in PROJECT["dependencies"]]
    wanted = {CONDA_NAMES.get(one[1], one[1]): one[2] for one in needs if one}
    assert dict(one.split() for one in run) == wanted | {"python": PROJECT["requires-python"]}


def test_the_table_of_versions_says_what_the_project_declares() -> None:
    text = (ROOT / "docs" / "support.md").read_text("utf-8")
    extras = PROJECT["optional-dependencies"]
    lowest = dict(re.findall(r"^\| (\w+) \| ([\d.]+)", text, re.MULTILINE))
    stated = [*PROJECT["dependencies"], *extras["cuda12"], *extras["torch"], *extras["jax"], *extras["lab"]]
    declared = dict(one.split(">=") for one in stated)
    assert lowest["Python"] == PROJECT["requires-python"].removeprefix(">=")
    names = {"NumPy": "numpy", "CuPy": "cupy-cuda12x", "PyTorch": "torch", "JAX": "jax", "JupyterLab": "jupyterlab"}
    assert {name: lowest[name].removesuffix(".0") for name in names} == {
        name: declared[package] for name, package in names.items()
    }


def test_workflows_and_forms_can_be_read_and_name_targets_that_exist() -> None:
    files = [ROOT / "CITATION.cff", *(ROOT / ".github").rglob("*.yml")]
    assert len(files) >= 7
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)
    assert targets_of_workflows() <= targets_of_the_makefile()


def test_every_target_of_tests_runs_in_a_workflow() -> None:
    """But for those that need a GPU, and those that `test` and `test-full` make."""
    tests = {target for target in targets_of_the_makefile() if re.match("test(?!-gpu)", target)}
    assert tests - targets_of_workflows() == {"tests", "test-versions"}


def targets_of_the_makefile() -> set[str]:
    lines = re.findall(r"^([\w -]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    return {target for line in lines for target in line.split()}


def targets_of_workflows() -> set[str]:
    """What `run: make` names, and each job's `strategy: matrix: target`."""
    jobs = [
        job
        for file in (ROOT / ".github" / "workflows").glob("*.yml")
        for job in yaml.safe_load(file.read_text("utf-8"))["jobs"].values()
    ]
    runs = "\n".join(step.get("run", "") for job in jobs for step in job["steps"])
    matrices = {target for job in jobs for target in job.get("strategy", {}).get("matrix", {}).get("target", [])}
    return {*re.findall(r"^make ([\w-]+)", runs, re.MULTILINE)} | matrices
