"""Start a command that serves JupyterLab, read its address, stop it, and see what it leaves behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ADDRESS = re.compile(r"http://\S+/lab/tree/\S+token=\w+")


class LabProcess:
    """A running command; ``mark`` is in the environment of every process that comes from it."""

    def __init__(self, process: subprocess.Popen[str], mark: str) -> None:
        self.process = process
        self.mark = mark
        self.output = ""

    def wait_for_address(self, seconds: float) -> str:
        """The address that the command prints; the time is checked at every line."""
        stdout = self.process.stdout
        assert stdout is not None
        deadline = time.monotonic() + seconds
        for line in stdout:
            self.output += line
            if found := ADDRESS.search(line):
                return found[0]
            assert time.monotonic() < deadline, self.output
        raise AssertionError(f"no address before the command ended:\n{self.output}")

    def interrupt(self, seconds: float) -> int:
        """Press Ctrl-C: every process of the command's group gets SIGINT. The answer is the exit status."""
        os.killpg(self.process.pid, signal.SIGINT)
        rest, _ = self.process.communicate(timeout=seconds)
        self.output += rest
        return self.process.returncode

    def children(self) -> dict[int, bytes]:
        """The environment of every living process that carries the mark, by process number."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if self.mark.encode() in environment:
                found[int(folder.name)] = environment
        return found


@contextmanager
def lab_process(command: Sequence[str], home: Path, cwd: Path, **variables: str) -> Iterator[LabProcess]:
    """Run ``command`` with an empty home and only PATH and ``variables`` set; nothing of it outlives the block."""
    mark = f"autolab-test-{uuid.uuid4()}"
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "AUTOLAB_MARK": mark, **variables}
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        running = LabProcess(process, mark)
        try:
            yield running
        finally:
            for number in running.children():
                os.kill(number, signal.SIGKILL)


def fetch(address: str, data: bytes | None = None, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Status and text of a page; with ``data`` it is posted."""
    request = urllib.request.Request(address, data, dict(headers or {}))
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.status, answer.read().decode()
