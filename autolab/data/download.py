"""Downloads: over https, verified by a SHA-256, limited in size and time, and cached."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin

from ..shared.files import FileFormatError, replacing

_CHUNK = 1 << 16
_TIMEOUT = 30.0
"""The longest silence, in seconds."""

_LONGEST = 3600.0
"""The time for all of a file, in seconds: a server that sends a byte now and then is never silent."""

MAX_BYTES = 1 << 30


class DownloadError(OSError):
    """A file could not be downloaded, or is not the expected one. Nothing of it is kept.

    Examples
    --------
    >>> from autolab.data import DownloadError, get_digits, get_mnist
    >>> def images():
    ...     try:
    ...         return get_mnist()
    ...     except DownloadError:  # the smaller digits need no network
    ...         return get_digits()
    >>> train, test = images()  # doctest: +SKIP
    >>> issubclass(DownloadError, OSError)
    True
    """


def cache_folder() -> Path:
    """The folder for downloads: ``AUTOLAB_CACHE`` if it is set, otherwise in the user's cache folder."""
    chosen = os.environ.get("AUTOLAB_CACHE")
    return Path(chosen) if chosen else Path(_pooch().os_cache("autolab"))


def fetch(url: str, sha256: str, name: str, max_bytes: int = MAX_BYTES, progress: bool = True) -> Path:
    """Download a file unless it is in the cache already; returns its path there.

    If the cached file has been changed, it is downloaded again. Several processes may call this at the same time.

    Parameters
    ----------
    url : str
        Starts with ``https://``.
    sha256 : str
        The SHA-256 of the file, as 64 hexadecimal digits.
    name : str
        Its path in the cache, such as ``mnist/train-labels.gz``.
    max_bytes : int
        The largest size that is accepted.
    progress : bool
        Whether to show a progress bar (tqdm).

    Raises
    ------
    ValueError
        If the address is not https, ``sha256`` is malformed, or the name leads out of the cache.
    DownloadError
        If the file could not be downloaded, or is not the expected one.

    Examples
    --------
    >>> from autolab.data import fetch
    >>> path = fetch("https://example.org/x.gz", 64 * "0", "mine/x.gz")  # doctest: +SKIP
    >>> fetch("http://example.org/x.gz", 64 * "0", "mine/x.gz")
    Traceback (most recent call last):
        ...
    ValueError: fetch: url is 'http://example.org/x.gz'; expected an address that starts with https://
    """
    if not url.startswith("https://"):
        raise ValueError(f"fetch: url is {url!r:.100}; expected an address that starts with https://")
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise ValueError(f"fetch: sha256 is {sha256!r:.80}; expected 64 hexadecimal digits")
    if not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)*", name):
        raise ValueError(f"fetch: name is {name!r:.80}; expected a path inside the cache, such as mnist/labels.gz")
    target = cache_folder() / name
    if target.is_file() and _pooch().file_hash(str(target)) == sha256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            if _Downloader(max_bytes, progress)(url, file) != sha256:
                raise FileFormatError("its SHA-256 does not match")
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise DownloadError(
            f"{target.name} could not be fetched from {url:.100} ({_reason(error)}). "
            f"get_digits() and get_iris() need no network; or put the file into {target.parent} yourself."
        ) from None
    return target


class _Downloader:
    """Downloads one address into a file, and aborts on any irregularity."""

    def __init__(self, max_bytes: int, progress: bool) -> None:
        self._max_bytes, self._progress = max_bytes, progress

    def __call__(self, url: str, file: BinaryIO) -> str:
        """Download into ``file``; returns the SHA-256 of the content. Where the connection breaks, it goes on."""
        seen = hashlib.sha256()
        end = time.monotonic() + _LONGEST
        with _session() as session, self._bar(url) as bar:
            for part in self._parts(session, url, file, bar):
                self._check(file.tell() + len(part))
                file.write(part)
                seen.update(part)
                bar.update(len(part))
                if time.monotonic() > end:
                    raise FileFormatError(f"it takes longer than {_LONGEST:g} seconds")
        return seen.hexdigest()

    def _parts(self, session: Any, url: str, file: BinaryIO, bar: Any) -> Iterator[bytes]:
        """The content as it arrives. After a break the rest is asked for, as long as each attempt brings something."""
        from urllib3.exceptions import HTTPError

        while True:
            begin = file.tell()
            rest = {"Range": f"bytes={begin}-"} if begin else {}
            with session.get(url, stream=True, timeout=_TIMEOUT, headers=rest) as response:
                response.raise_for_status()
                if begin and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                    raise FileFormatError("the connection broke, and the server does not go on where it stopped")
                said = int(response.headers.get("Content-Length", 0))
                self._check(begin + said)
                bar.total = bar.total or said or None
                try:
                    while part := response.raw.read1(_CHUNK):
                        yield part
                    return
                except HTTPError as error:
                    if file.tell() == begin:
                        raise FileFormatError(f"the connection broke: {type(error).__name__}") from error

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            raise FileFormatError(f"it is larger than {self._max_bytes} bytes")

    def _bar(self, url: str) -> Any:
        """A bar that tells the speed, too."""
        from tqdm.auto import tqdm

        name = url.rpartition("/")[2]
        return tqdm(desc=name, unit="B", unit_scale=True, disable=not self._progress)


def _session() -> Any:
    import requests

    class HttpsSession(requests.Session):
        """Follows redirections to https only."""

        def get_redirect_target(self, resp: requests.Response) -> str | None:
            target = super().get_redirect_target(resp)
            if not urljoin(resp.url, target).startswith("https://"):
                raise FileFormatError("it was redirected to an address that is not https")
            return target

    return HttpsSession()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:  # a full disk, for example
        return error.strerror
    return str(error) if isinstance(error, FileFormatError) else type(error).__name__


def _pooch() -> Any:
    try:
        import pooch
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "fetch: pooch is not installed; python -m pip install pooch. autolab.data.get_digits() needs no download"
        ) from None
    return pooch
