"""What people type out of habit, from PyTorch, Chainer or NumPy, and what there is instead.

One table: the messages read it, and docs/habits.md, which ``scripts/habits.py`` writes. Code is in backquotes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

HABITS: dict[str, dict[str, str]] = {
    "Variable": {
        "add_": "`x = x + y`; an update is `x.data += numbers`",
        "backward_hook": "`autolab.observe(hook)` hears every step",
        "bmm": "`x @ y`",
        "clone": "`x.copy()`",
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
        "permute": "`x.transpose(2, 0, 1)`",
        "register_hook": "`autolab.observe(hook)` hears every step; `y.backward(retain_grad=True)` keeps all gradients",
        "requires_grad_": "`Variable(data, requires_grad=False)`; Variables of floats require a gradient by themselves",
        "retain_grad": "`y.backward(retain_grad=True)` keeps the gradients of all values in between",
        "sub_": "`x = x - y`; an update is `x.data -= lr * x.grad.data`",
        "t": "`x.T`",
        "to": "`x.to_gpu()`, `x.to_cpu()` or `x.astype('float32')`",
        "unchain": "`x.detach()`",
        "unchain_backward": "`x.detach()`",
        "unsqueeze": "`F.expand_dims(x, axis)`",
        "view": "`x.reshape(shape)`",
        "zero_": "`x.data[...] = 0`; a gradient is cleared by `x.cleargrad()`",
        "zero_grad": "`x.cleargrad()`",
        "zerograd": "`x.cleargrad()`",
    },
    "Link": {
        "add_link": "assign it: `self.name = link`",
        "add_module": "assign it: `self.name = link`",
        "add_param": "assign it: `self.name = Parameter(initializer, shape)`",
        "cpu": "`model.to_cpu()`",
        "cuda": "`model.to_gpu()`",
        "disable_update": "`Parameter(data, requires_grad=False)`",
        "eval": "`with autolab.test_mode():` around the call",
        "load_state_dict": "`model.load_state(state)`",
        "modules": "`model.links()`",
        "named_parameters": "`model.namedparams()`",
        "parameters": "`model.params()`",
        "register_forward_hook": "`autolab.observe(hook)` hears every step",
        "requires_grad_": "`Parameter(data, requires_grad=False)`",
        "serialize": "`serializers.save_npz(path, model)`",
        "state_dict": "`model.state()`",
        "to": "`model.to_gpu()` or `model.to_cpu()`",
        "train": "models are in training unless `autolab.test_mode()` is on: leave it out",
        "zero_grad": "`model.cleargrads()`; `optimizer.update(lossfun, x, t)` does so by itself",
        "zerograds": "`model.cleargrads()`",
    },
    "Optimizer": {
        "load_state_dict": "`optimizer.load_state(state)`",
        "new_epoch": "nothing needs it: leave it out",
        "param_groups": "one optimizer for each group; `optimizer.lr` is the learning rate",
        "state_dict": "`optimizer.state()`",
        "step": "`optimizer.update()` after `loss.backward()`",
        "use_cleargrads": "nothing needs it: leave it out",
        "zero_grad": "`model.cleargrads()`; `optimizer.update(lossfun, x, t)` does so by itself",
        "zero_grads": "`model.cleargrads()`",
    },
    "functions": {
        "absolute": "`F.abs(x)`",
        "adaptive_avg_pool1d": "for size 1 `F.global_avg_pool(x, keepdims=True)`",
        "adaptive_avg_pool2d": "for size 1 `F.global_avg_pool(x, keepdims=True)`",
        "adaptive_max_pool2d": "for size 1 `F.global_max_pool(x, keepdims=True)`",
        "average_pooling_1d": "`F.avg_pool1d(x, kernel)`",
        "average_pooling_2d": "`F.avg_pool2d(x, kernel)`",
        "binary_cross_entropy_with_logits": "`F.sigmoid_cross_entropy(x, t)`",
        "bmm": "`F.matmul(a, b)`",
        "cat": "`F.concatenate([a, b], axis)`",
        "concat": "`F.concatenate([a, b], axis)`",
        "convolution_1d": "`F.conv1d(x, w, b)`",
        "convolution_2d": "`F.conv2d(x, w, b)`",
        "cross_entropy": "`F.softmax_cross_entropy(x, t)`, from scores before the softmax",
        "deconvolution_1d": "`F.conv_transpose1d(x, w, b)`",
        "deconvolution_2d": "`F.conv_transpose2d(x, w, b)`",
        "depth2space": "`F.pixel_shuffle(x, factor)`",
        "divide": "`F.div(a, b)`",
        "embed_id": "`F.embedding(ids, w)`",
        "gaussian_nll_loss": "`F.gaussian_nll(x, t, var)`",
        "get_item": "`x[index]`",
        "hinge_embedding_loss": "`F.hinge(x, t)` is nearest",
        "huber_loss": "`F.huber(x, t)`",
        "identity": "`x` itself",
        "im2col": "`F.unfold(x, kernel)`",
        "kl_div": "`F.kl_divergence(p, q)`, of two distributions and not of logarithms",
        "l1_loss": "`F.mean_absolute_error(x, t)`",
        "Linear": "layers are links: `L.Linear(in_size, out_size)`",
        "max_pooling_1d": "`F.max_pool1d(x, kernel)`",
        "max_pooling_2d": "`F.max_pool2d(x, kernel)`",
        "mm": "`F.matmul(a, b)`",
        "Module": "layers are links: `autolab.Link`",
        "mse_loss": "`F.mean_squared_error(x, t)`",
        "multiply": "`F.mul(a, b)`",
        "negative": "`F.neg(x)`",
        "permute": "`F.transpose(x, axes)`",
        "permute_dims": "`F.transpose(x, axes)`",
        "power": "`F.pow(x, exponent)`",
        "scaled_dot_product_attention": "`F.attention(query, key, value, mask)`",
        "select_item": "`x[np.arange(len(x)), t]`",
        "subtract": "`F.sub(a, b)`",
        "swish": "`F.silu(x)`",
        "triplet_margin_loss": "`F.triplet(anchor, positive, negative)`",
        "unsqueeze": "`F.expand_dims(x, axis)`",
    },
    "links": {
        "BatchNorm1d": "`L.BatchNormalization(size)`",
        "BatchNorm2d": "`L.BatchNormalization(size)`",
        "Conv1d": "`L.Conv1D(in_channels, out_channels, ksize)`",
        "Conv2d": "`L.Conv2D(in_channels, out_channels, ksize)`",
        "Convolution1D": "`L.Conv1D(in_channels, out_channels, ksize)`",
        "Convolution2D": "`L.Conv2D(in_channels, out_channels, ksize)`",
        "CrossEntropyLoss": "`F.softmax_cross_entropy(x, t)`",
        "EmbedID": "`L.Embedding(rows, size)`",
        "Flatten": "`lambda x: x.reshape(len(x), -1)`; `L.Sequential` takes functions as they are",
        "LayerNorm": "`L.LayerNormalization(size)`",
        "MaxPool2d": "`F.max_pool2d(x, kernel)`",
        "Module": "`autolab.Link`",
        "ModuleList": "`L.ChainList(*links)`",
        "MSELoss": "`F.mean_squared_error(x, t)`",
        "MultiheadAttention": "`L.MultiHeadAttention(size, heads)`",
        "Parameter": "`autolab.Parameter`",
        "ReLU": "`F.relu`; `L.Sequential` takes functions as they are",
        "Sigmoid": "`F.sigmoid`; `L.Sequential` takes functions as they are",
        "Softmax": "`F.softmax`; `L.Sequential` takes functions as they are",
        "Tanh": "`F.tanh`; `L.Sequential` takes functions as they are",
    },
    "optimizers": {
        "Adadelta": "`optimizers.AdaDelta()`",
        "Adagrad": "`optimizers.AdaGrad(lr)`",
        "GradientMethod": "`optimizers.Optimizer`",
        "lr_scheduler": "`optimizers.schedules`: a schedule is given as `lr`",
        "Momentum": "`optimizers.MomentumSGD(lr, momentum)`",
        "RMSProp": "`optimizers.RMSprop(lr)`",
    },
    "autolab": {
        "autograd": "`autolab.grad(y, x)`, `y.backward()`",
        "backends": "`autolab.to_gpu`, `autolab.get_array_module`",
        "cat": "`autolab.functions.concatenate([a, b], axis)`",
        "cuda": "`autolab.to_gpu`, `autolab.to_cpu`, `autolab.device`",
        "datasets": "`autolab.data`",
        "Function": "`autolab.FunctionNode`, or `autolab.authoring.Function`",
        "hessian": "`autolab.transforms.hessian(f)(x)`",
        "iterators": "`autolab.data`",
        "jacobian": "`autolab.transforms.jacobian(f)(x)`",
        "jvp": "`autolab.transforms.jvp`",
        "Module": "`autolab.Link`",
        "nn": "`autolab.links` and `autolab.functions`",
        "no_backprop_mode": "`autolab.no_grad()`",
        "optim": "`autolab.optimizers`",
        "set_grad_enabled": "`autolab.using_config('enable_backprop', value)`",
        "Tensor": "`autolab.Variable(data)`",
        "tensor": "`autolab.Variable(data)`",
        "value_and_grad": "`autolab.transforms.value_and_grad(f)(x)`",
        "vjp": "`autolab.transforms.vjp`",
    },
    "keywords": {
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
        "params": "the model goes to `optimizer.setup(model)`",
        "retain_graph": "a graph stays as long as its values do, so it can be walked again: leave it out",
        "training": "`autolab.test_mode()` is on or off around the call",
        "weight_decay": "`optimizer.add_hook(optimizers.WeightDecay(rate))`",
    },
}
"""Where it was looked for -> name -> what there is instead."""

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


def missing(module: str, where: str, name: str) -> AttributeError:
    """The error of a module that lacks a name."""
    message = f"module {module!r} has no attribute {name!r}{instead(where, name)}"
    return AttributeError(message, name=name, obj=sys.modules[module])


class Habit:
    """Takes the place of an attribute that a class does not have: asking for it says what there is."""

    def __init__(self, where: str, name: str) -> None:
        self._where, self._name = where, name

    def __get__(self, instance: Any, owner: type) -> Any:
        message = f"{owner.__name__} has no {self._name!r}{instead(self._where, self._name)}"
        raise AttributeError(message, name=self._name, obj=owner if instance is None else instance)


def answer_habits(cls: type, where: str) -> None:
    """Let the attributes of ``where`` that ``cls`` does not have be answered, and not be listed."""
    names = [name for name in HABITS[where] if not hasattr(cls, name)]
    for name in names:
        setattr(cls, name, Habit(where, name))
    listed: Any = cls.__dir__

    def __dir__(self: Any) -> Iterable[str]:
        return [name for name in listed(self) if name not in names or name in getattr(self, "__dict__", ())]

    cls.__dir__ = __dir__  # type: ignore[assignment]


def markdown() -> str:
    """docs/habits.md."""
    parts = [
        "# Habits from elsewhere\n\nWhat people type who know PyTorch, Chainer or NumPy, and what AutoLab has instead. "
        "The error messages say the same. Functions that NumPy has take NumPy's parameters (docs/tour.md).\n"
    ]
    for where, habits in HABITS.items():
        rows = [f"| `{name}` | {text} |" for name, text in habits.items()]
        parts.append("\n".join([f"## {TITLES[where]}\n", "| you type | there is |", "| --- | --- |", *rows, ""]))
    return "\n".join(parts)
