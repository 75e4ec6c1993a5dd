"""Files from the network, kept in a folder as DeZero keeps them."""

from __future__ import annotations

import os
import urllib.request
from itertools import count

from ...shared.files import replacing
from .. import missing

cache_dir = os.path.join(os.path.expanduser("~"), ".dezero")
"""Where downloads are kept; a file that is put there under its name is not downloaded."""

_CELLS = 30
_BLOCK = 1 << 16


def show_progress(block_num: int, block_size: int, total_size: int) -> None:
    """Print how much of a download is there, as a bar and in percent, at most 100 %."""
    share = min(block_num * block_size / total_size, 1.0) if total_size > 0 else 1.0
    filled = int(share * _CELLS)
    print(f"\r[{'#' * filled}{'.' * (_CELLS - filled)}] {share * 100:.2f}%", end="")


def get_file(url: str, file_name: str | None = None) -> str:
    """The path of a file in `cache_dir`, downloaded if it is not there. What is half downloaded is removed.

    Raises
    ------
    OSError
        If it cannot be downloaded; the message says where to put it by hand.
    """
    name = file_name or url.partition("?")[0].rstrip("/").rpartition("/")[2]
    path = os.path.join(cache_dir, name)
    if os.path.exists(path):
        return path
    os.makedirs(cache_dir, exist_ok=True)
    print("Downloading: " + name)
    try:
        with urllib.request.urlopen(url) as response, replacing(path) as file:
            total = int(response.headers.get("Content-Length") or 0)
            for block in count(1):
                if not (part := response.read(_BLOCK)):
                    break
                file.write(part)
                show_progress(block, _BLOCK, total)
    except OSError as error:
        raise OSError(f"get_file: {name} could not be downloaded from {url} ({error}); put it into {path}") from error
    print(" Done")
    return path


__getattr__ = missing(__name__)
