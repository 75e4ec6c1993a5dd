"""A Taylor polynomial that moves

The polynomial uses the value and the derivatives at one point. Move the point along the curve: close to it the
polynomial fits, and far away it goes where it likes. Choose how many derivatives it uses.
"""

import numpy as np

import autolab


def wave(x):
    return np.sin(x) * np.exp(-x / 4)


view = autolab.derivatives(wave, 1.0, order=3, domain=(-2.0, 8.0))
