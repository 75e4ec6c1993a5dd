"""Firefox and WebKit, driven by the commands of WebDriver: Firefox takes them at its own port (Marionette), WebKit by
way of `WebKitWebDriver`. Both come from Debian's packages and run on a screen that nobody sees.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PACKAGES = {"firefox": "firefox-esr", "webkit": "WebKitWebDriver"}
SECONDS = 60.0
KEYS = {"ArrowLeft": "\ue012", "ArrowRight": "\ue014", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Enter": "\ue007"}
KEYS |= {"Tab": "\ue004", "Escape": "\ue00c", "Home": "\ue011", "End": "\ue010"}
PREFERENCES = """\
user_pref("marionette.port", PORT);
user_pref("ui.systemUsesDarkTheme", DARK);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1, localhost");
user_pref("app.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("dom.w3c_touch_events.enabled", 1);
"""
"""No network but this machine; the colours of the system; touch."""

Send = Callable[[str, Any], Any]


class Engine:
    """One window. ``send`` gives it a command of WebDriver, by the name that the standard has for it."""

    def __init__(self, name: str, send: Send, screen: Path) -> None:
        self.name = name
        self.send = send
        self._screen = screen

    def open(self, address: str, width: int = 1366, height: int = 768) -> None:
        self.send("SetWindowRect", {"x": 0, "y": 0, "width": width, "height": height})
        self.send("Navigate", {"url": address})

    def run(self, script: str, *given: Any) -> Any:
        """What the body of a function returns in the page."""
        return self.send("ExecuteScript", {"script": script, "args": list(given)})

    def wait(self, script: str, *given: Any, seconds: float = SECONDS) -> Any:
        """The first answer of a script that is true."""
        deadline = time.monotonic() + seconds
        while not (answer := self.run(script, *given)):
            assert time.monotonic() < deadline, f"{self.name}: never true: {script}"
            time.sleep(0.05)
        return answer

    def press(self, *keys: str) -> None:
        """Press keys, one after another, where the focus is."""
        pressed = [{"type": kind, "value": KEYS.get(k, k)} for k in keys for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": pressed})

    def drag(self, start: Sequence[float], end: Sequence[float], kind: str = "mouse") -> None:
        """Press at a place of the window, move and release; from a place to itself it is a click or a tap."""
        steps = [{"type": "pointerMove", "duration": 0, "x": round(start[0]), "y": round(start[1])}]
        steps += [{"type": "pointerDown", "button": 0}]
        for k in range(1, 6):
            x, y = (round(a + (b - a) * k / 5) for a, b in zip(start, end, strict=True))
            steps += [{"type": "pointerMove", "duration": 20, "x": x, "y": y}]
        steps += [{"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps})

    def _act(self, source: dict[str, Any]) -> None:
        self.send("PerformActions", {"actions": [source]})
        self.send("ReleaseActions", {})

    def frame(self, selector: str | None) -> None:
        """Look into the first frame that matches; without a selector, at the page itself."""
        found = None if selector is None else self.run("return document.querySelector(arguments[0])", selector)
        element = found and next(iter(found.values()))
        self.send("SwitchToFrame", {"element": element} if self.name == "firefox" else {"id": found})

    def picture(self, path: Path) -> None:
        """Save what the screen shows, which Xvfb keeps in a file of X's own kind: a header, colours, then pixels."""
        from PIL import Image

        dump = self._screen.read_bytes()
        header, _, _, _, width, height = struct.unpack(">6I", dump[:24])
        pixels = dump[header + 12 * struct.unpack(">I", dump[76:80])[0] :]
        path.parent.mkdir(exist_ok=True)
        Image.frombytes("RGB", (width, height), pixels, "raw", "BGRX").save(path)


@contextmanager
def engine(name: str, folder: Path, dark: bool = False) -> Iterator[Engine]:
    """A browser with an empty profile in ``folder``."""
    with _screen(folder) as screen:
        environment = {**os.environ, "HOME": str(folder), "DISPLAY": screen, "XDG_CACHE_HOME": str(folder / "cache")}
        with {"firefox": _firefox, "webkit": _webkit}[name](folder, environment, dark) as send:
            yield Engine(name, send, folder / "Xvfb_screen0")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def _program(command: list[str], environment: dict[str, str] | None = None, **options: Any) -> Iterator[Any]:
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, **options) as running:
        try:
            yield running
        finally:
            running.terminate()


@contextmanager
def _screen(folder: Path) -> Iterator[str]:
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        "1400x1000x24",
        "-nolisten",
        "tcp",
        "-fbdir",
        str(folder),
    ]
    with _program(command, pass_fds=(write,)):
        os.close(write)
        with open(read) as told:
            yield f":{told.readline().strip()}"


@contextmanager
def _firefox(folder: Path, environment: dict[str, str], dark: bool) -> Iterator[Send]:
    port = _free_port()
    profile = folder / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(PREFERENCES.replace("PORT", str(port)).replace("DARK", str(int(dark))))
    command = ["firefox-esr", "--marionette", "--profile", str(profile), "--no-remote"]
    with _program(command, environment, stdout=subprocess.DEVNULL), _connected(port) as line:
        stream = line.makefile("rwb")

        def heard() -> Any:
            size = b""
            while (one := stream.read(1)) != b":":
                size += one
            return json.loads(stream.read(int(size)))

        def send(command: str, given: Any) -> Any:
            text = json.dumps([0, 1, f"WebDriver:{command}", given])
            stream.write(f"{len(text.encode())}:{text}".encode())
            stream.flush()
            _, _, error, answer = heard()
            if error:
                raise RuntimeError(f"{command}: {error['message']}")
            return answer["value"] if isinstance(answer, dict) and "value" in answer else answer

        heard()
        send("NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        yield send
        with suppress(OSError, ValueError):
            send("DeleteSession", {})


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            line = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            with line:
                yield line
            return


PATHS = {"Navigate": "url", "ExecuteScript": "execute/sync", "SetWindowRect": "window/rect", "SwitchToFrame": "frame"}
PATHS |= {"PerformActions": "actions", "ReleaseActions": "actions"}
METHODS = {"ReleaseActions": "DELETE"}


@contextmanager
def _webkit(folder: Path, environment: dict[str, str], dark: bool) -> Iterator[Send]:
    port = _free_port()
    environment |= {"GTK_THEME": "Adwaita:dark" if dark else "Adwaita", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"}
    with _program(["WebKitWebDriver", f"--port={port}"], environment, stdout=subprocess.DEVNULL):
        with _connected(port):
            pass

        def ask(method: str, path: str, given: Any = None) -> Any:
            data = None if method != "POST" else json.dumps(given).encode()
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", data, method=method)
            try:
                with urllib.request.urlopen(asked, timeout=SECONDS * 2) as answer:
                    return json.load(answer)["value"]
            except urllib.error.HTTPError as error:
                raise RuntimeError(f"{path}: {error.read().decode()}") from None

        browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        options = {"binary": str(browser), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        session = ask("POST", "session", wanted)["sessionId"]

        def send(command: str, given: Any) -> Any:
            return ask(METHODS.get(command, "POST"), f"session/{session}/{PATHS[command]}", given)

        yield send
        ask("DELETE", f"session/{session}")


def is_here(name: str) -> bool:
    """Whether this browser and a screen for it are installed."""
    return all(shutil.which(program) for program in (PACKAGES[name], "Xvfb"))
