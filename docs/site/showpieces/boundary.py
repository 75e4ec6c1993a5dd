"""A decision boundary that you turn

`p` is the answer of one unit on a grid of 6 x 6 points: orange is one class, blue the other one. Drag `angle`, and the
boundary turns; drag `shift`, and it moves. Only the points near it have a gradient.
"""

import numpy as np

import autolab
from autolab import functions as F

side = np.linspace(-2, 2, 6)
X, Y = np.meshgrid(side, side)


def boundary(angle, shift):
    z = np.cos(angle) * X + np.sin(angle) * Y - shift
    p = F.tanh(2 * z)
    return p


view = autolab.explore(boundary, angle=0.6, shift=0.3)
