"""The command `autolab doctor`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from test_cli import NO_HOME, run

import autolab
from autolab.app import doctor

needs_base = pytest.mark.skipif(doctor.version_of("anywidget") is None, reason="NumPy alone is installed")


@needs_base
def test_doctor_fits_on_a_screen_and_is_plain():
    answer = run("doctor")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stderr == ""
    lines = answer.stdout.splitlines()
    assert len(lines) <= 24
    assert "\x1b" not in answer.stdout
    for name in ("AutoLab", "Python", "NumPy", "dot", "CuPy and GPU", "JupyterLab", "widget front end", "chromium"):
        assert any(line.startswith(f"{name}  ") for line in lines), name
    assert lines[-1] == "AutoLab can work here."


def examine_only(monkeypatch, *findings: doctor.Requirement) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: iter(findings))


def test_doctor_says_what_a_missing_thing_costs_and_what_mends_it(monkeypatch):
    examine_only(monkeypatch, doctor.Requirement("a", "1"), doctor.Requirement("ruler", None, "no lines", "buy ruler"))
    out = io.StringIO()
    assert doctor.doctor(out) == 0
    assert out.getvalue() == "a      1\nruler  missing: no lines\n       -> buy ruler\n\nAutoLab can work here.\n"


def test_doctor_fails_when_something_essential_is_missing(monkeypatch):
    examine_only(monkeypatch, doctor.Requirement("a", None, "nothing works", "install a", essential=True))
    out = io.StringIO()
    assert doctor.doctor(out) == 1
    assert out.getvalue().endswith("AutoLab is incomplete: a.\n")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_color", [False, True])
def test_doctor_is_coloured_on_a_terminal_only(no_color, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "")
    examine_only(monkeypatch, doctor.Requirement("a", None, "cost", "remedy"))
    out = Terminal()
    doctor.doctor(out)
    assert ("\x1b[33mmissing\x1b[0m" in out.getvalue()) == (not no_color)


def test_doctor_writes_no_control_characters(monkeypatch):
    examine_only(monkeypatch, doctor.Requirement("a", "1\x1b[2J\n2\u202e3"), doctor.Requirement("b", None, "x\ry", "z"))
    out = io.StringIO()
    doctor.doctor(out)
    assert out.getvalue().splitlines()[:2] == ["a  1 [2J 2 3", "b  missing: x y"]


@needs_base
def test_doctor_notices_a_package_that_is_missing(monkeypatch):
    installed = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name == "anywidget" else installed(name))
    missing = [finding for finding in doctor.examine() if finding.essential and finding.found is None]
    assert [finding.name for finding in missing] == ["anywidget"]
    assert "live" in missing[0].cost
    assert "pip install" in missing[0].remedy


def test_doctor_notices_a_widget_front_end_that_is_missing(monkeypatch, tmp_path):
    jupyter_paths = pytest.importorskip("jupyter_core.paths")
    monkeypatch.setattr(jupyter_paths, "jupyter_path", lambda *names: [str(tmp_path)])
    assert doctor._widget_front_end() is None
    for name in ("@jupyter-widgets/jupyterlab-manager", "anywidget"):
        assert doctor._widget_front_end() is None
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "package.json").write_text("{}")
    assert "anywidget" in doctor._widget_front_end()


@pytest.mark.parametrize(
    ("script", "found"), [("echo 'dot - graphviz version 9' >&2", "graphviz version 9"), ("exit 1", None)]
)
def test_doctor_asks_dot_for_its_version(script, found, monkeypatch, tmp_path):
    dot = tmp_path / "dot"
    dot.write_text(f"#!/bin/sh\n{script}\n")
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor._dot() == found


def test_doctor_finds_no_dot_where_there_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor._dot() is None


def test_doctor_looks_whether_the_home_folder_can_be_written(monkeypatch, tmp_path):
    for name in NO_HOME:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "not there yet"))
    assert doctor.unwritable_home() is None and not list(tmp_path.iterdir())
    monkeypatch.setenv("HOME", "/dev/null")
    found = doctor._home()
    assert found.found is None and "/dev/null/" in found.cost and "(Not a directory)" in found.cost
    assert "HOME=" in found.remedy

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", no_home)
    assert doctor.unwritable_home() == "there is no home folder"


def test_the_command_that_installs_names_this_python_and_an_installed_autolab(monkeypatch):
    monkeypatch.setattr(doctor, "version_of", lambda name: "0.1.0")
    assert doctor.install_command("lab").endswith(" -m pip install 'jupyter-autolab[lab]'")
    assert sys.executable in doctor.install_command()
    monkeypatch.setattr(doctor, "version_of", lambda name: None)
    assert str(Path(autolab.__file__).parent.parent) in doctor.install_command("lab")
