"""What passes between the judge and a notebook's process: data alone, and nothing that is not well formed."""

from __future__ import annotations

import json
import socket
import time

import numpy as np
import pytest
from helpers.each import each

from autolab import FunctionNode, Variable
from autolab.lesson.grading.wire import LineBroken, Wire, decoded, encoded


@pytest.mark.parametrize(
    "value", [None, 3, 2.5, "down", (1, "a"), [1.0, 2], {"x": 1}, np.float32([1, 2]), np.array(3.0), np.zeros((0, 2))]
)
def test_plain_data_comes_back(value):
    back = decoded(json.loads(json.dumps(encoded(value))))
    assert type(back) is type(value) and np.array_equal(np.asarray(back), np.asarray(value))


def test_of_functions_classes_and_others_only_the_kind_is_told():
    assert encoded(lambda x: x) == {"function": False} and encoded(FunctionNode) == {"class": "FunctionNode"}
    assert repr(decoded(encoded(object()))).startswith("<object object")
    assert decoded(encoded(Variable([1.0, np.nan]))).dtype == np.float64
    with pytest.raises(TypeError, match="is not a valid answer"):
        encoded(np.array([object()]))


ARRAY = {"dtype": "<f8", "shape": [1], "data": "AAAAAAAAAAA="}


@each(
    "message",
    [
        *(
            3,
            [],
            {},
            {"plain": []},
            {"pickle": ""},
            {"array": 1},
            {"variable": None},
            {"list": 3},
            {"dict": [[1]]},
        ),
        *({"array": ARRAY | change} for change in ({"shape": [2]}, {"shape": [-1]}, {"dtype": "O"}, {"data": "!"})),
    ],
    ids=str,
)
def test_what_is_no_value_breaks_the_line(message):
    with pytest.raises(LineBroken):
        decoded(message)


def test_a_value_that_is_too_deep_breaks_the_line():
    message = {"list": []}
    for _ in range(5000):
        message = {"list": [message]}
    with pytest.raises(LineBroken):
        decoded(message)


def test_what_is_no_message_or_comes_too_late_breaks_the_line():
    for sent, why in ((b"{]\n", "form"), (b"[1]\n", "form"), (b"[" * 100_000 + b"\n", "form"), (b"x", "time")):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(sent)
            with pytest.raises(LineBroken, match=why):
                Wire(ours, time.monotonic() + (0.2 if why == "time" else 60)).receive()
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises(LineBroken, match="gone"):
        Wire(ours).receive()
