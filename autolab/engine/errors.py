"""The engine's own exceptions. Each is also the built-in kind that a caller would expect to catch."""


class GradientShapeError(ValueError):
    """A backward returned a gradient whose shape is not the shape of the input it belongs to."""


class GradientCountError(ValueError):
    """A backward returned another number of gradients than the function has inputs (or inputs that need one)."""


class DeclarationError(TypeError):
    """A function was declared wrongly: an unknown rule name, or a backward with an old signature."""


class NoGradientError(TypeError):
    """A NumPy function that has no gradient here was applied to a Variable."""


class DetachError(TypeError):
    """An operation would have dropped a gradient silently: a conversion to a plain array, or a change in place."""


class ReuseError(RuntimeError):
    """One function object was applied twice; it stands in a graph once."""
