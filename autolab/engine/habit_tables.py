"""Names that people type out of habit, from PyTorch, Chainer or NumPy: aliases, and what to use instead.

Tables for classes, modules, calls and docs/habits.md, which ``scripts/habits.py`` writes. In sentences, code is in
backquotes; in a list of names, AutoLab's own name follows ``=`` if it differs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .habit_families import FAMILIES

_LR_FINDER = "a loop that multiplies `optimizer.lr` by 1.1 after each step; `autolab.plots.line_chart` of the losses"
_OF_SCIPY = "SciPy's own, with its slope: `elementwise(x=lambda g, x: g * {1})(lambda xp, x: {0})`, by scipy.special"
_OTHERS_OF_SCIPY = """
    gamma beta betaln betainc gammainc multigammaln zeta j0 j1 jv yv i0 i1 iv ive kv k0 lambertw erfcx erfi ndtri
    xlog1py boxcox hyp2f1 expi sici exp10 log_expit
"""
_SPECIAL = {
    **dict.fromkeys(("gammaln", "lgamma", "loggamma"), _OF_SCIPY.format("gammaln(x)", "digamma(x)")),
    **dict.fromkeys(("digamma", "psi"), _OF_SCIPY.format("digamma(x)", "polygamma(1, x)")),
    "polygamma": _OF_SCIPY.format("polygamma(n, x)", "polygamma(n + 1, x)"),
    "erfinv": _OF_SCIPY.format("erfinv(x)", "np.exp(erfinv(x) ** 2) * np.pi**0.5 / 2"),
    **dict.fromkeys(("ndtr", "log_ndtr"), "`norm.cdf(x)` and `norm.logpdf(x)` of `autolab.scipy.stats`"),
    **{name: _OF_SCIPY.format(f"{name}(x)", "slope(x)") for name in _OTHERS_OF_SCIPY.split()},
    "entr": "`-autolab.xlogy(x, x)`",
    "rel_entr": "`autolab.xlogy(x, x) - autolab.xlogy(x, y)`",
    "softmin": "`F.softmax(-x, axis)`",
}
_NO_METHODS = """
    arctan2 bincount bitwise_and bitwise_not bitwise_or bitwise_xor cholesky compress copysign corrcoef cov deg2rad
    exp2 greater greater_equal heaviside histogram hsplit less less_equal logical_xor lstsq moveaxis nanmedian not_equal
    partition qr rad2deg signbit sinc solve subtract svd trunc vsplit
"""
_OF_ARRAYS = """
    base byteswap ctypes data_ptr dump dumps flags get_device is_contiguous is_cuda itemset put resize setflags storage
    stride tobytes tofile
