"""Functions as layers, under PyTorch's names: ``L.ReLU()``, ``L.MaxPool2d(2)``, ``L.Flatten()``.

`Sequential` takes plain functions as well; a layer remembers what else the function is called with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from .. import functions as F
from ..engine.keyword_aliases import takes_other_words
from ..functions.variable_methods import flatten
from .chain import ChainList
from .linear import Linear
from .link import Link


class FunctionLayer(Link):
    """A function with settings, as a layer without parameters.

    Parameters
    ----------
    *settings, **named
        What the function takes after its input.

    Examples
    --------
    >>> from autolab import Variable, links as L
    >>> L.Sequential(L.Flatten(), L.ReLU())(Variable([[[-1.0, 2.0]]]))
    variable([[0. 2.]])
    >>> L.MaxPool2d(2)
    MaxPool2d(2)
    """

    function: ClassVar[Callable[..., Any]]

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__()
        named.pop("inplace", None)  # nobody sees the input afterwards
        if settings and isinstance(settings[-1], bool):  # it stands last
            settings = settings[:-1]
        self._settings, self._keywords = settings, named

    def forward(self, *inputs: Any) -> Any:
        """The function of the input, of a loss that of predictions and what is right."""
        return type(self).function(*inputs, *self._settings, **self._keywords)

    def extra_repr(self) -> str:
        """The settings."""
        named = [f"{name}={value!r}" for name, value in self._keywords.items()]
        return ", ".join([*map(repr, self._settings), *named])


class AvgPool2d(FunctionLayer):
    """See `functions.avg_pool2d`."""

    function = F.avg_pool2d


class BCEWithLogitsLoss(FunctionLayer):
    """See `functions.sigmoid_cross_entropy`."""

    function = F.sigmoid_cross_entropy


class CrossEntropyLoss(FunctionLayer):
    """See `functions.cross_entropy`."""

    function = F.cross_entropy


class Flatten(FunctionLayer):
    """The axes from ``start_dim`` to ``end_dim`` as one."""

    function = flatten

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__(start_dim, *[end_dim] * (end_dim != -1))


class GELU(FunctionLayer):
    """See `functions.gelu`."""

    function = F.gelu


class L1Loss(FunctionLayer):
    """See `functions.mean_absolute_error`."""

    function = F.mean_absolute_error


class LazyLinear(Linear):
    """A `Linear` whose first input tells the size of its inputs."""

    def __init__(self, out_size: int, bias: bool = True) -> None:
        super().__init__(None, out_size, nobias=not bias)


class LeakyReLU(FunctionLayer):
    """See `functions.leaky_relu`, whose slope is 0.2 by default; here it is 0.01, as in PyTorch."""

    function = F.leaky_relu

    @takes_other_words
    def __init__(self, slope: float = 0.01) -> None:
        super().__init__(slope=slope)


class MaxPool2d(FunctionLayer):
    """See `functions.max_pool2d`."""

    function = F.max_pool2d


class ModuleList(ChainList):
    """A `ChainList`, of links in a list."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        super().__init__(*links)


class ModuleDict(Link):
    """Links by name, which are its attributes as well."""

    def __init__(self, links: Mapping[str, Link] | None = None) -> None:
        super().__init__()
        for name, link in (links or {}).items():
            self[name] = link

    def __setitem__(self, name: str, link: Link) -> None:
        self._register(name, "link", link)

    def __getitem__(self, name: str) -> Any:
        return dict(self._own("link"))[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._own("link")))

    def __len__(self) -> int:
        return len(dict(self._own("link")))

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and links."""
        return self._own("link")

    keys, values = __iter__, Link.children


class MSELoss(FunctionLayer):
    """See `functions.mean_squared_error`."""

    function = F.mean_squared_error


class ReLU(FunctionLayer):
    """See `functions.relu`."""

    function = F.relu


class Sigmoid(FunctionLayer):
    """See `functions.sigmoid`."""

    function = F.sigmoid


class SiLU(FunctionLayer):
    """See `functions.silu`."""

    function = F.silu


class SmoothL1Loss(FunctionLayer):
    """See `functions.smooth_l1`."""

    function = F.smooth_l1


class Softmax(FunctionLayer):
    """See `functions.softmax`; the first setting is the axis."""

    function = F.softmax


class Tanh(FunctionLayer):
    """See `functions.tanh`."""

    function = F.tanh


def _layer(name: str, function: Callable[..., Any]) -> type[FunctionLayer]:
    said = f"See `functions.{name}`."
    return type(name, (FunctionLayer,), {"__doc__": said, "__module__": __name__, "function": function})


AdaptiveAvgPool2d = _layer("AdaptiveAvgPool2d", F.adaptive_avg_pool2d)
AvgPool1d, MaxPool1d = _layer("AvgPool1d", F.avg_pool1d), _layer("MaxPool1d", F.max_pool1d)
BCELoss, HuberLoss = _layer("BCELoss", F.binary_cross_entropy), _layer("HuberLoss", F.huber)
KLDivLoss, NLLLoss = _layer("KLDivLoss", F.kl_div), _layer("NLLLoss", F.nll_loss)
ELU, SELU, Mish, ReLU6 = _layer("ELU", F.elu), _layer("SELU", F.selu), _layer("Mish", F.mish), _layer("ReLU6", F.relu6)
Hardtanh, LogSigmoid = _layer("Hardtanh", F.hardtanh), _layer("LogSigmoid", F.logsigmoid)
LogSoftmax, Softplus = _layer("LogSoftmax", F.log_softmax), _layer("Softplus", F.softplus)
CELU, GLU = _layer("CELU", F.celu), _layer("GLU", F.glu)
Hardsigmoid, Hardswish = _layer("Hardsigmoid", F.hardsigmoid), _layer("Hardswish", F.hardswish)
PixelShuffle, Softsign = _layer("PixelShuffle", F.pixel_shuffle), _layer("Softsign", F.softsign)
GaussianNLLLoss, TripletMarginLoss = _layer("GaussianNLLLoss", F.gaussian_nll), _layer("TripletMarginLoss", F.triplet)
CosineSimilarity = _layer("CosineSimilarity", lambda a, b, dim=1, eps=1e-8: F.cosine_similarity(a, b, dim, eps))
Tanhshrink = _layer("Tanhshrink", lambda x: x - F.tanh(x))
Identity = _layer("Identity", lambda x: x)
Unflatten = _layer("Unflatten", F.unflatten)
