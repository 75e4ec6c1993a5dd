"""The command `autolab`."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from helpers.checkout import ROOT
from helpers.lab_process import fetch, lab_process

import autolab
from autolab.app import cli
from autolab.lesson import copies

EMPTY_NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "autolab.app.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.lab
def test_lab_opens_the_notebook_and_leaves_nothing_behind(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "first lesson.ipynb").write_text(EMPTY_NOTEBOOK)
    command = [sys.executable, "-m", "autolab.app.cli", "lab", "first lesson.ipynb", "--port", "0"]
    with lab_process(command, home=tmp_path, cwd=folder, BROWSER="/bin/echo") as lab:
        address = lab.wait_for_address(60)
        assert "/lab/tree/first%20lesson.ipynb?token=" in address
        status, page = fetch(address)
        assert status == 200
        assert re.search(r'"disabledExtensions": \[[^]]*"@jupyterlab/apputils-extension:announcements"', page)
        start_kernel(address, tmp_path)
        kernel = {number: environment for number, environment in lab.children().items() if is_kernel(number)}
        assert len(kernel) == 1
        assert lab.interrupt(30) == 0
        assert not lab.children()
    assert "-open.html" in lab.output, "the browser was not called"
    assert "JupyterLab has stopped." in lab.output
    assert "Traceback" not in lab.output


def start_kernel(address: str, folder: Path) -> None:
    """Start a kernel and wait until it answers; its connection file lies somewhere below ``folder``."""
    from jupyter_client import BlockingKernelClient

    parts = urlsplit(address)
    token = parse_qs(parts.query)["token"][0]
    _, answer = fetch(f"http://{parts.netloc}/api/kernels", b"{}", {"Authorization": f"token {token}"})
    connection = next(folder.rglob(f"kernel-{json.loads(answer)['id']}.json"))
    client = BlockingKernelClient(connection_file=str(connection))
    client.load_connection_file()
    client.start_channels()
    client.kernel_info(reply=True, timeout=60)
    client.stop_channels()


def is_kernel(number: int) -> bool:
    return b"ipykernel_launcher" in Path(f"/proc/{number}/cmdline").read_bytes()


@pytest.mark.lab
def test_a_taken_port_is_a_sentence():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        answer = run("lab", "--port", str(port), "--browser", "none")
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert f"port {port} cannot be used (Address already in use)" in answer.stderr
    assert "--port" in answer.stderr


def test_a_missing_jupyterlab_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert cli.main(["lab"]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "JupyterLab is not installed" in message
    assert "-m pip install" in message
    assert "[lab]" in message


def test_a_missing_notebook_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert cli.main(["lab", "nowhere.ipynb"]) == 1
    assert capsys.readouterr().err == "autolab lab: there is no file 'nowhere.ipynb'; expected a notebook that exists\n"


def test_an_unknown_lesson_is_a_sentence(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert cli.main(["lab", "lineal"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        "autolab lab: 'lineal' is neither a lesson nor a file; expected a notebook, or one of start, "
    )
    assert said.count("\n") == 1 and len(said) < 300


@pytest.mark.lab
@pytest.mark.parametrize("why", ["File exists", "Permission denied", "No space left on device"])
def test_lessons_that_cannot_be_copied_are_a_sentence(why, tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    number = {"Permission denied": errno.EACCES, "No space left on device": errno.ENOSPC}.get(why)
    monkeypatch.setattr(os, "environ", {**os.environ})
    monkeypatch.chdir(tmp_path)
    if number:
        monkeypatch.setattr(copies, "write", refuse)
    else:
        (tmp_path / "autolab-notebooks").write_text("mine")
    assert cli.main(["lab", "linear", "--browser", "none"]) == 1
    told = (
        f"the lessons cannot be copied into the folder autolab-notebooks ({why}); start autolab lab in another folder"
    )
    assert capsys.readouterr() == ("", f"autolab lab: {told}\n")
    assert not list(tmp_path.glob("*/*"))


def test_lessons_are_shown_without_the_answers_that_a_checkout_has(tmp_path, monkeypatch):
    notebooks = ROOT / "notebooks"
    for here in (ROOT, notebooks):
        monkeypatch.chdir(here)
        assert cli._student_copy(cli._lesson("start")) == notebooks / "00_start.ipynb"
        options = cli._folder_options(cli._existing(str(notebooks / "03_linear.ipynb")))
        assert options == [f"--ServerApp.root_dir={notebooks}", "--LabApp.default_url=/lab/tree/03_linear.ipynb"]
    monkeypatch.chdir(tmp_path)
    copy = cli._student_copy(cli._lesson("linear"))
    assert copy == tmp_path / "autolab-notebooks" / "03_linear.ipynb" and copy.is_file()
    assert cli._folder_options(copy)[0] == f"--ServerApp.root_dir={copy.parent}"


@pytest.mark.parametrize("port", ["-1", "65536", "80x", ""])
def test_a_port_that_is_none_is_refused(port, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["lab", f"--port={port}"])
    assert stop.value.code == 2
    assert f"{port!r} is not a port" in capsys.readouterr().err


def test_the_current_folder_is_shown_unless_the_notebook_lies_elsewhere(tmp_path, monkeypatch):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    monkeypatch.chdir(tmp_path)
    here.mkdir()
    monkeypatch.chdir(here)
    inside = cli._folder_options(here / "lessons" / "50%.ipynb")
    assert inside == [f"--ServerApp.root_dir={here}", "--LabApp.default_url=/lab/tree/lessons/50%25.ipynb"]
    outside = cli._folder_options(elsewhere / "a.ipynb")
    assert outside == [f"--ServerApp.root_dir={elsewhere}", "--LabApp.default_url=/lab/tree/a.ipynb"]
    assert cli._folder_options(None) == [f"--ServerApp.root_dir={here}"]


def test_only_a_port_that_was_asked_for_is_insisted_on():
    assert cli._port_options(None) == []
    assert cli._port_options(8890) == ["--ServerApp.port=8890", "--ServerApp.port_retries=0"]


@pytest.mark.parametrize(
    ("chosen", "variables", "opens"),
    [
        ("none", {"DISPLAY": ":0"}, False),
        (None, {"DISPLAY": ":0"}, True),
        (None, {"WAYLAND_DISPLAY": "wayland-0"}, True),
        (None, {}, sys.platform != "linux"),
        (None, {"BROWSER": "w3m"}, True),
    ],
)
def test_which_browser_opens(chosen, variables, opens, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cli._browser_options(chosen) == [f"--ServerApp.open_browser={opens}"]


def test_the_browser_is_named_for_the_launcher(monkeypatch):
    monkeypatch.setattr(os, "environ", {"BROWSER": "firefox"})
    cli._set_environment("none")
    assert os.environ["BROWSER"] == "firefox"
    cli._set_environment("chromium")
    assert os.environ["BROWSER"] == "chromium"


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"AutoLab {autolab.__version__}\n"


def quiet_lab(folder: Path) -> list[str]:
    (folder / "a.ipynb").write_text(EMPTY_NOTEBOOK)
    return [sys.executable, "-m", "autolab.app.cli", "lab", "a.ipynb", "--port", "0", "--browser", "none"]


NO_HOME = {"HOME": "/dev/null", "XDG_DATA_HOME": "", "JUPYTER_CONFIG_DIR": "", "JUPYTER_DATA_DIR": ""}


# AutoLab's command, for a user whom the system does not know, as in a container with a number for a user.
NAMELESS = """
import os, sys
os.getuid = lambda: 2**31 - 7
del os.environ["HOME"]
from autolab.app import cli
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.lab
@pytest.mark.parametrize(
    ("start", "why"),
    [
        (["-m", "autolab.app.cli"], r"/dev/null\S* cannot be written \(Not a directory\)"),
        pytest.param(["-c", NAMELESS], "there is no home folder", marks=pytest.mark.full),
    ],
    ids=["unwritable", "none"],
)
def test_lab_works_without_a_home_folder(start, why, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, *start, *quiet_lab(tmp_path)[3:]]
    with lab_process(command, home=tmp_path, cwd=tmp_path, TMPDIR=str(temporary), **NO_HOME) as lab:
        address = lab.wait_for_address(60)
        assert fetch(address)[0] == 200
        start_kernel(address, tmp_path)
        assert any(is_kernel(number) for number in lab.children())
        assert lab.interrupt(30) == 0
    assert re.search(f"autolab lab: {why}; settings and history", lab.output)
    assert "Traceback" not in lab.output
    assert not list(temporary.glob("autolab-*"))


