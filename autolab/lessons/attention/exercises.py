"""Exercises of 09 attention: softmax(q @ k.T / sqrt(d)) @ v for three tokens, and every gradient on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...functions import matmul, softmax, transpose
from ...lesson.exercise import Arrays, Exercise, OwnGradient, Prediction, Values, normal


def _softmax(s: np.ndarray, axis: int | None = 1) -> np.ndarray:
    e = np.exp(s - s.max())
    return e / e.sum(axis=axis, keepdims=True)


def _weights(rng: np.random.Generator) -> Arrays:
    return {"A": _softmax(rng.normal(size=(3, 3))), "gA": rng.normal(size=(3, 3))}


def _values(rng: np.random.Generator) -> Arrays:
    return _weights(rng) | {"v": rng.normal(size=(3, 2)), "gy": rng.normal(size=(3, 2))}


def _only(*names: str) -> Any:
    """Of what `_values` draws, some."""
    return lambda rng: {name: array for name, array in _values(rng).items() if name in names}


EXERCISES: tuple[Exercise, ...] = (
    Prediction(
        "attention-predict-weight",
        lambda: 1 / 3,
        {"score": lambda: 2.0, "whole": lambda: 1.0, "zero": lambda: 0.0},
        says={
            "right": "Equal scores, equal weights: every token gets a third, whatever the scores are.",
            "score": "2 is a score. What do the three weights of a row add up to?",
            "whole": "1 is the sum of the whole row. How many tokens share it?",
            "zero": "A weight is close to 0 where its score is far below the others. Is that so for one of these?",
            "hint": "Three weights are equal, and they add up to 1. How large is each?",
        },
    ),
    Values(
        "attention-weights",
        normal(s=(3, 3)),
        _softmax,
        {
            "columns": lambda s: _softmax(s, axis=0),
            "all": lambda s: _softmax(s, axis=None),
            "powers": lambda s: np.exp(s),
        },
        says={
            "right": "Each row adds up to 1: each token divides its attention among the tokens that it looks at.",
            "columns": "Your columns add up to 1. Look at the picture of A: do its rows add up to 1, or its columns?",
            "all": "All nine of your numbers add up to 1. What should each row add up to?",
            "powers": "What does the first row of your result add up to? It should be 1.",
            "hint": "First the exponentials. By what do you divide them, so that each row adds up to 1?",
        },
    ),
    Values(
        "attention-gv",
        _only("A", "gy"),
        lambda A, gy: A.T @ gy,
        {"forward": lambda A, gy: A @ gy, "no_upstream": lambda A, gy: A.T @ np.ones_like(gy)},
        says={
            "right": "Every token that looks at this one sends it a share of its upstream gradient.",
            "forward": "Row i of A says where token i looks. Who looks at token j? That is column j.",
            "no_upstream": "The weights are there. Where is gy?",
            "hint": "v[0] is used for all three rows of y. With which three weights?",
        },
    ),
    Values(
        "attention-gA",
        _only("v", "gy"),
        lambda v, gy: gy @ v.T,
        {"turned": lambda v, gy: v @ gy.T},
        says={
            "right": "Each weight gets the product of an upstream gradient and a value.",
            "turned": "Yours is the transpose. A[0, 1] moves row 0 of y: which row of gy belongs to it?",
            "hint": "gA is (3, 3). Which product of gy (3, 2) and v (3, 2), one transposed, has that shape?",
        },
    ),
    Prediction(
        "attention-predict-same",
        lambda: 0.0,
        {"same": lambda: 5.0, "third": lambda: 5 / 3},
        says={
            "right": "If all weights are worth the same, it does not matter how they are shared out.",
            "same": "5 is the gradient of a weight. One weight can grow only if others shrink: what is gained?",
            "third": "That would be the whole gain if nothing were lost. By how much do the other two weights fall?",
            "hint": "One weight grows, and two shrink by the same amount. All are worth 5. What is the net gain?",
        },
    ),
    Values(
        "attention-gs",
        _weights,
        lambda A, gA: A * (gA - (gA * A).sum(axis=1, keepdims=True)),
        {
            "alone": lambda A, gA: A * gA,
            "diagonal": lambda A, gA: gA * A * (1 - A),
            "columns": lambda A, gA: A * (gA - (gA * A).sum(axis=0, keepdims=True)),
            "mean": lambda A, gA: A * (gA - gA.mean(axis=1, keepdims=True)),
        },
        says={
            "right": "What counts is how much better a weight is than the average of its row.",
            "alone": "If all of gA were 5, what would your line give? The picture above says 0.",
            "diagonal": "That is how a weight moves with its own score. Which other weights does a score move?",
            "columns": "You take the average along the columns. Along which axis do the weights add up to 1?",
            "mean": "This average is weighted. Which numbers are its weights?",
            "hint": "Subtract from gA the average of its row, weighted with A. What do you multiply the rest by?",
        },
    ),
    OwnGradient(
        "attention-own",
        normal(q=(3, 4), k=(3, 4), v=(3, 2)),
        lambda q, k, v: matmul(softmax(matmul(q, transpose(k)) / 2.0, axis=1), v),
        says={
            "right": "Three gradients, from products and one softmax: that is the whole backward of attention.",
            "wrong_factor": "The scores were divided by the root of d. What does that do to the gradients of q and k?",
            "swapped_inputs": "The first gradient belongs to q, the second to k.",
            "hint": "s is q @ k.T, divided by a number. Which products give q and k their gradients, by their shapes?",
        },
    ),
)
