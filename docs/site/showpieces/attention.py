"""Attention among three tokens

Each row of `A` says how much a token takes of the others. Drag a cell of `q`: its row changes, and the other rows do
not. The gradient of `s` sums to 0 in every row, because a softmax only shares out.
"""

import numpy as np

import autolab
from autolab import functions as F


def attention(q, k, v):
    s = q @ k.T / np.sqrt(2)
    A = F.softmax(s, axis=1)
    y = A @ v
    return y


q = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
k = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
v = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
view = autolab.explore(attention, q, k, v)
