"""``autolab.scipy.stats``: distributions under SciPy's names."""

from ..engine.habits import answering
from . import normal_distribution as norm

__path__: list[str] = []  # so that ``import autolab.scipy.stats.norm`` finds it
__all__ = ["norm"]
__getattr__ = answering(__name__, "stats")