"""
_DISTRIBUTIONS = "bernoulli beta binom cauchy chi2 dirichlet expon gamma laplace lognorm poisson t uniform"
_OWN_OPTIMIZER = "`optimizers.AdamW` is nearest; a rule of your own is a subclass of `optimizers.Optimizer` with "
_OWN_OPTIMIZER += "`update_one(self, w, g, state)`"
_BY_STEP = "`optimizers.lr_scheduler.LambdaLR(optimizer, lambda step: factor)`, for any course of the rate"
_A_LOOP = "a loop of `loss.backward()` and `optimizer.update()`, or `training.Trainer`"
_SCIKIT = "scikit-learn's own, whose arrays go in as they are"

_ANSWERS: dict[str, dict[str, str]] = {
    "Variable": {
        "backward_hook": "`autolab.observe(hook)` hears every step",
        **dict.fromkeys(
            ("indices", "values"), "`values, places = x.max(dim=1)`; `x.max(1)` is NumPy's, without places"
        ),
        "plot": "`autolab.explore(f, x=...)` draws a function; Matplotlib takes `x.data`",
        **{name: f"the function, `autolab.{name}`" for name in _NO_METHODS.split()},
        **dict.fromkeys(_OF_ARRAYS.split(), "that of the array, `x.data`"),
        **{name: text for name, text in _SPECIAL.items() if name in ("lgamma", "digamma", "polygamma", "erfinv")},
        "fill": "`x.data.fill(value)`; `x.fill_(value)` inside `with autolab.no_grad():`",
        "flat": "`x.reshape(-1)`",
        **dict.fromkeys(("new_full", "new_empty"), "`autolab.full(shape, value)`"),
        "new_tensor": "`autolab.tensor(values)`",
        **dict.fromkeys(("addcmul", "addcdiv"), "`x + value * a * b`, `x + value * a / b`"),
        "kthvalue": "`x.sort()[..., k - 1]`",
        "take_along_dim": "`autolab.take_along_axis(x, places, axis)`",
        **dict.fromkeys(("index_fill", "index_copy", "index_put"), "`x.at[i].set(values)`"),
        "scatter_reduce": "`x.scatter_add(dim, index, values)` for sums",
        "tensor_split": "`autolab.array_split(x, n, axis)`",
        "sgn": "`x.sign()`",
    },
    "View": {"show": "the view itself at the end of a cell", "to_svg": "`view.save('picture.svg')`"},
    "Link": {
        **dict.fromkeys(
            ("compile", "fit"), "a loop of `loss.backward()` and `optimizer.update()`, or `training.Trainer`"
        ),
        "layers": "`model[0]` of a Sequential; `model.children()`",
        **dict.fromkeys(("evaluate", "predict"), "`model(x)`, inside `with autolab.test_mode():`"),
        "summary": "`print(model)`, or the model itself at the end of a cell",
        **dict.fromkeys(("weight_ih_l0", "weight_hh_l0"), "`dict(rnn.named_parameters())`: `W` of the input, `U` of h"),
        "bias_hh": "`cell.bias_ih`, the only bias: PyTorch's two are added",
        "num_batches_tracked": "nothing counts the batches: each moves the averages by the same share",
        "reset_state": "a cell keeps no state: the caller does, `h = cell(x, h)`",
        "register_full_backward_hook": "a forward hook that calls `y.register_hook(...)`",
        "register_forward_pre_hook": "a link that calls this one, with what it makes of the input",
        "add_param": "assign it: `self.name = Parameter(initializer, shape)`",
        "serialize": "`serializers.save_npz(path, model)`",
        **dict.fromkeys(("trainable_variables", "trainable_weights"), "`model.parameters()`"),
    },
    "Optimizer": {
        "init": "`optimizer.setup(model)`",
        "minimize": "`loss.backward()`, then `optimizer.step()`",
        **dict.fromkeys(("new_epoch", "use_cleargrads"), "nothing needs it: leave it out"),
    },
    "functions": {
        **_SPECIAL,
        "integrate": "a loop of steps of your own, such as `y = y + h * f(y, t)`, which `grad` follows",
        "im2col": "`F.unfold(x, kernel)`",
        **dict.fromkeys(("batch_normalization", "fixed_batch_normalization"), "`F.batch_norm(x, gamma, beta)`"),
        "layer_normalization": "`F.layer_norm(x, gamma, beta)`",
        **dict.fromkeys(("expm", "logm", "sqrtm"), "`np.linalg.eigh(a)` of a symmetric matrix, of Variables too"),
        **{name: f"`autolab.lax.{name}`" for name in ("scan", "cond", "while_loop", "fori_loop")},
        **dict.fromkeys(("stop_gradient", "detach"), "`x.detach()`"),
        "cummax": "`np.maximum.accumulate(x.data)`, without a gradient",
        "upsample": "`F.interpolate(x, scale_factor)`",
        **dict.fromkeys(("dropout2d", "feature_dropout"), "the layer, `nn.Dropout2d()`"),
        "baddbmm": "`beta * x + alpha * (a @ b)`",
        "pad_sequence": "`nn.utils.rnn.pad_sequence(arrays, batch_first=True)`",
        "pdist": "`autolab.norm(x[:, None] - x, axis=-1)`",
        "gumbel_softmax": "`F.softmax((x + rng.gumbel(size=x.shape)) / tau)`",
        "kthvalue": "`x.sort()[..., k - 1]`",
        "log_cosh": "`autolab.logaddexp(x, -x) - np.log(2)`",
        "tanhshrink": "`x - autolab.tanh(x)`",
        **dict.fromkeys(("global_avg_pool2d", "global_average_pooling_2d"), "`F.global_avg_pool(x)`"),
        **dict.fromkeys(("ctc_loss", "focal_loss", "dice_loss"), "the formula of the loss"),
        "segment_sum": "`F.index_add(np.zeros(n), 0, segments, x)`",
        "Linear": "layers are links: `L.Linear(in_size, out_size)`",
        "max_pooling_1d": "`F.max_pool1d(x, kernel)`, which has no window over the edge",
        "Module": "layers are links: `autolab.Link`",
        "optimize": "SciPy's own: `scipy.optimize.minimize(f, x, jac=lambda x: autolab.grad(f)(x).data)`",
        "resize_images": "`F.interpolate(x, size, mode='bilinear', align_corners=True)`",
        "select_item": "`x[np.arange(len(x)), t]`",
    },
    "links": {
        "Activation": "the function itself, `F.relu`, or the layer, `L.ReLU()`",
        "Conv": "`L.Conv2D(in_channels, out_channels, ksize)`",
        "dot_product_attention": "`F.attention(q, k, v, mask=mask)`, with the length in the last axis but one",
        **dict.fromkeys(("Input", "InputLayer"), "nothing: the first call tells the sizes"),
        **dict.fromkeys(("EmbeddingBag", "ParameterDict"), "a Link of your own, or `nn.ModuleList`"),
        **dict.fromkeys(("Lambda", "Reshape"), "the function itself: `L.Sequential(layer, lambda x: ...)`"),
        **dict.fromkeys(("Model", "Net"), "`L.Chain` or `L.Sequential`"),
        "CTCLoss": "the formula of the loss",
        **dict.fromkeys(("Conv3d", "Conv3D"), "`L.Conv2D`, of planes"),
        **dict.fromkeys(("DataParallel", "SyncBatchNorm"), "examples/data_parallel.py has a training on several cores"),
        "SimpleRNN": "`L.RNN(in_size, out_size)`",
        "Bidirectional": "`L.GRU(in_size, out_size, bidirectional=True)`",
        "TransformerDecoder": "a Link of your own, of layers with two `nn.MultiheadAttention` each",
        "NStepLSTM": "`L.LSTM(in_size, out_size, layers=n)`, of sequences of one length",
        "StatefulGRU": "`L.GRUCell(in_size, out_size)`, whose state the caller keeps: `h = cell(x, h)`",
        "StatelessLSTM": "`L.LSTMCell(in_size, out_size)`, whose state the caller keeps: `state = cell(x, state)`",
        "Transformer": "`nn.TransformerEncoder`, whose mask of the future is `np.triu(np.ones((n, n), bool), 1)`; a "
        "decoder is a Link of your own with two `nn.MultiheadAttention`",
        "TransformerDecoderLayer": "a Link of your own with two `nn.MultiheadAttention`",
        "Upsample": "`F.interpolate(x, scale_factor)`",
        "ZeroPad2d": "`nn.functional.pad(x, (1, 1, 1, 1))`",
    },
    "optimizers": {
        "LBFGS": "`optimizers.Adam`; Newton's steps by `transforms.hvp`",
        **dict.fromkeys(("Lion", "Rprop", "Adafactor", "SMORMS3", "AMSGrad", "LARS", "LAMB"), _OWN_OPTIMIZER),
        "apply_updates": "`optimizer.update()`",
        "clip_by_global_norm": "`optimizer.add_hook(optimizers.GradientClipping(threshold))`",
        "swa_utils": "`model.copy('copy')`, whose parameters the loop averages",
    },
    "lr_scheduler": dict.fromkeys(("WarmupLR", "ExponentialDecay", "WarmupCosine"), _BY_STEP),
    "utils": dict.fromkeys(
        ("weight_norm", "spectral_norm", "parametrizations", "prune"), "a Link of your own, whose forward changes W"
    ),
    "rnn": dict.fromkeys(
        ("pack_padded_sequence", "pack_sequence", "pad_packed_sequence"),
        "the padded batch, from `pad_sequence`, and `F.where(mask, terms, 0)` on the terms of the loss; if "
        "bidirectional, one sequence at a time",
    ),
    "data": {
        "checkpoint": "`autolab.checkpoint(f)`, which is called as `f`",
        **dict.fromkeys(
            ("RandomSampler", "SequentialSampler", "BatchSampler", "WeightedRandomSampler", "Sampler"),
            "`data.Subset(dataset, places)`, with places that you draw: `rng.choice(n, size, p=weights)`",
        ),
        **dict.fromkeys(("IterableDataset", "ChainDataset", "MultiprocessIterator"), "`data.DataLoader` of a list"),
        **dict.fromkeys(("default_collate", "default_convert"), "`data.concat_examples(examples)`"),
        **dict.fromkeys(
            ("CIFAR10", "get_cifar10", "get_cifar100", "load_iris"),
            "`data.fetch(url, sha256, name)`, `data.get_iris()`",
        ),
        **dict.fromkeys(("Compose", "ToTensor", "Normalize"), "`data.transforms`, of DeZero's names"),
        "get_dot_graph": "`autolab.graph(y).to_graphviz()`",
        "get_file": "`data.fetch(url, sha256, name)`",
        "plot_dot_graph": "`autolab.graph(y).save(path)`",
        "split_dataset": "`data.Subset(dataset, range(n))`, `data.Subset(dataset, range(n, len(dataset)))`",
        "tensorboard": "`autolab.LiveMonitor(model)`, and its `update(loss=loss)` in the loop",
    },
    "training": {
        "get_trigger": "`trainer.extend(extension, trigger=(1, 'epoch'))`, which makes one of the pair",
        **dict.fromkeys(("fit", "train", "Callback", "History", "Engine"), _A_LOOP),
        **dict.fromkeys(("TensorBoard", "WandbLogger", "CSVLogger"), "`extensions.LogReport()`; `autolab.LiveMonitor`"),
        "make_extension": "`trainer.extend(function, trigger=(1, 'epoch'))`",
        "EarlyStoppingTrigger": "`trainer.extend(training.EarlyStopping(patience=3))`",
    },
    "gradcheck": {},
    "plots": {
        "plot": "`autolab.plots.line_chart(x, {'y': y})`; `autolab.derivatives(f)` for a function",
        "plot_derivatives": "`autolab.derivatives(f)`",
    },
    "GradientReport": {},
    "Recording": {
        "explore": "`autolab.explore(f, x)`, of the function itself",
        "plot": "`recording.save(path)`",
        "seconds": "`step.seconds` of each of `recording.steps`",
        "to_svg": "`recording.save('graph.svg')`",
        "show": "the recording itself at the end of a cell",
    },
    "extensions": {
        "ModelCheckpoint": "`extensions.snapshot()`, given to `trainer.extend`; `serializers.save_npz(path, model)`",
        "ExponentialShift": "`optimizers.ExponentialLR(optimizer, gamma)`, whose `step()` comes after each epoch",
        "LinearShift": "`optimizers.LinearLR(optimizer)`, whose `step()` comes after each update",
        "snapshot_object": "`extensions.snapshot()`; `serializers.save_npz(path, model)`",
    },
    "autograd": {},
    "transforms": {
        **dict.fromkeys(("deriv", "grad_named", "holomorphic_grad"), "`transforms.grad(f, wrt)`"),
        **dict.fromkeys(("custom_gradient", "defvjp", "defjvp"), "`autolab.custom_vjp`, `autolab.custom_jvp`"),
        "functional_call": "`autolab.func.functional_call`",
        **dict.fromkeys(("pmap", "vectorize"), "`transforms.vmap(f)`"),
        **dict.fromkeys(
            ("laplacian", "divergence"), "`np.trace` of `transforms.hessian(f)(x)`, `transforms.jacobian(f)(x)`"
        ),
        "per_sample_grad": "`transforms.vmap(transforms.grad(f))`",
        "value_and_jacobian": "`f(x)` and `transforms.jacobian(f)(x)`",
    },
    "serializers": {
        **dict.fromkeys(("save", "to_bytes", "to_pickle", "safetensors"), "`serializers.save_npz(path, model)`"),
        **dict.fromkeys(("load", "from_bytes", "load_state_dict"), "`serializers.load_npz(path, model)`"),
    },
    "initializers": {
        **dict.fromkeys(("XavierNormal", "xavier_normal", "glorot_normal"), "`initializers.GlorotNormal()`"),
        **dict.fromkeys(("XavierUniform", "xavier_uniform", "glorot_uniform"), "`initializers.GlorotUniform()`"),
        **dict.fromkeys(("KaimingNormal", "kaiming_normal", "he_normal"), "`initializers.HeNormal()`"),
        **dict.fromkeys(("KaimingUniform", "kaiming_uniform", "he_uniform"), "`initializers.HeUniform()`"),
        **dict.fromkeys(("TruncatedNormal", "RandomNormal", "normal"), "`initializers.Normal(scale)`"),
        **dict.fromkeys(("RandomUniform", "uniform"), "`initializers.Uniform(scale)`"),
        **dict.fromkeys(("lecun_normal", "VarianceScaling"), "`initializers.LeCunNormal(scale)`"),
        **dict.fromkeys(("Zeros", "Ones", "zeros"), "`initializers.Constant(value)`"),
    },
    "IndexUpdates": {
        "apply": "`x.at[i].set(f(x[i]))`",
        "divide": "`x.at[i].set(x[i] / v)`",
        "get": "`x[i]`",
        **dict.fromkeys(("max", "min"), "`x.at[i].set(np.maximum(x[i], v))`, `np.minimum`"),
        **dict.fromkeys(("mul", "multiply"), "`x.at[i].set(x[i] * v)`"),
        "power": "`x.at[i].set(x[i] ** v)`",
    },
    "lax": {
        **dict.fromkeys(("abs", "exp", "log", "sqrt", "tanh"), "NumPy's functions, such as `np.exp`"),
        **dict.fromkeys(("max", "min"), "`np.maximum`, `np.minimum`"),
        "select": "`np.where`",
        "select_n": "`np.where(which, y, x)` for `select_n(which, x, y)`",
        "map": "`autolab.vmap(f)(xs)`",
        "switch": "`f = branches[i]`, then `f(x)`",
    },
    "special": {name: text for name, text in _SPECIAL.items() if name not in ("exp10", "log_expit")},
    "stats": {
        "multivariate_normal": "with `r = x - mean`, logpdf is "
        "`-0.5 * (r @ np.linalg.solve(cov, r) + np.linalg.slogdet(cov)[1] + r.size * np.log(2 * np.pi))`",
        **dict.fromkeys(_DISTRIBUTIONS.split(), "the formula of its density"),
    },
    "norm": {
        "logcdf": "`np.log(norm.cdf(x))`, which is -inf below -38",
        "sf": "`norm.cdf(-x)`",
        "logsf": "`np.log(norm.cdf(-x))`, which is -inf above 38",
        "ppf": "SciPy's own, of `x.data`",
        "rvs": "`rng.normal(loc, scale, size)`",
    },
    "linalg": {
        **dict.fromkeys(("solve_triangular", "cho_solve", "lu_solve"), "`np.linalg.solve(a, b)`, of Variables too"),
        **dict.fromkeys(("block_diag", "toeplitz"), "`np.block`, `np.stack` of its rows"),
        "expm": "the sum of its series, or `np.linalg.eigh(a)` of a symmetric matrix",
    },
    "random": {
        "categorical": "`random.choice(key, n, shape, p=probabilities)`",
        "exponential": "`numpy.random.default_rng(key).exponential(size=shape)`",
        "gumbel": "`numpy.random.default_rng(key).gumbel(size=shape)`",
    },
    "autolab": {
        **_SPECIAL,
        **dict.fromkeys(("make_moons", "make_blobs", "make_circles", "KFold", "StandardScaler"), _SCIKIT),
        "train_test_split": "`data.split_dataset_random(dataset, first_size)`; of arrays "
        "`order = rng.permutation(len(x))`, then `x[order[:n]], x[order[n:]]`",
        **dict.fromkeys(("lr_finder", "LRFinder"), _LR_FINDER),
        "callbacks": "`autolab.training.extensions`",
        "make_jvp": "`value, tangent = autolab.jvp(f, (x,), (v,))`",
        "make_vjp": "`value, pull = autolab.vjp(f, x)`, in the other order; `pull(g)` is a tuple",
        "ModelCheckpoint": "`autolab.training.extensions.snapshot()`; in a loop `serializers.save_npz(path, model)`",
        "odeint": "a loop of steps of your own, such as `y = y + h * f(y, t)`, which `grad` follows",
        "set_default_dtype": "dtypes follow the data: `x.astype('float32')`; of a model `model.double()`",
        **dict.fromkeys(("amp", "autocast", "GradScaler"), "leave it out; `model.half()` computes in float16"),
        "cdist": "`autolab.norm(x[:, None] - y, axis=-1)`",
        "device_get": "`x.data`; from a GPU `x.numpy()`",
        "device_put": "`autolab.to_gpu(x)`",
        "linearize": "`autolab.jvp(f, (x,), (v,))` for each direction `v`",
        "ops": "`F.index_add(np.zeros(n), 0, segments, x)` is `segment_sum`",
        "extend": "`autolab.custom_vjp`, `autolab.primitive`",
        "backends": "`autolab.to_gpu`, `autolab.get_array_module`",
        "benchmark": "`timeit` of Python: `timeit.timeit(lambda: f(x), number=100)`",
        "build_computational_graph": "`autolab.graph(y)`, and `.to_graphviz()` of it",
        "set_num_threads": "the environment variable `OMP_NUM_THREADS`, before Python starts: NumPy's products obey it",
        **dict.fromkeys(("default_backend", "devices"), "`autolab.cuda.is_available()`"),
        **dict.fromkeys(("Value", "Scalar"), "`autolab.Variable(3.0)`"),
        "Context": "`autolab.Function`, whose forward and backward get a `ctx`",
        "Graph": "`autolab.graph(y)`",
        **dict.fromkeys(("seed", "manual_seed_all", "set_seed", "set_random_seed"), "`autolab.manual_seed(0)`"),
        "count_parameters": "`sum(p.size for p in model.parameters())`",
        "backward": "`y.backward()`",
        **dict.fromkeys(
            ("enable_x64", "disable_jit"), "nothing needs it: numbers are float64, and nothing is compiled unasked"
        ),
        "eval_shape": "`f(x).shape`",
        **dict.fromkeys(("pmap", "shard_map"), "`autolab.vmap(f)`"),
        "einops": "`x.reshape`, `x.transpose` and `np.einsum` take what its patterns say",
        "distributions": "`autolab.scipy.stats.norm`; of others the formula of the density",
        **dict.fromkeys(
            ("flatten_util", "ravel_pytree"), "`F.concatenate([x.ravel() for x in autolab.tree_leaves(values)])`"
        ),
        **dict.fromkeys(("core", "tensor_module", "builtins", "experimental"), "what there is is in `autolab` itself"),
        "summarize": "the model itself at the end of a cell",
        "test_utils": "`autolab.gradcheck`",
        "derivative": "`autolab.grad(f)(x)`; `autolab.derivatives(f)` draws it",
        "GradientTape": "`y.backward()`, or `autolab.grad(y, x)`: all that is computed is kept",
        "make_hvp": "`autolab.hvp(f)(x, vector)`",
        "misc": "of misc.optimizers `autolab.optimizers`; of misc.flatten `leaves = autolab.tree_leaves(values)`, then "
        "`F.concatenate([x.ravel() for x in leaves])`",
        "onnx": "`autolab.export_html(view, path)` for a page",
        "playground": "`autolab.explore(f, x=...)`; `autolab playground` on the command line",
        "plot": "`autolab.derivatives(f)` for a function; `autolab.plots` for numbers",
        "plot_graph": "`autolab.graph(y).save(path)`",
        "print_graph": "`print(autolab.graph(y))`",
        **dict.fromkeys(
            ("function_hooks", "profile", "profiler"), "`autolab.observe(hook)` hears every step, with its time"
        ),
        "steps": "`autolab.record(f, x).steps`",
        "summary": "the model itself at the end of a cell",
        **dict.fromkeys(("animate", "walk"), "`autolab.explore(f, x=...)` walks through the passes step by step"),
        "monitor": "`autolab.LiveMonitor(model)`, and its `update(loss=loss)` in the loop",
        "watch": "`autolab.explore(f, x=...)`; `autolab.LiveMonitor(model)` for a training",
    },
    "parameters": {
        "out": "the result is always a new array: `y = {name}(...)`",
        "where": "take the elements first, `{name}(x[mask])`; elementwise choose, `F.where(mask, {name}(x), other)`",
        "dtype": "cast the input first: `x.astype(dtype)`",
        "initial": "join it to the input as one more element",
        "order": "arrays are in C order; the method `x.reshape(shape, order='F')` takes the other",
        "like": "arrays follow their inputs",
        "copy": "a result is never changed in place, so it needs no copy",
        "kind": "sorting is always stable",
        "stable": "sorting is always stable",
        "mean": "it is computed here",
        "subok": "a result is a Variable or a plain array",
        "casting": "cast the input first: `x.astype(dtype)`",
        "upper": "transpose the result",
        "UPLO": "both triangles are read, as (a + a.T) / 2",
        "hermitian": "use `F.eigh` for symmetric matrices",
        "full_matrices": "the reduced form is computed: `full_matrices=False`",
        "compute_uv": "the singular values are `svd(a)[1]`",
    },
    "keywords": {
        "allow_int": "floating-point numbers, `x.astype(float)`",
        "descending": "`values, places = x.sort(dim=-1, descending=True)`; `autolab.argsort(x, descending=True)`",
        "approximate": "F.gelu is exact; `autolab.nn.functional.gelu(x, 'tanh')`",
        "activation": "the function after the layer: `L.Sequential(layer, F.relu)`",
        "update": "`autolab.set_debug(True)` looks for NaN; `autolab.config.train = False` sets a mode",
        "device": "`model.to_gpu()`, `x.to_gpu()`",
        "batch_first": "✓ `True`; `autolab.nn` has PyTorch's layers, whose sequences are `(length, batch, size)`",
        "input_shape": "leave it out: the first input tells it; images are `(examples, channels, height, width)`",
        "betas": "`beta1=`, `beta2=`",
        "bias": "`nobias=True` leaves the bias out",
        "causal": "`L.MultiHeadAttention(size, heads, causal=True)`, where the layer is made",
        "ceil_mode": "`autolab.nn.functional.max_pool2d(x, kernel, ceil_mode=True)`, and its like",
        "dim": "`axis=`; `F.max(x, axis)` and its like are NumPy's, `x.max(dim=1)` and its like are PyTorch's",
        "keepdim": "`keepdims=`; see `dim`",
        "momentum": "`optimizers.MomentumSGD(lr, momentum)`; of `L.BatchNormalization`, `decay=` is 1 - momentum",
        "nesterov": "`optimizers.NesterovAG(lr, momentum)`",
        "output_size": "`kernel=`",
        "debug": "`with autolab.detect_anomaly():`",
        **dict.fromkeys(("dpi", "scale"), "of a picture: one that ends in `.svg` or `.pdf` is sharp at any size"),
        "restore_best_weights": 'after each check `if not stopping.count: best = model.copy("copy")`',
        **dict.fromkeys(("epochs", "max_epochs"), '`training.Trainer(updater, (40, "epoch"))`'),
        "repeats": "`autolab.tile(x, (2, 1, 1))` repeats the whole array along its axes",
        "padding_mode": "`F.pad(x, width, mode=...)` before it",
        "params": "the model goes to `optimizer.setup(model)`",
        "training": "`with autolab.test_mode():` around the call, or `model.eval()` before it",
        "weight_decay_rate": "`weight_decay=` is times lr: `weight_decay_rate / lr`",
        "weight_decay": "`optimizer.add_hook(optimizers.WeightDecay(rate))`",
    },
}
"""Where a name was looked for -> name -> what to use instead; `answers` adds those of the families."""


@cache
def answers(where: str) -> dict[str, str]:
    """Name -> what to use instead, of a place. Most places are never asked, so that each is put together when it is."""
    found = {**_ANSWERS.get(where, {})}
    for name, text in _of_families(where):
        if "*" not in name:
            found.setdefault(name, text.replace("{}", name.rstrip("_")))
    return found


@cache
def patterns(where: str) -> dict[str, str]:
    """The same for names with ``*``, which stands for any part of a name, and ``{}`` for that part in the sentence."""
    return {name: text for name, text in _of_families(where) if "*" in name}


def _of_families(where: str) -> list[tuple[str, str]]:
    return [(name, text) for words, text in FAMILIES.get(where, {}).items() for name in words.split()]


PLACES = tuple(dict.fromkeys([*_ANSWERS, *FAMILIES]))
"""Where a name may be looked for."""


def _pairs(words: str) -> list[tuple[str, str]]:
    return [(name, own if equals else name) for name, equals, own in [word.partition("=") for word in words.split()]]


def _names(places: dict[str, str]) -> dict[str, str]:
    """Name -> path of its target, from lists of names by place; the first place is where the names are looked for."""
    return {name: f"{place}.{own}".strip(".") for place, words in places.items() for name, own in _pairs(words)}


_LAYERS = """
    AdaptiveAvgPool1d=adaptive_avg_pool1d AdaptiveAvgPool2d=adaptive_avg_pool2d AdaptiveMaxPool1d=adaptive_max_pool1d
    AdaptiveMaxPool2d=adaptive_max_pool2d AvgPool1d=avg_pool1d AvgPool2d=avg_pool2d BCELoss=binary_cross_entropy
    BCEWithLogitsLoss=binary_cross_entropy_with_logits CELU CosineEmbeddingLoss=cosine_embedding_loss
    CosineSimilarity=cosine_similarity CrossEntropyLoss=cross_entropy ELU GELU GLU GaussianNLLLoss=gaussian_nll
    GlobalAveragePooling2D=global_avg_pool Hardshrink Hardsigmoid Hardswish Hardtanh
    HingeEmbeddingLoss=hinge_embedding_loss HuberLoss=huber KLDivLoss=kl_div L1Loss=mean_absolute_error
    LeakyReLU=leaky_relu LogSigmoid LogSoftmax=log_softmax MSELoss=mean_squared_error
    MarginRankingLoss=margin_ranking_loss MaxPool1d=max_pool1d MaxPool2d=max_pool2d Mish
    MultiLabelSoftMarginLoss=multilabel_soft_margin_loss MultiMarginLoss=multi_margin_loss NLLLoss=nll_loss
    PairwiseDistance=pairwise_distance PixelShuffle=pixel_shuffle PoissonNLLLoss=poisson_nll_loss ReLU ReLU6 SELU SiLU
    Sigmoid SmoothL1Loss=smooth_l1 SoftMarginLoss=soft_margin_loss Softmax Softplus Softshrink Softsign Tanh Threshold
    TripletMarginLoss=triplet_margin_loss Unflatten
