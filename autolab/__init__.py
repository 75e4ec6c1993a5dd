"""AutoLab: a laboratory for automatic differentiation.

    >>> import autolab
    >>> x = autolab.Variable(3.0)
    >>> y = x ** 2 - 2 * x + 1
    >>> y.backward()
    >>> x.grad
    variable(4.0)

Variables and functions     `Variable`, `Parameter`, `FunctionNode`, `primitive`, `elementwise`, `functions`
Other ways to write them    `authoring`: Chainer's old style, DeZero's, PyTorch's; `gpu`: kernels written in C
Gradients                   ``y.backward()``, `grad`, `no_grad`, `using_config`; `transforms`: functions of functions
Seeing a computation        `explore`, `record`, `graph`, `derivatives`; `export_html` saves any of them as a page
Seeing numbers              `heatmap`, `interact`; `plots`: line charts, surfaces, Jacobians, Hessians
Seeing a loss               `curvature`: the eigenvalues of a model's Hessian; `plots.surface`: its landscape
Speed                       `compile`: trace a training step once; `fuse`: combine several functions into one
Checking gradients          `check_gradients`, `numerical_grad`, `assert_allclose`; more in `gradcheck`
Finding faults              `diagnose`: what is wrong with a program; `compare`: where two runs begin to differ;
                            `check_inplace`; `debug`: values changed in place
Networks                    `links`, `initializers`, `optimizers`, `training`, `data`, `serializers`
PyTorch and JAX             `record`, `explore`, `check_gradients` take their functions: `bridges.torch`, `bridges.jax`
Other libraries' code       `compat`: the names of PyTorch, Chainer and DeZero, for their books and scripts
Learning                    `lesson.check`: the exercises of the notebooks

Each of these names has an example: ``help(autolab.explore)``.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from .shared.collector import collector_waits as _collector_waits

with _collector_waits():  # this creates 14,000 objects, all of which stay alive
    from . import functions
from . import views as _views  # noqa: F401  # importing it registers what it shows
from .authoring import FunctionNode
from .engine import Parameter, Variable, as_variable, get_array_module, grad
from .engine.arrays import device, to_cpu, to_gpu
from .engine.configuration import config, global_config, named_scope, no_grad, test_mode, using_config
from .engine.declare import elementwise, primitive
from .engine.errors import (
    DamagedValueError,
    DeclarationError,
    DetachError,
    FusionError,
    GradientCountError,
    GradientShapeError,
    NoGradientError,
    ReuseError,
)
from .engine.habits import ModulesByHabit as _ModulesByHabit
from .engine.memory import keep_blocks as _keep_blocks
from .engine.numpy_protocol import on_device as _on_device
from .engine.observe import observe
from .engine.source import point_to_users as _point_to_users
from .engine.tracebacks import brief_in_notebooks as _brief_in_notebooks
from .shared.narrow_output import spell_out as _spell_out

if TYPE_CHECKING:
    from . import (
        analysis,
        authoring,
        compat,
        data,
        debug,
        gpu,
        gradcheck,
        initializers,
        lesson,
        links,
        optimizers,
        plots,
        serializers,
        training,
        transforms,
    )
    from .analysis.curvature import curvature
    from .analysis.diagnosis import diagnose
    from .analysis.run_comparison import compare
    from .debug import check_inplace
    from .gpu import elementwise_kernel
    from .gradcheck import GradientReport, assert_allclose, check_gradients, numerical_grad
    from .links import Chain, ChainList, Link, Sequential
    from .recording import Recording
    from .recording.graph import graph
    from .recording.record import record
    from .transforms.compiling import compile
    from .transforms.fuse import fuse
    from .views.derivatives.explorer import derivatives
    from .views.export.pages import export_html
    from .views.graph.explorer import explore
    from .views.heatmap.heatmap import heatmap
    from .views.interact.interact import interact

__version__ = "0.1.0"

_keep_blocks()
_point_to_users()
_brief_in_notebooks()
_spell_out()
_sys.meta_path.insert(0, _ModulesByHabit)  # before the finder that would load a module again under another name


def _by_gpu(name: str) -> Any:
    """A function of `autolab.gpu`, which is imported at the first array that is not NumPy's, and then replaces this."""

    def loaded(*args: Any) -> Any:
        _import_module(".gpu", __name__)
        return getattr(_on_device, name)(*args)

    return loaded


