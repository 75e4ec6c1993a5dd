"""The sentences that all exercises share; those of a single exercise are in its ``says``.

No sentence contains the expected array or the finished formula.
"""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "state.right": "✓ Right: {exercise}.",
    "state.wrong": "✗ Not right: {exercise}.",
    "state.no code": "○ {exercise}: left out, as this page shows no code to change. Open the notebook in JupyterLab.",
    "state.not yet": "○ {exercise}: not yet. Put your answer in its place, and run this cell again.",
    "more": (
        "Change your answer and run the cell again. If you do not see why, run it once more: there is more "
        "help ({count})."
    ),
    "progress": "(Right so far in this lesson: {right} of {total} exercises.)",
    "result": "your result",
    "slopes": "the gradients of x and of y",
    "forward": "the result of your forward",
    "gradient": "the gradient of {name}",
    "error": "error",
    "differs": "Look at {what}.",
    "differs.gradient": "Look at {what}: if {name} grows a little, how does the result change?",
    "differs.one": "Look at {what}: 1 of {total} elements is wrong. Which one, and why?",
    "differs.some": "Look at {what}: {count} of {total} elements are wrong. What do they have in common?",
    "differs.both": "Look at {what}: both numbers are wrong.",
    "differs.all": "Look at {what}: all {total} elements are wrong.",
    "shape.right": "The shape of {what}, {given}, is right.",
    "shape.wrong": "The shape of {what} is {given}; it must be {expected}.",
    "shape.number": "The shape of {what} is {given}; it must be one number.",
    "errors": "{where}, the largest error of {what} is {off}, at {place} (yours minus what it should be).",
    "errors.number": "{where}, {what} is off by {off} (yours minus what it should be).",
    "errors.none": "{where}, {what} is not a finite number.",
    "draw": "For one random draw of inputs",
    "point": "At {point}",
    "none": "Your code returns None, or something with a None in it. Is there a return in front of the result?",
    "printed": "(Your code printed more: {count} lines. A check runs it many times.)",
    "stopped": "Your code stops with {error}",
    "stopped.class": (
        "Does forward keep what backward needs, and return a tuple? Does backward return one Variable for each input?"
    ),
    "number.sign": "Your {answer} has the wrong sign.",
    "number.small": "Your {answer} is too small.",
    "number.large": "Your {answer} is too large.",
    "tried_out": "So many different answers were handed in that none of them counts. Decide on one.",
    "no_number": "{answer} is not a number. The answer is a single number.",
    "no_choice": "{answer} is not one of the choices: {choices}.",
    "witness.agrees": "For your input the gradient is right. For which inputs might it be wrong?",
    "witness.numbers": "An input must consist of finite numbers, at least one.",
    "no_array": "Your result is {kind}. Is that a number, or an array of real numbers?",
    "no_function": "{answer} is not a function. Pass the function itself, without calling it.",
    "no_class": "{answer} is not a FunctionNode class. Pass the class itself, without calling it.",
}


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("number.small", answer="3")
    'Your 3 is too small.'
    """
    return SENTENCES[key].format(**values)
