"""What people type out of habit, from PyTorch, Chainer or NumPy: what does the same, and what there is instead.

Two tables, for classes, modules and docs/habits.md, which ``scripts/habits.py`` writes. Code is in backquotes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

HABITS: dict[str, dict[str, str]] = {
    "Variable": {
        "add_": "`x = x + y`; an update is `x.data += numbers`",
        "backward_hook": "`autolab.observe(hook)` hears every step",
        "bmm": "`x @ y`",
        "contiguous": "arrays need none: leave it out",
        "cpu": "`x.to_cpu()`",
        "cuda": "`x.to_gpu()`",
        "double": "`x.astype('float64')`",
        "float": "`x.astype('float32')`",
        "grad_fn": "`x.creator`",
        "half": "`x.astype('float16')`",
        "is_leaf": "`x.creator is None`",
        "long": "`x.astype('int64')`",
        "mm": "`x @ y`",
        "mul_": "`x = x * y`; an update is `x.data *= numbers`",
        "numel": "`x.size`",
        "register_hook": "`autolab.observe(hook)` hears every step; `y.backward(retain_grad=True)` keeps all gradients",
        "retain_grad": "`y.backward(retain_grad=True)` keeps the gradients of all values in between",
        "sub_": "`x = x - y`; an update is `x.data -= lr * x.grad.data`",
        "t": "`x.T`",
        "to": "`x.to_gpu()`, `x.to_cpu()` or `x.astype('float32')`",
        "unchain": "`x.detach()`",
        "unchain_backward": "`x.detach()`",
        "unsqueeze": "`F.expand_dims(x, axis)`",
        "zero_": "`x.data[...] = 0`; a gradient is cleared by `x.cleargrad()`",
    },
    "Link": {
        "add_link": "assign it: `self.name = link`",
        "add_module": "assign it: `self.name = link`",
        "add_param": "assign it: `self.name = Parameter(initializer, shape)`",
        "cpu": "`model.to_cpu()`",
        "cuda": "`model.to_gpu()`",
        "register_forward_hook": "`autolab.observe(hook)` hears every step",
        "serialize": "`serializers.save_npz(path, model)`",
        "to": "`model.to_gpu()` or `model.to_cpu()`",
    },
    "Optimizer": {
        "new_epoch": "nothing needs it: leave it out",
        "param_groups": "one optimizer for each group; `optimizer.lr` is the learning rate",
        "use_cleargrads": "nothing needs it: leave it out",
    },
    "functions": {
        "adaptive_avg_pool1d": "for size 1 `F.global_avg_pool(x, keepdims=True)`",
        "adaptive_avg_pool2d": "for size 1 `F.global_avg_pool(x, keepdims=True)`",
        "adaptive_max_pool2d": "for size 1 `F.global_max_pool(x, keepdims=True)`",
        "average_pooling_1d": "`F.avg_pool1d(x, kernel)`",
        "average_pooling_2d": "`F.avg_pool2d(x, kernel)`",
        "convolution_1d": "`F.conv1d(x, w, b)`",
        "convolution_2d": "`F.conv2d(x, w, b)`",
        "deconvolution_1d": "`F.conv_transpose1d(x, w, b)`",
        "deconvolution_2d": "`F.conv_transpose2d(x, w, b)`",
        "depth2space": "`F.pixel_shuffle(x, factor)`",
        "embed_id": "`F.embedding(ids, w)`",
        "gaussian_nll_loss": "`F.gaussian_nll(x, t, var)`",
        "get_item": "`x[index]`",
        "hinge_embedding_loss": "`F.hinge(x, t)` is nearest",
        "identity": "`x` itself",
        "im2col": "`F.unfold(x, kernel)`",
        "Linear": "layers are links: `L.Linear(in_size, out_size)`",
        "max_pooling_1d": "`F.max_pool1d(x, kernel)`",
        "max_pooling_2d": "`F.max_pool2d(x, kernel)`",
        "Module": "layers are links: `autolab.Link`",
        "select_item": "`x[np.arange(len(x)), t]`",
        "triplet_margin_loss": "`F.triplet(anchor, positive, negative)`",
    },
    "links": {
        "CrossEntropyLoss": "`F.softmax_cross_entropy(x, t)`",
        "Module": "`autolab.Link`",
        "ModuleList": "`L.ChainList(*links)`",
        "MSELoss": "`F.mean_squared_error(x, t)`",
        "Parameter": "`autolab.Parameter`",
    },
    "optimizers": {
        "GradientMethod": "`optimizers.Optimizer`",
        "CosineAnnealingLR": "`optimizers.SGD(optimizers.schedules.cosine(lr, total))`",
        "ExponentialLR": "`optimizers.SGD(optimizers.schedules.exponential(lr, factor))`",
        "lr_scheduler": "`optimizers.schedules`: a schedule is given as `lr`",
        "OneCycleLR": "`optimizers.SGD(optimizers.schedules.warmup(schedule, updates))`, of a cosine, is nearest",
        "StepLR": "`optimizers.SGD(optimizers.schedules.step(lr, factor, every))`",
    },
    "autolab": {
        "autograd": "`autolab.grad(y, x)`, `y.backward()`",
        "backends": "`autolab.to_gpu`, `autolab.get_array_module`",
        "cuda": "`autolab.to_gpu`, `autolab.to_cpu`, `autolab.device`",
        "checkpoint": "`autolab.transforms.checkpoint(f)`",
        "datasets": "`autolab.data`",
        "Function": "`autolab.FunctionNode`, or `autolab.authoring.Function`",
        "hessian": "`autolab.transforms.hessian(f)(x)`",
        "iterators": "`autolab.data`",
        "jacfwd": "`autolab.transforms.jacfwd(f)(x)`",
        "jacobian": "`autolab.transforms.jacobian(f)(x)`",
        "jacrev": "`autolab.transforms.jacrev(f)(x)`",
        "jvp": "`autolab.transforms.jvp`",
        "Module": "`autolab.Link`",
        "nn": "`autolab.links` and `autolab.functions`",
        "no_backprop_mode": "`autolab.no_grad()`",
        "optim": "`autolab.optimizers`",
        "set_grad_enabled": "`autolab.using_config('enable_backprop', value)`",
        "value_and_grad": "`autolab.transforms.value_and_grad(f)(x)`",
        "vjp": "`autolab.transforms.vjp`",
        "vmap": "`autolab.transforms.vmap(f)(batch)`",
    },
    "keywords": {
        "alpha": "`lr=` of optimizers",
        "argnums": "`wrt=`",
        "betas": "`beta1=`, `beta2=`",
        "bias": "`nobias=True` leaves the bias out",
        "dim": "`axis=`",
        "in_features": "`in_size=`",
        "embed_dim": "`size=`",
        "hidden_size": "`out_size=`",
        "batch_first": "sequences are `(batch, length, size)`: leave it out",
        "input_size": "`in_size=`",
        "inplace": "results are new arrays: leave it out",
        "keepdim": "`keepdims=`",
        "kernel_size": "`kernel=` of functions, `ksize=` of links",
        "ksize": "`kernel=`",
        "learning_rate": "`lr=`",
        "negative_slope": "`slope=`",
        "out_features": "`out_size=`",
        "num_groups": "`groups=`",
        "num_heads": "`heads=`",
        "output_size": "`kernel=`",
        "p": "`ratio=`",
        "pad": "`padding=`",
        "padding": "`pad=` of links",
        "params": "the model goes to `optimizer.setup(model)`",
        "retain_graph": "a graph stays as long as its values do, so it can be walked again: leave it out",
        "training": "`autolab.test_mode()` is on or off around the call",
        "weight_decay": "`optimizer.add_hook(optimizers.WeightDecay(rate))`",
    },
}
"""Where it was looked for -> name -> what there is instead."""

ALIASES: dict[str, dict[str, str]] = {
    "Variable": {
        "clone": "copy",
        "permute": "transpose",
        "view": "reshape",
        "zero_grad": "cleargrad",
        "zerograd": "cleargrad",
    },
    "Link": {
        "disable_update": "freeze",
        "enable_update": "unfreeze",
        "load_state_dict": "load_state",
        "modules": "links",
        "named_parameters": "namedparams",
        "parameters": "params",
        "state_dict": "state",
        "zero_grad": "cleargrads",
        "zerograds": "cleargrads",
    },
    "Optimizer": {"load_state_dict": "load_state", "state_dict": "state", "zero_grads": "zero_grad"},
    "functions": {
        "absolute": "abs",
        "binary_cross_entropy_with_logits": "sigmoid_cross_entropy",
        "bmm": "matmul",
        "cat": "concatenate",
        "concat": "concatenate",
        "cross_entropy": "pytorch_names.cross_entropy",
        "divide": "div",
        "huber_loss": "huber",
        "kl_div": "pytorch_names.kl_div",
        "l1_loss": "mean_absolute_error",
        "mm": "matmul",
        "mse_loss": "mean_squared_error",
        "multiply": "mul",
        "negative": "neg",
        "permute": "transpose",
        "permute_dims": "transpose",
        "power": "pow",
        "scaled_dot_product_attention": "attention",
        "smooth_l1_loss": "smooth_l1",
        "subtract": "sub",
        "swish": "silu",
        "unsqueeze": "expand_dims",
    },
    "links": {
        "AvgPool2d": "function_layers.AvgPool2d",
        "BatchNorm1d": "BatchNormalization",
        "BatchNorm2d": "BatchNormalization",
        "Conv1d": "Conv1D",
        "Conv2d": "Conv2D",
        "Convolution1D": "Conv1D",
        "Convolution2D": "Conv2D",
        "EmbedID": "Embedding",
        "Flatten": "function_layers.Flatten",
        "GELU": "function_layers.GELU",
        "GroupNorm": "GroupNormalization",
        "LayerNorm": "LayerNormalization",
        "LeakyReLU": "function_layers.LeakyReLU",
        "MaxPool2d": "function_layers.MaxPool2d",
        "MultiheadAttention": "MultiHeadAttention",
        "ReLU": "function_layers.ReLU",
        "RMSNorm": "RMSNormalization",
        "Sigmoid": "function_layers.Sigmoid",
        "SiLU": "function_layers.SiLU",
        "Softmax": "function_layers.Softmax",
        "Tanh": "function_layers.Tanh",
    },
    "optimizers": {"Adadelta": "AdaDelta", "Adagrad": "AdaGrad", "Momentum": "MomentumSGD", "RMSProp": "RMSprop"},
    "autolab": {
        "LiveMonitor": "training.extensions.LiveMonitor",
        "Tensor": "Variable",
        "tensor": "functions.pytorch_names.tensor",
    },
}
"""Where it was looked for -> name -> what answers to this name too: a name of the same place, or the path of one."""

TITLES = {
    "Variable": "On a Variable `x`",
    "Link": "On a model or layer",
    "Optimizer": "On an optimizer",
    "functions": "In `autolab.functions`, as `F`",
    "links": "In `autolab.links`, as `L`",
    "optimizers": "In `autolab.optimizers`",
    "autolab": "In `autolab` itself",
    "keywords": "As a keyword of a function, link or optimizer",
}


def instead(where: str, name: str) -> str:
    """What a message says of a name that is not there: ``; instead: ...``, or nothing.

    Examples
    --------
    >>> instead("keywords", "dim")
    '; instead: axis='
    """
    found = HABITS[where].get(name)
    return "" if found is None else f"; instead: {found.replace('`', '')}"


def by_habit(module: str, where: str, name: str) -> Any:
    """What a module has under another name than that of the habit; an AttributeError says what there is instead."""
    target = ALIASES[where].get(name)
    if target is None:
        message = f"module {module!r} has no attribute {name!r}{instead(where, name)}"
        raise AttributeError(message, name=name, obj=sys.modules[module])
    path, _, last = target.rpartition(".")
    return getattr(import_module(f"{module}.{path}" if path else module), last)


class Habit:
    """Takes the place of an attribute that a class does not have: asking for it says what there is."""

    def __init__(self, where: str, name: str) -> None:
        self._where, self._name = where, name

    def __get__(self, instance: Any, owner: type) -> Any:
        message = f"{owner.__name__} has no {self._name!r}{instead(self._where, self._name)}"
        raise AttributeError(message, name=self._name, obj=owner if instance is None else instance)


class Alias:
    """Another name of a method, also of one that a subclass has overridden or that is set later."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return getattr(owner if instance is None else instance, self._name)


