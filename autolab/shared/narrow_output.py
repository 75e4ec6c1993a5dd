"""Text on outputs whose encoding lacks mathematical signs, such as that of a script on Windows: the nearest letters."""

from __future__ import annotations

import codecs
import sys

_NEAREST = {
    "−": "-",
    "⁻": "-",
    "∂": "d",
    "∞": "inf",
    "√": "sqrt",
    "Σ": "sum",
    "Π": "prod",
    "∫": "integral",
    "′": "'",
    "″": "''",
    "‴": "'''",
    "×": "x",
    "÷": "/",
    "·": "*",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "↑": "^",
    "↓": "v",
    "✓": "ok",
    "✗": "wrong",
    "○": "o",
    "⊤": "T",
    "µ": "u",
    "…": "...",
    "“": '"',
    "”": '"',
}
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁽")


def spell_out() -> None:
    """Let `print` write a sign that the standard output's encoding lacks as the nearest letters: x⁻² as x^-2.

    Without it, Python raises UnicodeEncodeError in the middle of a report. An output that has all signs, or for which
    another way was chosen (``PYTHONIOENCODING=ascii:replace``), stays as it is.

    Examples
    --------
    >>> from autolab.shared.narrow_output import spell_out
    >>> spell_out()
    >>> "∂y/∂x = 3x² − ∞, é, 漢".encode("ascii", errors="autolab.nearest")
    b'dy/dx = 3x^2 - inf, e, \\\\u6f22'
    """
    codecs.register_error("autolab.nearest", _nearest)
    output = sys.stdout
    if getattr(output, "errors", None) != "strict" or not hasattr(output, "reconfigure"):
        return
    try:
        "".join(_NEAREST).encode(output.encoding)
    except UnicodeEncodeError:
        output.reconfigure(errors="autolab.nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, start, end = error.object, error.start, error.end
    while text[end - 1] in _RAISED and text[end : end + 1] in _RAISED:
        end += 1  # the rest of an exponent, even if the encoding has it
    letters = [_letters(sign) for sign in text[start:end]]
    for at in range(start, end):
        if text[at] in _RAISED and (at == 0 or text[at - 1] not in _RAISED):
            letters[at - start] = "^" + letters[at - start]
    return "".join(letters), end


def _letters(sign: str) -> str:
    """ASCII for a sign: the nearest letters, a letter without its accent, a Greek letter's name, or its number."""
    from unicodedata import name, normalize

    if plain := _NEAREST.get(sign) or normalize("NFKD", sign).encode("ascii", errors="ignore").decode():
        return plain
    alphabet, *words = name(sign, "").split() or [""]
    if alphabet == "GREEK" and words[1:2] == ["LETTER"]:
        return words[2].lower() if words[0] == "SMALL" else words[2].capitalize()
    return sign.encode("ascii", errors="backslashreplace").decode()
