"""Pictures with their durations as the bytes of a film: `.gif` by Pillow, `.mp4` by ffmpeg."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np
from PIL import Image, ImageColor

RATE = 10
"""Frames per second while numbers move."""


def ffmpeg() -> str | None:
    """The path of ffmpeg, or of the one included in the package imageio-ffmpeg; None if there is none."""
    if (found := shutil.which("ffmpeg")) is not None:
        return found
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):  # it may have none for this machine
        return None


def as_gif(shots: list[tuple[Image.Image, int]], ground: str) -> bytes:
    """The bytes of a GIF with one palette, made from the exact background, the last picture and one in the middle."""
    shown, lengths = [image for image, _ in shots], [milliseconds for _, milliseconds in shots]
    both = Image.new("RGB", (shown[0].width, 2 * shown[0].height))
    both.paste(shown[-1], (0, 0))
    both.paste(shown[len(shown) // 2], (0, shown[0].height))
    palette = both.quantize(256, Image.Quantize.MAXCOVERAGE)
    pictures = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in shown]
    colors = np.array(palette.getpalette()).reshape(-1, 3)
    colors[np.asarray(pictures[0])[0, 0]] = ImageColor.getrgb(ground)
    for picture in pictures:
        picture.putpalette(colors.ravel().tolist())
    first, *others = pictures
    out = io.BytesIO()
    first.save(out, "GIF", save_all=True, append_images=others, duration=lengths, loop=0, optimize=False)
    return out.getvalue()


def as_mp4(shots: list[tuple[Image.Image, int]], writer: str) -> bytes:
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]  # formats that every player supports
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "walk.mp4")
        command = [writer, "-loglevel", "error", "-f", "image2pipe", "-framerate", str(RATE), "-i", "-", *even, path]
        pictures = b"".join([_png(image) * max(1, round(ms * RATE / 1000)) for image, ms in shots])
        subprocess.run(command, input=pictures, check=True, capture_output=True)
        return Path(path).read_bytes()


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
