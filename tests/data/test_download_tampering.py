"""Downloads from a server that lies: nothing but the expected file is ever accepted (R10)."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from autolab.data import (
    MNIST,
    DownloadError,
    FashionMNIST,
    TupleDataset,
    download,
    fetch,
    get_fashion_mnist,
    get_mnist,
    mnist,
)
from autolab.shared.files import FileFormatError
from data.https_server import certificate, send, serving

pytestmark = pytest.mark.goal(id="R10")

pytest.importorskip("pooch")

CONTENT = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def cache(tmp_path, monkeypatch, pem):
    monkeypatch.setenv("AUTOLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem))
    return tmp_path / "cache"


@pytest.fixture
def server(pem):
    with serving(pem) as server:
        server.answers["file"] = send(CONTENT)
        yield server


def get(server, path="file", **options):
    return fetch(server.url(path), SHA256, "folder/file", **{"progress": False, **options})


def kept(cache):
    return [p for p in cache.rglob("*") if p.is_file()]


def test_the_expected_file_is_fetched_once(server, cache):
    assert get(server).read_bytes() == CONTENT
    assert get(server) == cache / "folder" / "file" and server.asked == ["file"]


def drip(handler):
    """The right bytes, at most a third of them."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(CONTENT)))
    handler.end_headers()
    handler.wfile.write(CONTENT[: len(CONTENT) // 3])
    handler.close_connection = True


FAULTS = {
    "wrong bytes": send(CONTENT[:-1] + b"!"),
    "one byte less": send(CONTENT[:-1]),
    "one byte more": send(CONTENT + b"!"),
    "cut off": drip,
    "nothing": send(b""),
    "says it is longer": send(CONTENT, length=len(CONTENT) + 10),
    "says it is shorter": send(CONTENT, length=len(CONTENT) - 10),
    "says it is huge": send(CONTENT, length=1 << 40),
    "an error page": send(CONTENT, status=404),
    "a broken server": send(CONTENT, status=500),
    "a page instead": send(b"<html>please log in</html>"),
    "compressed": send(gzip.compress(CONTENT)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_anything_else_is_refused_and_not_kept(fault, server, cache):
    server.answers["file"] = FAULTS[fault]
    with pytest.raises(DownloadError) as caught:
        get(server)
    assert "get_digits() and get_iris() need no network" in str(caught.value) and len(str(caught.value)) <= 400
    assert caught.value.__cause__ is None and caught.value.__suppress_context__  # fifty lines of urllib3
    assert kept(cache) == []
    server.answers["file"] = send(CONTENT)
    assert get(server).read_bytes() == CONTENT  # the next attempt is not hurt


def unsaid(handler):
    """The right bytes, and no word about how many they are."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(CONTENT)
    handler.close_connection = True


@pytest.mark.parametrize("answer", [send(b"", length=1001), unsaid], ids=["said before", "on the way"])
def test_a_file_larger_than_allowed_is_given_up(answer, server, cache):
    server.answers["file"] = answer
    with pytest.raises(DownloadError, match="larger than 1000 bytes"):
        get(server, max_bytes=1000)
    assert kept(cache) == []


@pytest.mark.parametrize("answer", [send(CONTENT), unsaid], ids=["said before", "on the way"])
def test_a_file_may_be_just_as_large_as_allowed(answer, server, cache):
    server.answers["file"] = answer
    with pytest.raises(DownloadError, match=f"larger than {len(CONTENT) - 1} bytes"):
        get(server, max_bytes=len(CONTENT) - 1)
    assert get(server, max_bytes=len(CONTENT)).read_bytes() == CONTENT


def test_what_is_given_up_is_hung_up(server, cache):
    hung_up = threading.Event()

    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(CONTENT)
        except OSError:
            hung_up.set()

    server.answers["file"] = endless
    with pytest.raises(DownloadError) as caught:  # which holds all frames
        get(server, max_bytes=1000)
    assert hung_up.wait(5) and "larger" in str(caught.value)


def test_a_server_that_says_nothing_is_given_up(server, cache, monkeypatch):
    assert 0 < download._TIMEOUT <= 60
    monkeypatch.setattr(download, "_TIMEOUT", 0.1)
    over = threading.Event()
    server.answers["file"] = lambda handler: over.wait(5)
    with pytest.raises(DownloadError, match="ReadTimeout"):
        get(server)
    over.set()


def breaking(handler, every=100_000, status=206):
    """A server whose connection breaks after ``every`` bytes, and which goes on where it is asked to."""
    begin = int(re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", "bytes=0-"))[1])
    rest = CONTENT[begin:]
    handler.send_response(status if begin else 200)
    handler.send_header("Content-Length", str(len(rest)))
    handler.end_headers()
    handler.wfile.write(rest[:every])
    handler.close_connection = True


def test_a_download_goes_on_where_the_connection_broke(server, cache):
    server.answers["file"] = breaking
    assert get(server).read_bytes() == CONTENT
    assert len(server.asked) == 1 + len(CONTENT) // 100_000


def test_the_beginning_is_not_put_behind_the_beginning(server, cache):
    server.answers["file"] = lambda handler: breaking(handler, status=200)
    with pytest.raises(DownloadError, match="does not go on where it stopped"):
        get(server)
    assert kept(cache) == [] and len(server.asked) == 2


def test_a_server_that_is_never_silent_and_never_done_is_given_up(server, cache, monkeypatch):
    monkeypatch.setattr(download, "_LONGEST", 0.2)

    def trickle(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        with suppress(OSError):
            for at in range(200):
                handler.wfile.write(CONTENT[at : at + 1])
                time.sleep(0.05)

    server.answers["file"] = trickle
    with pytest.raises(DownloadError, match=r"longer than 0\.2 seconds"):
        get(server)
    assert kept(cache) == [] and server.asked == ["file"]


def test_what_a_message_repeats_is_cut(server, cache):
    long = "n" * 5000
    for url, sha256, name in [(long, SHA256, "x"), (server.url(""), long, "x"), (server.url(""), SHA256, f"/{long}")]:
        with pytest.raises(ValueError, match="expected") as caught:
            fetch(url, sha256, name)
        assert len(str(caught.value)) <= 200
    with pytest.raises(DownloadError, match="nnn") as caught:
        get(server, long)
    assert len(str(caught.value)) <= 400


def test_a_folder_in_the_place_of_a_file_is_an_error_of_the_download(server, cache):
    (cache / "folder" / "file").mkdir(parents=True)
    with pytest.raises(DownloadError, match="Is a directory"):
        get(server)


def test_the_cache_is_the_users_where_none_is_chosen(monkeypatch):
    for choose in (lambda: monkeypatch.setenv("AUTOLAB_CACHE", ""), lambda: monkeypatch.delenv("AUTOLAB_CACHE")):
        choose()
        assert download.cache_folder().is_absolute() and "autolab" in download.cache_folder().parts


def test_without_pooch_it_says_what_to_do(server, cache, monkeypatch):
    get(server)
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ModuleNotFoundError, match="python -m pip install pooch"):
        get(server)


def test_no_redirection_leaves_https(server, cache):
    with serving(None) as plain:
        plain.answers["file"] = send(CONTENT)
        server.answers["away"] = send(b"", status=302, Location=plain.url("file"))
        with pytest.raises(DownloadError, match="not https"):
            get(server, "away")
        assert plain.asked == [] and kept(cache) == []
    server.answers["moved"] = send(b"", status=302, Location="/file")
    assert get(server, "moved").read_bytes() == CONTENT


def test_a_certificate_nobody_knows_is_refused(server, cache, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(DownloadError, match="SSLError"):
        get(server)
    assert server.asked == [] and kept(cache) == []


def test_an_edited_cache_is_noticed(server, cache):
    path = get(server)
    path.write_bytes(CONTENT[:-1] + b"!")
    assert get(server).read_bytes() == CONTENT and len(server.asked) == 2
    path.write_bytes(b"edited")
    server.answers["file"] = FAULTS["a broken server"]
    with pytest.raises(DownloadError):
        get(server)


@pytest.mark.parametrize("name", ["../file", "/file", "a/../../file", "", "a\\b", ".hidden"])
def test_names_stay_inside_the_cache(name, server, cache):
    with pytest.raises(ValueError, match="expected a path inside the cache"):
        fetch(server.url("file"), SHA256, name)
    assert server.asked == []


def test_only_https_and_only_with_a_sum(server, cache):
    with pytest.raises(ValueError, match="starts with https://"):
        fetch("http://localhost/file", SHA256, "file")
    with pytest.raises(ValueError, match="starts with https://"):
        fetch("http://localhost/?from=https://localhost/file", SHA256, "file")
    for sha256 in ("", "abc", SHA256.upper(), SHA256 + "0"):
        with pytest.raises(ValueError, match="64 hexadecimal digits"):
            fetch(server.url("file"), sha256, "file")


def test_many_may_ask_at_once(server, cache):
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: get(server), range(8)))
    assert {p.read_bytes() for p in paths} == {CONTENT} and kept(cache) == [paths[0]]


def test_a_killed_process_leaves_nothing_that_counts(server, cache):
    def slow(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:1000])
        handler.wfile.flush()
        time.sleep(5)

    server.answers["slow"] = slow
    program = (
        f"from autolab.data import fetch; fetch({server.url('slow')!r}, {SHA256!r}, 'folder/file', progress=False)"
    )
    child = subprocess.Popen([sys.executable, "-c", program], env=os.environ, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not server.asked and time.monotonic() < until:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert server.asked == ["slow"] and not (cache / "folder" / "file").exists()
    assert get(server).read_bytes() == CONTENT


def idx(array):
    return gzip.compress(bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes())


def test_a_bar_tells_how_far_it_is(server, cache, capsys):
    get(server, progress=True)
    last = capsys.readouterr().err.split("\r")[-1]
    assert last.startswith("file: 100%|") and "512k/512k" in last
    for answer, progress, expected in [(unsaid, True, "512kB"), (send(CONTENT), False, "")]:
        (cache / "folder" / "file").unlink()
        server.answers["file"] = answer
        get(server, progress=progress)
        shown = capsys.readouterr().err
        assert expected in shown and bool(expected) == bool(shown) and "/" not in shown.replace("B/s", "")


@pytest.mark.source("CI-20")
@pytest.mark.parametrize(("kind", "load"), [(MNIST, get_mnist), (FashionMNIST, get_fashion_mnist)])
def test_two_datasets_come_from_pinned_files(kind, load, server, cache, monkeypatch):
    assert kind.address.startswith("https://") and len(set(kind.sums.values())) == 4
    assert all(re.fullmatch("[0-9a-f]{64}", sha256) for sha256 in kind.sums.values())
    rng, arrays = np.random.default_rng(0), {}
    for name in kind.sums:
        shape = (9 if name.startswith("train") else 4, *((28, 28) if "images" in name else ()))
        arrays[name] = rng.integers(0, 256 if "images" in name else 10, shape, np.uint8)
    files = {name: idx(array) for name, array in arrays.items()}
    server.answers |= {name: send(content) for name, content in files.items()}
    monkeypatch.setattr(kind, "address", server.url(""))
    with pytest.raises(DownloadError, match=r"SHA-256 does not match.*get_digits\(\) and get_iris\(\) need no network"):
        load()  # these are not the files that are pinned
    assert kept(cache) == []
    monkeypatch.setattr(kind, "sums", {name: hashlib.sha256(content).hexdigest() for name, content in files.items()})
    train, test = load()
    assert isinstance(train, TupleDataset) and (len(train), len(test)) == (9, 4)
    x, t = train[:]
    assert x.shape == (9, 784) and x.dtype == np.float32 and x.min() >= 0 and x.max() <= 1 and t.dtype == np.int64
    np.testing.assert_array_equal(np.rint(255 * x), arrays["train-images-idx3-ubyte.gz"].reshape(9, 784))
    asked = len(server.asked)
    assert load()[0][5][1] == arrays["train-labels-idx1-ubyte.gz"][5] and len(server.asked) == asked  # from the cache


@pytest.mark.source("DZ-47")
def test_mnist_is_made_of_such_files(server, cache, monkeypatch):
    rng = np.random.default_rng(0)
    arrays = {
        "train-images-idx3-ubyte.gz": rng.integers(0, 256, (20, 28, 28), np.uint8),
        "train-labels-idx1-ubyte.gz": rng.integers(0, 10, 20, np.uint8),
        "t10k-images-idx3-ubyte.gz": rng.integers(0, 256, (5, 28, 28), np.uint8),
        "t10k-labels-idx1-ubyte.gz": rng.integers(0, 10, 6, np.uint8),
    }
    files = {name: idx(array) for name, array in arrays.items()}
    server.answers |= {name: send(content) for name, content in files.items()}

    class Small(MNIST):
        folder = "small"
        address = server.url("")
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}  # noqa: RUF012

    assert 60_000 * 784 + 16 <= mnist._MAX_BYTES <= 100_000_000
    with monkeypatch.context() as lowered, pytest.raises(DownloadError, match="larger than 99 bytes"):
        lowered.setattr(mnist, "_MAX_BYTES", 99)
        Small()
    data = Small()
    assert data.data.shape == (20, 1, 28, 28) and data.data.dtype == np.uint8 and len(data) == 20
    x, t = data[3]
    np.testing.assert_allclose(x, arrays["train-images-idx3-ubyte.gz"][3].ravel() / 255, rtol=1e-6)
    assert x.dtype == np.float32 and t == arrays["train-labels-idx1-ubyte.gz"][3]
    with pytest.raises(TypeError, match=r"Small\.show: rng"):
        data.show(rng=3)
    assert data.show(2, 3).size == (84, 56) and MNIST.labels()[7] == "7"
    assert Small(transform=lambda x: x.sum())[0][0] == data.data[0].sum()
    with pytest.raises(FileFormatError, match="do not fit together"):
        Small(train=False)


@pytest.mark.parametrize("shape", [(6, 784), (6, 28, 28, 3), ()])
def test_images_that_are_none_are_refused(shape):
    class Other(MNIST):
        def _read(self, what):
            return np.zeros(shape if what == "images" else shape[:1], np.uint8)

    with pytest.raises(FileFormatError, match="do not fit together"):
        Other()
