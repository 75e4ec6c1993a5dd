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
from contextlib import contextmanager, suppress
from pathlib import Path

ADDRESS = re.compile(r"http://\S+/lab/tree/\S+token=\w+")


class LabProcess:
    """A running command; ``mark`` is in the environment of every process that comes from it."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, mark: str) -> None:
        self.process = process
        self.mark = mark
        self._log = log

    @property
    def output(self) -> str:
        """All that it has printed so far."""
        return self._log.read_text("utf-8")

    def wait_for_address(self, seconds: float) -> str:
        """The address that the command prints."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            ended = self.process.poll() is not None
            if found := ADDRESS.search(self.output):
                return found[0]
            assert not ended, f"it ended without an address:\n{self.output}"
            time.sleep(0.05)
        raise AssertionError(f"no address within {seconds} s:\n{self.output}")

    def interrupt(self, seconds: float) -> int:
        """Press Ctrl-C: every process of the command's group gets SIGINT. The answer is the exit status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(seconds)

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
    """Run ``command`` with only HOME, PATH and ``variables`` set; nothing that it starts outlives the block."""
    mark = f"autolab-test-{uuid.uuid4()}"
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "AUTOLAB_MARK": mark, **variables}
    log = home / f"{mark}.log"
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        running = LabProcess(process, log, mark)
        try:
            yield running
        finally:
            for number in running.children():
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)


def fetch(address: str, data: bytes | None = None, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Status and text of a page; with ``data`` it is posted."""
    request = urllib.request.Request(address, data, dict(headers or {}))
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.status, answer.read().decode()
