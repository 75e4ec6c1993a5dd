"""A server on this machine that speaks https, and lies in every way that a test asks for."""

from __future__ import annotations

import http.server
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


def certificate(folder: Path) -> Path:
    """A certificate for localhost, signed by itself; key and certificate in one file."""
    pem = folder / "localhost.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    pem.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return pem


class Server(http.server.ThreadingHTTPServer):
    """``answers`` maps a path to what is done about it; ``asked`` are the paths so far."""

    daemon_threads = True

    def __init__(self, pem: Path | None) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        super().__init__(("localhost", 0), _Handler)
        if pem is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.scheme = "http" if pem is None else "https"

    def url(self, path: str) -> str:
        return f"{self.scheme}://localhost:{self.server_address[1]}/{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = self.path.lstrip("/")
        self.server.asked.append(path)
        self.server.answers[path](self)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serving(pem: Path | None) -> Iterator[Server]:
    """A server that answers inside the block."""
    server = Server(pem)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(content: bytes, length: int | None = None, status: int = 200, **headers: str) -> Answer:
    """Answer with these bytes; ``length`` is what the header claims."""

    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer
