"""The graph of the front page"""

import autolab


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


view = autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
