"""Three optimizers in Rosenbrock's valley

All start at the same point and take 60 steps. SGD creeps and stays behind; with momentum and with Adam, the ball has
turned into the valley. Click the surface or drag the ball to start elsewhere. In a notebook, the race is in the menu
of the view.
"""

import autolab
from autolab import optimizers


def rosenbrock(x, y):
    return (1 - x) ** 2 + 20 * (y - x**2) ** 2


valley = autolab.plots.surface(rosenbrock, (0.0, 1.0), span=2.0)
view = valley.explore((-1.5, 2.0), optimizers.SGD(0.002), steps=60)
