"""Sentences about gradients are true, and None is never 0."""

import numpy as np
import pytest

import autolab
from autolab.engine import store
from autolab.views import mimebundle
from autolab.views.draw import grad_status as status
from autolab.views.draw.messages import SENTENCES, say
from autolab.views.graph.readings import readings

from ..cases import recorded_muladd, recording, step


@pytest.fixture(autouse=True)
def no_pass_before(monkeypatch):
    """No sentence is about a pass of another test, whose output somebody may still hold."""
    monkeypatch.setattr(store.last, "output", None)


def variable(through=None):
    x = autolab.Variable(np.array([1.0, -2.0]), name="x")
    if through is not None:
        y = through(x)
        y.grad = np.ones(2)
        y.backward()
    return x


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: variable(), "not_computed"),
        (lambda: variable(through=lambda x: x * x), "ok"),
        (lambda: variable() * 2, "not_computed"),
        (lambda: variable(through=lambda x: x * x) * 2, "not_kept"),
        (lambda: autolab.Variable(np.array([1, 2])), "integer"),
        (lambda: autolab.Variable(np.array([True])), "integer"),
        (lambda: autolab.Variable(1.0, requires_grad=False), "not_required"),
        (lambda: autolab.Variable(np.zeros((0, 3))), "not_computed"),
    ],
)
def test_sentence_of_a_variable(make, key):
    assert status.of_variable(make()) == say(key)


def test_a_gradient_that_was_kept_in_between_is_seen():
    x = autolab.Variable(2.0)
    y = x * x
    (y * 3).backward(retain_grad=True)
    assert status.of_variable(y) == say("ok")


@pytest.mark.parametrize("key", ["zero", "nonfinite", "not_reached", "constant", "integer"])
def test_sentence_of_a_step_stands_in_readings_and_text(key):
    grad = {"zero": 0.0, "nonfinite": np.nan}.get(key)
    shown = recording(step(0, 1.0, grad, name="x", status=key))
    sentence = say(f"{key}_started" if grad is not None else key)  # it is the output, and nothing changed it
    assert readings(shown)["nodes"]["0"]["status"] == sentence
    assert sentence in mimebundle(shown)["text/plain"]


def test_no_gradient_is_no_number():
    reading = readings(recording(step(0, 0.0, name="x")))["nodes"]["0"]
    assert reading["grad"] is None and "gradient 0" not in reading["spoken"]
    assert readings(recording(step(0, 0.0, 0.0, name="x", status="zero")))["nodes"]["0"]["grad"] == "0"


def test_a_good_gradient_needs_no_sentence():
    assert {node["status"] for node in readings(recorded_muladd())["nodes"].values()} == {""}


def test_every_key_of_the_recorder_has_a_sentence():
    assert {"ok", "zero", "nonfinite", "not_reached", "constant", "integer"} <= SENTENCES.keys()