def answer_habits(cls: type, where: str) -> None:
    """Let the names of ``where`` that ``cls`` does not have do what they stand for, or be answered; none is listed."""
    aliases = {name: target for name, target in ALIASES.get(where, {}).items() if not hasattr(cls, name)}
    names = [*aliases, *[name for name in HABITS[where] if not hasattr(cls, name)]]
    for name in names:
        setattr(cls, name, Alias(aliases[name]) if name in aliases else Habit(where, name))
    listed: Any = cls.__dir__

    def __dir__(self: Any) -> Iterable[str]:
        return [name for name in listed(self) if name not in names or name in getattr(self, "__dict__", ())]

    cls.__dir__ = __dir__  # type: ignore[assignment]


def _by_name(row: tuple[str, str]) -> str:
    return row[0].lower()


def markdown() -> str:
    """docs/habits.md."""
    parts = [
        "# Habits from elsewhere\n\nWhat people type who know PyTorch, Chainer or NumPy, and what AutoLab has instead. "
        "The names marked ✓ work as they are typed; for the others, the error messages say the same as this page. "
        "Functions that NumPy has take NumPy's parameters (docs/tour.md).\n"
    ]
    for where, habits in HABITS.items():
        same = {name: f"✓ the same as `{target.rpartition('.')[2]}`" for name, target in ALIASES.get(where, {}).items()}
        same |= {name: "✓" for name, target in ALIASES.get(where, {}).items() if name == target.rpartition(".")[2]}
        rows = [f"| `{name}` | {text} |" for name, text in sorted((habits | same).items(), key=_by_name)]
        parts.append("\n".join([f"## {TITLES[where]}\n", "| you type | there is |", "| --- | --- |", *rows, ""]))
    return "\n".join(parts)
