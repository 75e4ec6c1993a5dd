"""FunctionNodes that several tests use."""

from __future__ import annotations

import numpy as np

from autolab import FunctionNode
from autolab import functions as F


class MulAdd(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return (inputs[0] * inputs[1] + inputs[2],)

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        return grad_outputs[0] * y, grad_outputs[0] * x, grad_outputs[0]


class SinCos(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return np.sin(inputs[0]), np.cos(inputs[0])

    def backward(self, target_input_indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        terms = [g * d for g, d in zip(grad_outputs, (F.cos(x), -F.sin(x)), strict=True) if g is not None]
        return (sum(terms[1:], start=terms[0]),)
