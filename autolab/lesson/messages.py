"""The sentences that all exercises share; what one exercise says is beside it, in its ``says``.

No sentence holds the expected array or the finished formula.
"""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "state.right": "✓ Right: {exercise}.",
    "state.wrong": "✗ Not right: {exercise}.",
    "state.not yet": "○ {exercise}: not yet. Put your answer in its place, and run this cell again.",
    "more": (
        "Change your answer and run the cell again. If you do not see why, run it once more: there is more "
        "help ({count})."
    ),
    "result": "your result",
    "slopes": "the gradients of x and of y",
    "forward": "the result of your forward",
    "gradient": "the gradient of {name}",
    "error": "error",
    "differs": "Look at {what}.",
    "differs.at": "Look at {what}: {count} of {total} elements are wrong.",
    "shape.right": "The shape of {what}, {given}, is right.",
    "shape.wrong": "The shape of {what} is {given}; it must be {expected}.",
    "shape.number": "The shape of {what} is {given}; it must be one number.",
    "errors": "{where}, the largest error of {what} is {off}, at {place} (yours minus what it should be).",
    "errors.number": "{where}, {what} is off by {off} (yours minus what it should be).",
    "errors.none": "{where}, {what} is no finite number.",
    "draw": "For one random draw of inputs",
    "point": "At {point}",
    "none": "What your code returns is None, or holds None. Is there a return in front of the result?",
    "printed": "(Your code printed more: {count} lines. A check runs it many times.)",
    "stopped": "Your code stops with {error}: {text}",
    "stopped.class": (
        "Does forward keep what backward needs, and return a tuple? Does backward return one Variable for each input?"
    ),
    "number.wrong": "It is not {answer}.",
    "number.sign": "It has the other sign.",
    "number.small": "It is larger.",
    "number.large": "It is smaller.",
    "no_number": "{answer} is no number. This answer is one number.",
    "choice.wrong": "It is another one. What made you choose this one?",
    "no_choice": "{answer} is not among the choices: {choices}.",
    "witness.agrees": "For this input its gradient is right. Look for one for which it is not.",
    "witness.numbers": "An input is made of finite numbers, one at least.",
    "no_function": "{answer} is no function. Give the function itself, without calling it.",
    "no_class": "{answer} is no FunctionNode class. Give the class itself, without calling it.",
}


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("number.wrong", answer="3")
    'It is not 3.'
    """
    return SENTENCES[key].format(**values)
