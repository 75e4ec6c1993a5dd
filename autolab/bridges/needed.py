"""What a bridge needs: its library, and a program whose gradients can be shown truthfully."""

from __future__ import annotations


class UnsupportedError(RuntimeError):
    """A program that a bridge does not show, because a number in the picture could be another than the library's.

    The message names what it is, and what can be done.

    Examples
    --------
    >>> from autolab.bridges.needed import UnsupportedError
    >>> issubclass(UnsupportedError, RuntimeError)
    True
    """


def missing(error: ModuleNotFoundError, library: str, title: str) -> ImportError:
    """Of an error of importing a bridge: one sentence that says what to install, if its library is what is missing.

    Examples
    --------
    >>> from autolab.bridges.needed import missing
    >>> missing(ModuleNotFoundError(name="torch"), "torch", "PyTorch")
    ImportError("autolab.bridges.torch needs PyTorch: pip install 'jupyter-autolab[torch]'")
    """
    if (error.name or "").partition(".")[0] != library:  # it is there, and something that it needs is not
        return error
    install = f"pip install 'jupyter-autolab[{library}]'"
    return ImportError(f"autolab.bridges.{library} needs {title}: {install}", name=library)