"""
LAYERS = {name: own.lower() for name, own in _pairs(_LAYERS)}
"""Name of a layer -> the function in `autolab.nn.functional` that it applies, mostly the same name in lower case."""

ALIASES: dict[str, dict[str, str]] = {
    "Variable": _names(
        {
            "": """
                clamp=clip clone=copy cpu=to_cpu cuda=to_gpu eq=__eq__ ge=__ge__ grad_fn=creator gt=__gt__ le=__le__
                lt=__lt__ ne=__ne__ t=transpose view=reshape zero_grad=cleargrad zerograd=cleargrad
                mul=__mul__ neg=__neg__ true_divide=__truediv__ remainder=__mod__ why=grad_status
            """,
            "authoring.hooks": "register_hook unchain unchain_backward",
            "recording": "graph show=graph",
            "functions": """
                absolute=abs acos=arccos acosh=arccosh arccos arcsin arctan asin=arcsin asinh=arcsinh atan=arctan
                atan2=arctan2 atanh=arctanh broadcast_to cross det erfc floor_divide fmax fmin fmod hypot inverse=inv
                kron logaddexp matrix_power movedim=moveaxis multiply=mul nan_to_num negative=neg pinverse=pinv slogdet
                swapdims=swapaxes xlogy ceil cosh erf expm1 flip floor log10 log1p log2 log_softmax logsumexp matmul
                maximum clamp_max=minimum clamp_min=maximum median minimum norm outer pow quantile reciprocal
                repeat_interleave=repeat roll sign sinh square tan tile tril triu bmm=matmul mm=matmul mv=matmul
                unsqueeze=expand_dims
            """,
            "functions.in_place_names": """
                add_ clamp_ copy_ div_ fill_ masked_fill_ mul_ normal_ relu_ scatter_ sub_ uniform_ zero_
            """,
            "functions.index_updates": "at",
            "functions.pytorch_names": """
                add addmm block_until_ready=contiguous chunk contiguous dim div element_size expand expand_as
                gather index_add index_select is_leaf lerp logit masked_fill masked_select narrow ndimension=dim
                nelement=numel numel permute reshape_as=view_as retain_grad rsqrt scatter scatter_add select
                split=in_sizes sub type_as unbind unflatten view_as where=or_else
            """,
            "functions.pytorch_tensor_names": """
                bool=as_bool double float half int=as_int long new_ones new_zeros to type=to
            """,
            "functions.values_and_places": "amax amin argsort count_nonzero diff nanmean nansum topk",
            "functions.array_module": """
                allclose argwhere equal=array_equal diag fliplr
                inner isclose isfinite isinf isnan logical_and
                logical_not logical_or rot90 unique vdot
            """,
        }
    ),
    "View": _names({"": "export=save savefig=save to_html=export_html write_html=export_html"}),
    "Link": _names(
        {
            "": """
                cpu=to_cpu cuda=to_gpu disable_update=freeze enable_update=unfreeze modules=links parameters=params
                zero_grad=cleargrads zerograds=cleargrads
            """,
            "links.pytorch_names": """
                add_module apply bias buffers get_parameter get_submodule named_buffers named_children
                register_forward_hook to training weight
                add_link=add_module double float=single half load_state_dict
                named_modules named_parameters state_dict in_features
                out_features in_channels out_channels kernel_size padding dilation num_features num_embeddings
                embedding_dim running_mean running_var
            """,
            "serializers.pytorch_names": "load load_weights=load save save_weights=save",
        }
    ),
    "Optimizer": _names(
        {
            "": "zero_grads=zero_grad",
            "optimizers.param_groups": "param_groups apply_gradients",
        }
    ),
    "functions": _names(
        {
            "": """
                acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atan2=arctan2 atanh=arctanh
                pinverse=pinv true_divide=div absolute=abs average_pooling_1d=avg_pool1d average_pooling_2d=avg_pool2d
                bmm=matmul cat=concatenate clamp=clip log_sigmoid=logsigmoid
                concat=concatenate convolution_1d=conv1d convolution_2d=conv2d gaussian_nll_loss=gaussian_nll
                deconvolution_1d=conv_transpose1d deconvolution_2d=conv_transpose2d
                depth2space=pixel_shuffle divide=div embed_id=embedding get_item=getitem huber_loss=huber
                l1_loss=mean_absolute_error mm=matmul mse_loss=mean_squared_error multiply=mul negative=neg
                permute=transpose permute_dims=transpose power=pow repeat_interleave=repeat
                scaled_dot_product_attention=attention smooth_l1_loss=smooth_l1 special=scipy_special subtract=sub
                batch_matmul=matmul hard_sigmoid=hardsigmoid swish=silu unsqueeze=expand_dims expit=sigmoid
            """,
            "pytorch_names": """
                chunk cross_entropy gather index_select kl_div masked_fill separate=unbind unbind
                unflatten index_add logit scatter scatter_add triplet_margin_loss
            """,
            "pytorch_pooling": """
                adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d max_pooling_2d
            """,
            "pytorch_losses": """
                bilinear binary_cross_entropy_with_logits cosine_embedding_loss hardshrink hinge_embedding_loss
                margin_ranking_loss multi_margin_loss multilabel_soft_margin_loss pairwise_distance poisson_nll_loss
                soft_margin_loss softshrink threshold
            """,
            "array_module": "average copy dstack hstack rollaxis vstack",
            "pytorch_tensor_names": "linalg",
            "values_and_places": "argmax argmin topk",
            "variable_methods": "flatten",
        }
    ),
    "links": _names(
        {
            "": """
                BatchNorm1d=BatchNormalization BatchNorm2d=BatchNormalization Conv1d=Conv1D Conv2d=Conv2D
                ConvTranspose1d=ConvTranspose1D ConvTranspose2d=ConvTranspose2D Conv1DTranspose=ConvTranspose1D
                Conv2DTranspose=ConvTranspose2D Deconvolution1D=ConvTranspose1D Deconvolution2D=ConvTranspose2D
                Convolution1D=Conv1D Convolution2D=Conv2D EmbedID=Embedding GroupNorm=GroupNormalization
                LayerNorm=LayerNormalization RMSNorm=RMSNormalization LazyLinear=Linear
            """,
            "attention": "MultiheadAttention",
            "function_layers": f"""
                {" ".join(LAYERS)} AveragePooling2D=AvgPool2d Dense MaxPooling2D=MaxPool2d Tanhshrink Flatten
                Identity ModuleDict ModuleList ParameterList
            """,
            "registry": "Parameter",
            "link": "Module=Link",
        }
    ),
    "optimizers": _names(
        {
            "": """
                GradientMethod=Optimizer Momentum=MomentumSGD RMSProp=RMSprop
                adam=Adam adamw=AdamW sgd=SGD
            """,
            "update_rules": "Adadelta Adagrad",
            "lr_scheduler": """
                ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR
                LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR
                StepLR
            """,
        }
    ),
    "autograd": _names(
        {
            "": "gradcheck",
            "debug": "detect_anomaly set_detect_anomaly",
            "gradcheck": "gradgradcheck",
            "transforms": "functional=pytorch_forms",
            "functions.pytorch_tensor_names": "set_grad_enabled",
        }
    ),
    "data": _names({"": "data= TensorDataset=TupleDataset", "dataset": "ConcatDataset split_dataset_random"}),
    "training": _names({"": "callbacks=extensions updaters=updater", "extensions": "EarlyStopping"}),
    "gradcheck": _names({"": "check_grad=check_gradients numerical_gradient=numerical_grad"}),
    "plots": _names({"": "hessian=show_hessian jacobian=show_jacobian"}),
    "GradientReport": _names({"": "ok=passed"}),
    "Recording": _names(
        {
            "": "export=save savefig=save to_dict=to_json",
            "views.export.pages": "export_html to_html=export_html write_html=export_html",
        }
    ),
    "autolab": _names(
        {
            "": """
                check_grad=check_gradients cuda=gpu dataset=data datasets=data gradient_check=gradcheck
                iterators=data optim=optimizers optimizer=optimizers optimizer_hooks=optimizers Tensor=Variable
                utils=data Module=Link no_backprop_mode=no_grad inference_mode=no_grad export=export_html layers=links
                models=links testing=gradcheck test_util=gradcheck scipy=functions explain=explore draw=graph show=graph
                visualize=graph activations=functions losses=functions checked=check_inplace scope=named_scope
                Array=Variable
            """,
            "authoring": "autograd custom_jvp custom_vjp",
            "debug": "debug_nans=detect_anomaly detect_anomaly set_debug=set_detect_anomaly set_detect_anomaly",
            "plots": "line_chart show_hessian show_jacobian surface",
            "authoring.autograd": "Function=FunctionByForm",
            "functions": "inverse=inv movedim=moveaxis mv=matmul numpy=array_module random=random_keys t=transpose",
            "links": "func nn",
            "gradcheck": "check_grads gradgradcheck",
            "functions.array_module": """
                bool=bool_ double=float64 half=float16 int=int32 short=int16 trapz=trapezoid equal=array_equal eq=equal
                ge=greater_equal gt=greater le=less_equal lt=less ne=not_equal clone=copy float=float32 long=int64 c_ r_
            """,
            "functions.pytorch_names": """
                addmm block_until_ready=contiguous is_tensor lerp masked_select narrow numel rsqrt select
            """,
            "functions.pytorch_tensor_names": """
                FloatTensor LongTensor arange array as_tensor=asarray asanyarray=asarray asarray
                ascontiguousarray=asarray bernoulli empty empty_like enable_grad eye from_numpy=asarray full full_like
                geomspace identity is_grad_enabled linalg linspace logspace manual_seed multinomial normal ones
                ones_like rand rand_like randint randn randn_like randperm set_grad_enabled tensor zeros zeros_like
            """,
            "functions.values_and_places": "all amax amin any argsort count_nonzero diff nanmean nansum",
            "recording": "find_nonfinite make_dot make_jaxpr plot_dot_graph to_dot=make_dot",
            "views": "why=grad_status",
            "serializers.pytorch_names": "load save",
            "training.extensions": "LiveMonitor",
            "transforms.jax_forms": "jit vjp",
            "transforms.trees": "tree_flatten tree_leaves tree_map tree_reduce tree_structure tree_unflatten",
            "transforms": """
                checkpoint elementwise_grad hessian hvp jacfwd jacobian jacrev jet jvp lax nth_derivative
                value_and_grad vmap tree=trees tree_util=trees hessian_vector_product=hvp remat=checkpoint
            """,
        }
    ),
}
"""Where a name was looked for -> alias -> its target: a name in the same place, or a path."""

_KEYWORDS = """
    alpha=lr generator=rng in_dims=in_axes out_dims=out_axes argnums=wrt,inputs attn_mask=mask betas=beta1
    bias=b,nobias,use_bias,beta correction=ddof d_model=size diagonal=k dilate=dilation dilation=dilate dim=axis
    dim_feedforward=hidden dims=axis,axes embed_dim=size embedding_dim=size enable_double_backprop=create_graph
    hidden_size=out_size ignore_index=ignore_label in_features=in_size input=x,a,ary,arr,array input_size=in_size
    is_causal=causal
    keepdim=keepdims kernel_size=kernel,ksize ksize=kernel learning_rate=lr n=order negative_slope=slope nhead=heads
    num_layers=layers normalized_shape=size num_channels=size num_classes=classes num_embeddings=rows num_features=size
    num_groups=groups num_heads=heads out_features=out_size p=ratio,ord pad=padding padding=pad shifts=shift
    source=value src=value steps=num target=t weight=w,class_weight,gamma features=units xlim=domain rate=ratio
    pool_size=kernel strides=stride xlabel=x_title ylim=y_range filters=out_channels dilation_rate=dilate
    use_bias=nobias argnum=wrt,inputs dim0=axis1,axis2 dim1=axis1,axis2 dim2=axis2 min_val=low max_val=high
    upscale_factor=factor split_size_or_sections=sections epsilon=eps nonlinearity=activation
