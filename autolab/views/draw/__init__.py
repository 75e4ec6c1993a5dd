"""Building blocks of all pictures: escaped text, colours, numbers in words, cells, charts; all pure functions.

The names that most views use are here; all others are imported from their module.
"""

from .escape import Markup, at_rest, clean, code, element, headline, join, paragraph, picture, prose
from .messages import plural, say
from .numbers import bytes_text, inline, number, seconds_text, shape_text

__all__ = ["Markup", "at_rest", "bytes_text", "clean", "code", "element", "headline", "inline", "join", "number"]
__all__ += ["paragraph", "picture", "plural", "prose", "say", "seconds_text", "shape_text"]
