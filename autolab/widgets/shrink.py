"""Spaces and comments out of JavaScript and CSS: the text travels with every view and into every saved notebook.

Names stay as they are, so that a message from the browser's console still says where it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_TOKEN = re.compile(
    r"(?P<line>\s*\n\s*)|(?P<space>[ \t]+)|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(?P<word>[\w$]+)|(?P<sign>.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_REGEX = "(,=:[!&|?{};"
_OPEN = "{([,;=>&|?:*<"  # a line that ends with one of these goes on
_CLOSE = "})].,;:?&|=*<>"  # a line that begins with one of these continues the one before


def shrink_js(text: str) -> str:
    """JavaScript without comments, and without the spaces and line ends that do not change its meaning.

    Examples
    --------
    >>> shrink_js("const a = (x) => {  // doubles\\n  return x + x;\\n};\\nlet b = `a  ${a( 1 )}`;")
    'let a=(x)=>{return x+x},b=`a  ${a( 1 )}`;'
    """
    parts: list[str] = []
    last, gap = "\n", ""
    for token in _declared_together(_tokens(text)):
        if token.isspace():
            gap = "\n" if "\n" in token or gap == "\n" else " "
            continue
        if token == "}" and last == ";" and parts[-3:-2] != [")"]:  # behind brackets it may be an empty statement
            parts.pop()
        parts += [_kept(last, token[0], gap), token]
        last, gap = token[-1], ""
    return "".join(parts)


def _declared_together(tokens: Iterable[str]) -> Iterator[str]:
    """``const`` as ``let``, and declarations that follow each other as one.

    In a program that works nothing assigns to a constant, so the guard against that is for those who read the files.
    """
    is_let: list[bool | None] = [None]  # in each bracket: whether the statement declares; None before its first word
    ended = False  # a semicolon waits for what follows
    for token in tokens:
        if token.isspace() and ended:
            continue
        token = "let" if token == "const" else token
        if ended and token == "let" and is_let[-1]:
            yield ","
            ended = False
            continue
        if ended:
            yield ";"
            is_let[-1] = None
        ended = token == ";"
        if not ended:
            yield token
            _follow(is_let, token)
    yield from ";" if ended else ""


def _follow(is_let: list[bool | None], token: str) -> None:
    """Keep the account of brackets and statements."""
    if is_let[-1] is None and not token.isspace():
        is_let[-1] = token == "let"
    if token in ("(", "[", "{"):
        is_let.append(None)
    elif token in (")", "]", "}") and len(is_let) > 1:
        is_let.pop()


def _kept(last: str, following: str, gap: str) -> str:
    """What has to stand between two tokens."""
    if gap == "\n":
        return "" if last in _OPEN + "\n" or following in _CLOSE else "\n"
    both_words = _is_word(last) and _is_word(following)
    return gap if gap and (both_words or (last in "+-" and following in "+-")) else ""


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"


def _tokens(text: str) -> Iterator[str]:
    """Words, signs, texts, and stretches of white space; a comment counts as the space around it."""
    place, before = 0, "\n"
    while place < len(text):
        if text[place] == "`":
            end = _end_of_template(text, place)
        elif text[place] == "/" and before in _BEFORE_REGEX and (found := _REGEX.match(text, place)):
            end = found.end()
        else:
            match = _TOKEN.match(text, place)
            assert match is not None
            end = match.end()
            if match.lastgroup == "comment":
                place = end
                yield " "
                continue
        token = text[place:end]
        yield token
        place, before = end, before if token.isspace() else token[-1]


def _end_of_template(text: str, start: int) -> int:
    """Behind the backquote that ends the template beginning at ``start``; templates stand in templates."""
    place, depth = start + 1, 0
    while True:
        character = text[place]
        if character == "\\":
            place += 1
        elif character == "`":
            if not depth:
                return place + 1
            place = _end_of_template(text, place) - 1
        elif text.startswith("${", place):
            depth += 1
        elif character == "}" and depth:
            depth -= 1
        place += 1


def shrink_css(text: str) -> str:
    """CSS without comments, and without the spaces and line ends that do not change its meaning.

    Examples
    --------
    >>> shrink_css("/* all */\\n.a :is(b, c) { color: red; margin: 0 1em; }\\n")
    '.a :is(b,c){color:red;margin:0 1em}'
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r" ?([{},;]) ?|(:) ", r"\1\2", text).replace(";}", "}")
