"""The programs that the playground offers, by their names; the first is there when the page opens."""

from __future__ import annotations

EXAMPLES: dict[str, str] = {
    "Multiply and add": """\
import autolab

def muladd(x, y, z):
    h = x * y
    return h + z

autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
""",
    "A value used twice": """\
import autolab

def twice(x):
    h = x * x
    return h * x + h

autolab.explore(twice, x=1.5)
""",
    "A small network": """\
import numpy as np
import autolab
from autolab import functions as F

rng = np.random.default_rng(0)

def network(x, W1, b1, W2, b2, target):
    h = F.tanh(x @ W1 + b1)
    y = h @ W2 + b2
    return F.mean((y - target) ** 2)

autolab.explore(
    network,
    x=rng.normal(size=(4, 2)),
    W1=rng.normal(size=(2, 3)), b1=np.zeros(3),
    W2=rng.normal(size=(3, 1)), b2=np.zeros(1),
    target=rng.normal(size=(4, 1)),
)
""",
    "y, y' and y''": """\
import autolab
from autolab import functions as F

def wave(x):
    return F.sin(x) * F.exp(-x / 4)

autolab.derivatives(wave, x=1.0)
""",
    "A wrong gradient": """\
import numpy as np
import autolab

@autolab.elementwise(x=lambda g, y: g * (1 - y))  # wrong: what should be here?
def tanh(xp, x):
    return xp.tanh(x)

autolab.check_gradients(tanh, np.array([0.3, -1.2, 0.8]))
""",
    "An array as a heatmap": """\
import numpy as np
import autolab

x = np.linspace(-3, 3, 40)
autolab.heatmap(wave=np.sin(x) * np.cos(x)[:, None])
""",
}
