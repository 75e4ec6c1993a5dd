"""The engine: arrays in, gradients out. README.md in this folder follows a gradient through it.

The names that most of the package uses are here; all others are imported from their module.
"""

from . import memory  # noqa: F401  # on import it changes how edges are freed in a browser
from .argument_checks import in_own_words, takes_other_words
from .arrays import array_of, as_array, check_real, to_cpu, to_gpu
from .backend import Array, device_name, get_array_module, is_array
from .configuration import check_rng, config, no_grad, test_mode, using_config
from .creator import nodes_below
from .declare import elementwise
from .display import Bundle, Displayed, Savable, show
from .errors import a_kind, check_number, check_whole
from .grad import grad
from .modes import backprop_enabled, listeners, numpys_generator, overrides, watchers
from .multi_output import MultiOutputNode, OutputNode
from .node import Leaf, Node, new_order
from .numpy_protocol import unwrap
from .observe import BackwardEvent, ForwardEvent
from .parameter import Parameter
from .primitive import Primitive
from .source import file_label
from .store import publish
from .tracebacks import folded, hidden
from .variable import Variable, as_variable, wrap

__all__ = ["Array", "BackwardEvent", "Bundle", "Displayed", "ForwardEvent", "Leaf", "MultiOutputNode", "Node"]
__all__ += ["OutputNode", "Parameter", "Primitive", "Savable", "Variable", "a_kind", "array_of", "as_array"]
__all__ += ["as_variable", "backprop_enabled", "check_number", "check_real", "check_rng", "check_whole", "config"]
__all__ += ["device_name", "elementwise", "file_label", "folded", "get_array_module", "grad", "hidden"]
__all__ += ["in_own_words", "is_array", "listeners", "new_order", "no_grad", "nodes_below", "numpys_generator"]
__all__ += ["overrides", "publish", "show", "takes_other_words", "test_mode", "to_cpu", "to_gpu", "unwrap"]
__all__ += ["using_config", "watchers", "wrap"]