"""
KEYWORDS = {name: tuple(own.split(",")) for name, own in _pairs(_KEYWORDS)}
"""Keyword -> the names under which functions, links and optimizers accept it; the first that exists is used."""

ON_PURPOSE: dict[str, tuple[str, str, str]] = {
    "Adadelta": ("optimizers.AdaDelta().rho", "optimizers.Adadelta().rho", "Chainer's rho is 0.95, PyTorch's 0.9"),
    "Adagrad": ("optimizers.AdaGrad().eps", "optimizers.Adagrad().eps", "Chainer's eps is 1e-8, PyTorch's 1e-10"),
    "avg_pool1d": (
        "nn.functional.avg_pool1d(n[None, None], 2)",
        "nn.functional.avg_pool1d(n[None, None], 2).astype(int)",
        "means of whole numbers are floats",
    ),
    "binary_cross_entropy": (
        "F.binary_cross_entropy([1e-50], [1.0])",
        "nn.functional.binary_cross_entropy(Variable([1e-50]), [1.0])",
        "a logarithm is at least -100 in PyTorch",
    ),
    "cosine_similarity": (
        "autolab.grad(lambda v: F.cosine_similarity(v, x, eps=9.0).sum())(x)",
        "autolab.grad(lambda v: F.sum(v * x) / F.norm(x, axis=1).sum())(x)",
        "a length below eps gets no gradient, as eps takes its place",
    ),
    "cross_entropy": (
        "nn.functional.cross_entropy(x, n * 0 - 100)",
        "float('nan')",
        "the mean of no terms is 0, so that an empty batch changes nothing",
    ),
    "DataLoader": (
        "data.DataLoader(n, 2)",
        "data.DataLoader(n, 2, shuffle=False)",
        "AutoLab's draws a new order for each epoch, as training wants it",
    ),
    "Embedding": (
        "L.Embedding(5, 2, padding_idx=3).apply(lambda e: nn.init.ones_(e.W))(n)",
        "nn.Embedding(5, 2, padding_idx=3).apply(lambda e: nn.init.ones_(e.W))(n)",
        "padding gives 0 as in Chainer, in PyTorch its row, which is 0 at first; neither is trained",
    ),
    "gaussian_nll_loss": (
        "autolab.grad(lambda v: F.gaussian_nll(x, 0 * x, v, eps=0.5))(0.1 + 0 * x)",
        "autolab.grad(lambda v: F.gaussian_nll(x, 0 * x, v))(0.5 + 0 * x)",
        "a variance below eps gets no gradient, as eps takes its place",
    ),
    "GRUCell": ("L.GRUCell(3, 2)", "nn.GRUCell(3, 2)", "Chainer's resets h before the product, PyTorch's after it"),
    "hardtanh": ("F.hardtanh(n, 0.5, 2.5)", "F.hardtanh(n, 0, 2)", "a limit of whole numbers is not rounded"),
    "leaky_relu": ("F.leaky_relu(-x)", "nn.functional.leaky_relu(-x)", "Chainer's slope is 0.2, PyTorch's 0.01"),
    "Linear": (
        "L.Linear(4, 2).W",
        "nn.init.kaiming_uniform_(L.Linear(4, 2).W, 5**0.5)",
        "weights begin normally distributed, as LeCun's and Chainer's; PyTorch's uniformly",
    ),
    "LSTM": (
        "L.LSTM(4, 2)(x.reshape(1, 2, 4))",
        "nn.LSTM(4, 2)(x.reshape(1, 2, 4))",
        "of batch and length, the batch comes first; with PyTorch the length does",
    ),
    "max": ("x.max(1)", "x.max(dim=1)", "NumPy's result is one array, PyTorch's the values and their places"),
    "max_pool1d": (
        "autolab.grad(lambda v: nn.functional.max_pool1d(v[None], 2).sum())(0 * x)",
        "autolab.grad(lambda v: nn.functional.max_pool1d(v[None], 2, first=True).sum())(0 * x)",
        "equal elements share the gradient, in PyTorch the first has it",
    ),
    "median": ("x.median(1)", "x.median(dim=1)", "NumPy's is the mean of two middle elements, PyTorch's the lower one"),
    "min": ("x.min(1)", "x.min(dim=1)", "as `max`"),
    "mse_loss": (
        "nn.functional.mse_loss(x[:0], x[:0])",
        "float('nan')",
        "the mean of no terms is 0, so that an empty batch changes nothing",
    ),
    "one_hot": ("F.one_hot(n)", "F.one_hot(n, dtype=int)", "floats, which losses take; PyTorch's are integers"),
    "pad": ("F.pad(x, (1, 0))", "nn.functional.pad(x, (1, 0))", "NumPy's widths begin with the first axis"),
    "poisson_nll_loss": (
        "autolab.grad(lambda t: nn.functional.poisson_nll_loss(x, t, full=True))(0 * x)",
        "autolab.grad(lambda t: nn.functional.poisson_nll_loss(x, t))(0 * x) * float('nan')",
        "a count below 1 has no Stirling term, and no gradient by it",
    ),
    "reciprocal": ("F.reciprocal(n)", "1 / n", "NumPy's of integers are integers"),
    "repeat": ("x.repeat(2, 1)", "autolab.tile(x, (2, 1))", "NumPy's repeats the elements along axis 1"),
    "SGD": ("optimizers.SGD().lr", "optimizers.SGD(lr=0.001).lr", "Chainer's learning rate is 0.01"),
    "sort": ("x.sort(0)", "x.sort(dim=0)", "as `max`"),
    "split": ("F.split(x, 2)", "x.split(2)", "NumPy's 2 is the number of parts, PyTorch's their size"),
    "squeeze": ("x.squeeze(0)", "x.squeeze(dim=0)", "NumPy's refuses an axis of another length than 1"),
    "std": ("x.std(0)", "x.std(dim=0)", "NumPy's divides by n, PyTorch's by n - 1"),
    "tanh": ("F.tanh(n > 2)", "F.tanh(1.0 * (n > 2))", "NumPy computes tanh of booleans in float16"),
    "transpose": ("x.transpose(0, 1)", "x.t()", "NumPy's gives the order of the axes, PyTorch's two to swap"),
    "triplet": ("F.triplet(x, x, x)", "F.triplet_margin_loss(x, x, 2 * x)", "PyTorch's adds 1e-6 to each difference"),
    "var": ("x.var(0)", "x.var(dim=0)", "as `std`"),
}
"""What means something else than the same name in PyTorch -> this call, PyTorch's meaning, and the reason."""

OTHER_FORMS = {
    name: f"functions.values_and_places.{name}" for name in ("max", "median", "min", "sort", "squeeze", "std", "var")
}
"""Functions whose results differ from PyTorch's -> what has PyTorch's meaning: it is called if ``dim`` is given."""

NEEDLESS: dict[str, tuple[str, tuple[Any, ...] | None]] = {
    "allow_unused": ("create_graph", (True, False)),
    "batch_first": ("", (True,)),
    "device": ("", (None, "cpu", -1)),
    "donate_argnums": ("check_every", None),
    "dropout_p": ("", (0.0,)),
    "holomorphic": ("", (False,)),
    "inline": ("check_every", None),
    "inplace": ("", (True, False)),
    "only_inputs": ("create_graph", (True,)),
    "retain_graph": ("create_graph", (True, False)),
    "static_argnames": ("check_every", None),
    "static_argnums": ("check_every", None),
    "unroll": ("length", None),
}
"""Keywords that ask for what AutoLab does anyway -> a parameter of the functions concerned, and the values for which
this holds, None for all: graphs are kept, unused inputs have the gradient None, results are new arrays, the batch axis
comes first, `compile` treats arguments that are not arrays by value."""
