"""A gradient vanishes in a recurrent network

Six steps of the same cell. Play the backward pass and follow the gradient of `h`: at each step it is multiplied by
`w * (1 - h**2)`, so the first input hardly counts. Drag `w` to 1.5 and see what that changes.
"""

import autolab
from autolab import functions as F


def rnn(w, u, x):
    h = 0.0 * w
    for t in range(6):
        h = F.tanh(w * h + u * x[t])
    return h


view = autolab.explore(rnn, w=0.5, u=1.0, x=[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
