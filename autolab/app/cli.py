"""The command `autolab`: `lab` opens JupyterLab, `page` writes a notebook as HTML, `playground` writes a page that runs
programs, `gallery` a page for each function, `grade` grades a folder of notebooks, `lesson` creates and tests a lesson
of your own, `doctor` reports what is installed."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autolab import __version__
from autolab.app import teaching
from autolab.app.doctor import doctor, install_command, unwritable_home

# Settings of JupyterLab and the server's connection to the kernels, see kernel_connection.py. Views of
# AutoLab are saved with a notebook in any case (views/live/notebook_state.js), other widgets by these settings.
# The user's own settings take precedence.
LAB_SETTINGS = Path(__file__).parent / "lab_settings"


class CommandError(Exception):
    """A mistake of the user, or something that is missing, in one sentence, with which the command ends."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "lab":
            return lab(arguments.notebook, arguments.port, arguments.browser)
        return _without_server(arguments)
    except CommandError as error:
        print(f"autolab {arguments.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def lab(notebook: str | None = None, port: int | None = None, browser: str | None = None) -> int:
    """Run JupyterLab in the foreground until Ctrl-C; in a terminal of JupyterHub, where one is running already, only
    copy the lessons and say where they are.

    Parameters
    ----------
    notebook : str, optional
        The notebook to open, or the name or number of a lesson. The file browser shows the current folder, or the
        notebook's folder if that is elsewhere or contains the lessons. By default, the lessons are copied into a folder
        that has no notebooks, and the first one is opened.
    port : int, optional
        The port to listen on, 0 for any free one. By default 8888, or a free one if that is in use.
    browser : str, optional
        The browser to open, ``"none"`` for none. By default the system's.

    Raises
    ------
    CommandError
        If JupyterLab or the notebook is missing, the port is taken, or the lessons cannot be copied.
    """
    lesson = _lesson(notebook)
    path = _existing(notebook) if notebook and lesson is None else None
    if prefix := os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):
        print(_place_on_hub(prefix, _student_copy(lesson) if lesson else path))
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise CommandError(f"JupyterLab is not installed here; install it with: {install_command('lab')}")
    if port:
        _check_port(port)
    _set_environment(browser)
    with _a_home("lab"):
        path = _student_copy(lesson) if lesson else path
        _serve([*_folder_options(path), *_port_options(port), *_browser_options(browser), *_root_options()])
    print("JupyterLab has stopped.")
    return 0


def page(notebook: str, target: str | None = None, playground: str | None = None) -> int:
    """Run a notebook and write it as an HTML file that works offline, by default in the current folder.

    Its live graphs link to a playground if ``playground`` is the address of one.

    Raises
    ------
    CommandError
        If the notebook is missing; also, after writing the page, if cells have failed.
    OSError, ValueError, RuntimeError
        If the notebook cannot be read or run, or the file cannot be written.
    """
    from autolab.lesson.pages.notebook_page import save_notebook
    from autolab.views.draw.messages import plural

    source = _existing(notebook)
    for needed in ("nbconvert", "nh3"):
        if importlib.util.find_spec(needed) is None:
            raise CommandError(f"{needed} is not installed here; install it with: {install_command('lab')}")
    path = Path(target) if target else Path(f"{source.stem}.html")
    with _a_home("page"):
        failures = save_notebook(source, path, playground)
    print(f"Written: {path}")
    if failures:
        raise CommandError(f"{plural(len(failures), 'cell')} failed, as the page shows. The first: {failures[0]}")
    return 0