for _name in ("forward", "pull", "with_number"):
    setattr(_on_device, _name, _by_gpu(_name))

# All of these are loaded on first use, so that `import autolab` costs little more than NumPy.
_FOUND_IN = {
    "links": "Chain ChainList Link Sequential",
    "gradcheck": "GradientReport assert_allclose check_gradients numerical_grad",
    "debug": "check_inplace",
    "gpu": "elementwise_kernel",
    "recording": "Recording graph record",
    "analysis.diagnosis": "diagnose",
    "analysis.run_comparison": "compare",
    "analysis.curvature": "curvature",
    "transforms.compiling": "compile",
    "transforms.fuse": "fuse",
    "views.derivatives.explorer": "derivatives",
    "views.graph.explorer": "explore",
    "views.export.pages": "export_html",
    "views.heatmap.heatmap": "heatmap",
    "views.interact.interact": "interact",
}
_LAZY = {name: module for module, names in _FOUND_IN.items() for name in names.split()}

__all__ = [
    "Chain",
    "ChainList",
    "DamagedValueError",
    "DeclarationError",
    "DetachError",
    "FunctionNode",
    "FusionError",
    "GradientCountError",
    "GradientReport",
    "GradientShapeError",
    "Link",
    "NoGradientError",
    "Parameter",
    "Recording",
    "ReuseError",
    "Sequential",
    "Variable",
    "analysis",
    "as_variable",
    "assert_allclose",
    "authoring",
    "check_gradients",
    "check_inplace",
    "compare",
    "compat",
    "compile",
    "config",
    "curvature",
    "data",
    "debug",
    "derivatives",
    "device",
    "diagnose",
    "elementwise",
    "elementwise_kernel",
    "explore",
    "export_html",
    "functions",
    "fuse",
    "get_array_module",
    "global_config",
    "gpu",
    "grad",
    "gradcheck",
    "graph",
    "heatmap",
    "initializers",
    "interact",
    "lesson",
    "links",
    "named_scope",
    "no_grad",
    "numerical_grad",
    "observe",
    "optimizers",
    "plots",
    "primitive",
    "record",
    "serializers",
    "test_mode",
    "to_cpu",
    "to_gpu",
    "training",
    "transforms",
    "using_config",
]


def _explore(self: Variable) -> Any:
    """Explore the graph that computed this value, step by step, with the values that it still holds.

    The graph is not run again: it lacks the branches that were not taken and some of the constants, so the inputs
    cannot be moved. To move them, explore the function: ``autolab.explore(fn, x=...)``. In plain Python, where there
    is no notebook to draw in, the view is saved as a page and its path is printed.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.Variable(3.0)
    >>> y = x * x
    >>> view = y.explore()
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    """
    from .views.graph.graph_view import explore_graph

    return explore_graph(self, _sys._getframe(1))


# Added to Variable here, as `functions` adds the operators: the engine imports no view, but this module may import all.
_explore.__name__ = _explore.__qualname__ = "explore"
Variable.explore = _explore  # type: ignore[method-assign, assignment]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        if name in __all__:  # neither defined here nor listed in _FOUND_IN, so it is a module
            return _import_module(f".{name}", __name__)
        from .engine.habit_tables import ALIASES, answers
        from .engine.habits import by_habit

        if name in functions.__all__ or name in ALIASES["functions"]:
            return getattr(functions, name)
        if name in _numpy.__all__ and name not in {**ALIASES["autolab"], **answers("autolab")}:
            return getattr(by_habit(__name__, "autolab", "numpy"), name)
        return by_habit(__name__, "autolab", name)
    value = getattr(_import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
