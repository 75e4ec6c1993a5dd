"""Functions with a forward and a backward as students write them, and what the lens says of them."""

from __future__ import annotations

import numpy as np

from autolab import Variable, check_gradients
from autolab.authoring import SimpleFunction

BOTH = np.array([-1.6, -0.7, 0.4, 1.1, 1.9])
POSITIVE = np.linspace(0.3, 1.7, 6)


def function(forward, backward):
    """A function of a class with this ``forward(self, *arrays)``, and with ``backward(g, *arrays)``."""

    def pull(self, g):
        found = backward(g.data, *[x.data for x in self.inputs])
        return tuple([Variable(g) for g in (found if isinstance(found, tuple) else (found,))])

    kind = type("Rule", (SimpleFunction,), {"forward": forward, "backward": pull})
    return (lambda x: kind()(x)) if forward.__code__.co_argcount == 2 else (lambda x, z: kind()(x, z))


def said(forward, backward, *inputs):
    """The sentences with formulas about the function."""
    report = check_gradients(function(forward, backward), *inputs)
    assert report.verdict == "wrong", str(report)
    hints = [finding.hint for finding in report.findings if "written" in finding.evidence]
    return [hint[hint.index("Your rule") :].partition(" See ")[0] for hint in hints]


def saturating(self, x):
    e = np.exp(x)
    s = 1 + e * x
    return e / s