def playground(folder: str) -> int:
    """Write the playground: a page with an editor and live views, whose Python runs in the browser.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    from autolab.views.playground.site import build

    written = build(folder)
    print(f"Written: {written}. Any web server can serve its folder: python -m http.server -d {written.parent}")
    return 0


def _without_server(arguments: argparse.Namespace) -> int:
    """Run a command that reads and writes files; what prevents that is reported in one sentence."""
    try:
        if arguments.command == "doctor":
            return doctor(sys.stdout)
        if arguments.command == "playground":
            return playground(arguments.output)
        if arguments.command == "page":
            return page(arguments.notebook, arguments.output or arguments.page, arguments.playground)
        return teaching.run(arguments)
    except (OSError, ValueError, RuntimeError) as error:
        raise CommandError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autolab", description="A laboratory for automatic differentiation.")
    parser.add_argument("--version", action="version", version=f"AutoLab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    opener = commands.add_parser("lab", help="open JupyterLab, on a notebook or lesson if one is named")
    opener.add_argument("notebook", nargs="?", help="the notebook to open, or a lesson: linear, 03")
    opener.add_argument("--port", type=_port, help="the port to listen on; 0 takes any free one")
    opener.add_argument("--browser", help="the browser to open; `none` opens none")
    writer = commands.add_parser("page", help="run a notebook and write it as one HTML file that works offline")
    writer.add_argument("notebook", help="the notebook to run; it stays as it is")
    writer.add_argument("page", nargs="?", help="the file to write; by default the notebook's name with .html")
    writer.add_argument("-o", "--output", help="the same, as with the other commands")
    writer.add_argument("--playground", metavar="URL", help="the address of a playground to which live graphs link")
    maker = commands.add_parser("playground", help="write a page that runs programs in the browser, without a server")
    maker.add_argument("-o", "--output", default="playground", help="the folder to write; by default playground")
    teaching.add_commands(commands)
    commands.add_parser("doctor", help="say what is installed, what is missing, and what does not work without it")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; expected a number from 0 to 65535")
    return int(text)


def _existing(notebook: str) -> Path:
    path = Path(notebook).resolve()
    if not path.is_file():
        raise CommandError(f"there is no file {notebook!r:.200}; expected a notebook that exists")
    return path


def _lesson(wanted: str | None) -> Path | None:
    from autolab.lesson.copies import wanted_lesson

    try:
        return wanted_lesson(wanted, Path.cwd().resolve())
    except ValueError as error:
        raise CommandError(str(error)) from None


def _student_copy(lesson: Path) -> Path:
    """The student's own copy of a lesson's notebook; the lessons are copied if there is none yet."""
    from autolab.lesson.copies import FOLDER, bring_lessons, opened_from

    path = opened_from(Path.cwd().resolve(), lesson)
    if path.parent.name == FOLDER:
        try:
            for told in bring_lessons(path.parent):
                print(told, flush=True)
        except OSError as error:
            why = f"the lessons cannot be copied into the folder {FOLDER} ({error.strerror})"
            raise CommandError(f"{why}; start autolab lab in another folder") from None
    return path


def _place_on_hub(prefix: str, notebook: Path | None) -> str:
    """Where a student finds a notebook in the JupyterLab that the hub runs; a second one could not be reached."""
    root = Path(os.environ.get("JUPYTERHUB_ROOT_DIR") or Path.home()).resolve()
    here = "This is a terminal of JupyterHub, whose JupyterLab is running already"
    if notebook is None:
        return f"{here}, at {prefix}lab on this hub."
    if not notebook.is_relative_to(root):
        return f"{here}. Open {notebook} in it; it lies outside the folder of JupyterLab's file browser, {root}."
    page = quote(notebook.relative_to(root).as_posix())
    return f"{here}. Open {notebook.relative_to(root)} in its file browser, or {prefix}lab/tree/{page} on this hub."


def _check_port(port: int) -> None:
    from tornado.netutil import bind_sockets  # the function that Jupyter itself will use

    try:
        for sock in bind_sockets(port, "localhost"):
            sock.close()
    except OSError as error:
        raise CommandError(
            f"port {port} cannot be used ({os.strerror(error.errno or 0)}); "
            "choose another with --port (make lab PORT=...), 0 takes any free one"
        ) from None


@contextmanager
def _a_home(command: str) -> Iterator[None]:
    """Jupyter and its kernels keep files in the home folder; if it cannot be written, give them a temporary one."""
    why = unwritable_home()
    if why is None:
        yield
        return
    try:
        temporary = tempfile.TemporaryDirectory(prefix="autolab-", ignore_cleanup_errors=True)
    except OSError:
        raise CommandError(f"{why}, nor can a temporary folder; name one: export HOME=/path/to/a/folder") from None
    print(f"autolab {command}: {why}; settings and history are lost at the end.", file=sys.stderr)
    with temporary as folder:
        names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
        os.environ.update(dict.fromkeys(names, folder))
        os.environ.setdefault("HOME", folder)  # Jupyter needs it before it reads the others
        yield


def _set_environment(browser: str | None) -> None:
    """Set the environment variables that JupyterLab, the kernels and the browser's launcher read."""
    paths = os.environ.get("JUPYTER_CONFIG_PATH", "").split(os.pathsep)
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([path for path in paths if path] + [str(LAB_SETTINGS)])
    if browser and browser != "none":
        os.environ["BROWSER"] = browser