def test_no_home_and_no_room_for_another_is_a_sentence(monkeypatch, capsys):
    for name, value in NO_HOME.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    assert cli.main(["lab"]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and "nor can a temporary folder; name one: export HOME=" in message


def test_a_home_folder_is_lent_where_the_system_knows_none(monkeypatch, capsys):
    monkeypatch.setattr(os, "environ", {**os.environ, **NO_HOME, "IPYTHONDIR": ""})
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    del os.environ["HOME"]
    with pytest.raises(RuntimeError):  # control: nobody's number
        Path.home()
    with cli._a_home("lab"):
        assert Path.home().is_dir() and str(Path.home()) == os.environ["IPYTHONDIR"]
    assert "there is no home folder; settings and history are lost" in capsys.readouterr().err


GATEWAY = """
import sys
from jupyterlab.labapp import LabApp
from autolab.app.kernel_connection import reach_gateway
server = LabApp.initialize_server(argv=['--ServerApp.open_browser=False', '--port=0', '--allow-root'])
print(reach_gateway(server), server.web_app.settings['kernel_websocket_connection_class'].__qualname__)
"""


@pytest.mark.lab
@pytest.mark.parametrize(
    ("gateway", "expected"),
    [
        ({}, "None PromptConnection"),
        ({"JUPYTER_GATEWAY_URL": "http://me:secret@far.test:9/x"}, "far.test GatewayWebSocketConnection"),
    ],
)
def test_small_messages_leave_at_once_unless_a_gateway_has_the_kernels(gateway, expected, tmp_path):
    variables = {"JUPYTER_CONFIG_PATH": str(cli.LAB_SETTINGS), "HOME": str(tmp_path), **gateway}
    environment = {**os.environ, **variables}
    command = [sys.executable, "-W", "ignore", "-c", GATEWAY]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == expected, done.stderr


@pytest.mark.lab
def test_a_gateway_is_told(tmp_path):
    url = "http://me:secret@127.0.0.1:9/x"
    with lab_process(quiet_lab(tmp_path), home=tmp_path, cwd=tmp_path, JUPYTER_GATEWAY_URL=url) as lab:
        lab.wait_for_address(60)
        assert lab.interrupt(30) == 0
    assert "run kernels at 127.0.0.1; AutoLab must be installed there." in lab.output
    assert "secret" not in lab.output and "Traceback" not in lab.output


@pytest.mark.lab
def test_live_views_are_saved_with_the_notebook_unless_the_user_says_otherwise(monkeypatch, tmp_path):
    from jupyterlab_server.settings_utils import _get_overrides

    def saved():
        return _get_overrides(str(tmp_path))[0]["@jupyter-widgets/jupyterlab-manager:plugin"]["saveState"]

    monkeypatch.setattr(os, "environ", {**os.environ, "JUPYTER_CONFIG_PATH": str(tmp_path)})
    cli._set_environment(None)
    assert saved() is True
    (tmp_path / "labconfig").mkdir()
    own = '{"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": false}}'
    (tmp_path / "labconfig" / "default_setting_overrides.json").write_text(own)
    assert saved() is False


def test_in_a_terminal_of_a_hub_the_lessons_are_copied_and_their_place_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/alice/")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "my course"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(cli, "_serve", None)  # no second server
    assert cli.main(["lab"]) == 0
    said = capsys.readouterr().out
    assert "/user/alice/lab/tree/my%20course/autolab-notebooks/00_start.ipynb" in said and "localhost" not in said
    assert (folder / "autolab-notebooks" / "00_start.ipynb").is_file()
    monkeypatch.setenv("JUPYTERHUB_ROOT_DIR", str(folder / "autolab-notebooks"))
    assert cli.main(["lab", "linear"]) == 0
    assert "/user/alice/lab/tree/03_linear.ipynb on this hub" in capsys.readouterr().out
