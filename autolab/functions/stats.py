"""``autolab.scipy.stats``: distributions under SciPy's names."""

from . import normal_distribution as norm

__path__: list[str] = []  # so that ``import autolab.scipy.stats.norm`` asks what it stands for
__all__ = ["norm"]