def _folder_options(notebook: Path | None) -> list[str]:
    """Open the notebook with the current folder in the file browser, if the notebook is inside it and not a lesson.

    For lessons the file browser shows only their own folder: in a checkout, their answers are in another one.
    """
    from autolab.lesson.copies import lesson_folders

    root = Path.cwd().resolve()
    if notebook is None:
        return [f"--ServerApp.root_dir={root}"]
    if notebook.parent in lesson_folders(root) or not notebook.is_relative_to(root):
        root = notebook.parent
    page = quote(notebook.relative_to(root).as_posix())
    return [f"--ServerApp.root_dir={root}", f"--LabApp.default_url=/lab/tree/{page}"]


def _port_options(port: int | None) -> list[str]:
    return [] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]


def _browser_options(browser: str | None) -> list[str]:
    """Open no browser if that is requested, or if only a terminal browser could be found, which would block the
    terminal."""
    from autolab.views.live.no_notebook import has_screen

    unwanted = browser == "none" or (not has_screen() and not os.environ.get("BROWSER"))
    return [f"--ServerApp.open_browser={not unwanted}"]


def _root_options() -> list[str]:
    """Jupyter refuses to run as root by default; but in a container there often is no other user."""
    return ["--ServerApp.allow_root=True"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


def _serve(options: list[str]) -> None:
    # The server's JSON Schema would build a grammar of international addresses, which nothing uses, and which takes
    # more than half of the time of the imports.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from jupyterlab.labapp import LabApp

    from autolab.app.kernel_connection import reach_gateway

    server = LabApp.initialize_server(argv=["--Application.log_level=WARN", *options])
    address = server.public_url
    server.identity_provider.token_generated = False  # Jupyter would print the address again, as a log entry
    # Jupyter would ask for confirmation of Ctrl-C, and would ignore it if a script started it with &.
    signal.signal(signal.SIGINT, lambda *_: server.stop(from_signal=True))
    server.web_app.settings["page_config_hook"] = _without_news
    if host := reach_gateway(server):
        print(
            f"autolab lab: Jupyter's settings run kernels at {host:.100}; AutoLab must be installed there.", flush=True
        )
    server.io_loop.add_callback(_announce, address)  # runs after Jupyter's own callback, which binds the port
    server.start()


def _without_news(_handler: object, page: dict[str, Any]) -> dict[str, Any]:
    """The page's configuration without the question about news, which would cover a corner of the notebook."""
    return page | {"disabledExtensions": [*page["disabledExtensions"], "@jupyterlab/apputils-extension:announcements"]}


def _announce(address: str) -> None:
    print(f"\nJupyterLab is running; open it at\n\n    {address}\n\nCtrl-C in this window stops it.\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
