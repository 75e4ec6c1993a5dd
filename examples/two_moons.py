"""A net learns to separate two half moons; run it in a notebook to watch the training: `%run examples/two_moons.py`.

Choose a unit to see its results and gradients; move "past states" to go through the training again.
"""

import numpy as np

from autolab import functions as F
from autolab import links as L
from autolab import optimizers
from autolab.training.extensions import LiveMonitor

rng = np.random.default_rng(0)
t = rng.integers(0, 2, 200)
angle = rng.uniform(0, np.pi, 200)
moons = np.stack([np.cos(angle) + t - 0.5, np.where(t == 1, 0.25 - np.sin(angle), np.sin(angle) - 0.25)], axis=1)
x = (moons + rng.normal(0, 0.1, moons.shape)).astype(np.float32)

model = L.Classifier(L.MLP((6, 4, 2), activation=F.tanh))
optimizer = optimizers.Adam(0.02).setup(model)
monitor = LiveMonitor(model, boundary=(x, t))

for _ in range(1000):
    loss = optimizer.update(model, x, t)
    if not monitor.update(loss=loss, accuracy=model.accuracy):  # the Stop button was pressed
        break

print(monitor)
