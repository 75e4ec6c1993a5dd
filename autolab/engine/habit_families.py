"""Whole families of names from elsewhere that AutoLab lacks, and what to use instead: `habit_tables` takes them in.

A key is a list of names. In one of them ``*`` stands for any part of a name, and ``{}`` in the sentence for that part;
without ``*`` for the name itself, less an underscore at its end.
"""

from __future__ import annotations

_PLANES = "two axes: `L.Conv2D`, `F.max_pool2d` and their like take volumes plane by plane, as further examples"
_WIDTHS = "`nn.functional.pad(x, (left, right, top, bottom), mode=...)`, with constant, reflect, replicate, circular"
_OWN_RULE = "`optimizers.AdamW` is nearest; a rule of your own is a subclass of `optimizers.Optimizer` with "
_OWN_RULE += "`update_one(self, w, g, state)`"
_BY_STEP = "`optimizers.lr_scheduler.LambdaLR(optimizer, lambda step: factor)`, for any course of the rate"
_A_LOOP = "a loop of `loss.backward()` and `optimizer.update()`, or `training.Trainer`"
_SCIKIT = "scikit-learn's own, whose arrays go in as they are"
_CALLBACK = "a function, given to `trainer.extend(function, trigger=(1, 'epoch'))`"
_NO_SLOPE = "`autolab.{}(x.data)`, without a gradient"
_REAL = "numbers are real: `real, imag = F.fft(x, np.zeros(x.shape))`"
_ONE_DTYPE = "nothing sets it: dtypes follow the data, `x.astype('float32')`"
_CPU_OR_GPU = "`x.to_gpu()`, `model.to_gpu()`; `autolab.cuda.is_available()`"
_HELD = "CuPy's own: `cupy.get_default_memory_pool().used_bytes()`, `cupy.cuda.Device()`"
_ACROSS = "examples/data_parallel.py has a training on several cores; no program runs on several devices"
_DENSE = "arrays are dense: `x` itself, or indices and `x[i, j]`"
_QUANTIZED = "nothing is quantized: `model.half()` is the shortest dtype"
_OF_TENSORFLOW1 = "nothing: functions run at once, and a graph comes of running them"
_CROSS_ENTROPY = "`F.softmax_cross_entropy(x, t)`, of logits; t has class numbers or `F.one_hot(t, classes)`"
_SIGMOID_CROSS_ENTROPY = "`F.sigmoid_cross_entropy(x, t)` of logits, `F.binary_cross_entropy(p, t)` of probabilities"
_AUGMENT = "NumPy's slices in a function: `x[:, :, ::-1]` mirrors an image, `x[:, i : i + 28]` is a part of it"
_HOOK = "`autolab.observe(hook)` hears every step; a forward hook is `model.register_forward_hook(f)`"
_STATE = "`model.state_dict()`, `model.load_state_dict(state)`"
_SCIPY = "SciPy's own, of `x.data`, without a gradient"
_SOLVERS = "SciPy's own: `scipy.optimize.minimize(f, x, jac=lambda x: autolab.grad(f)(x).data)` and its like"
_STEPS = "a loop of steps of your own, such as `y = y + h * f(y, t)`, which `grad` follows"
_FITTED = "numbers are learned by a loop of `loss.backward()` and `optimizer.update()`; `model(x)` applies them"
_LEARNT = "is scikit-learn's; here `model.parameters()`"
_IN_PLACE = "`x = x.{}(...)`; inside `with autolab.no_grad():` `x.copy_(x.{}(...))`"
_DRAWN = "inside `with autolab.no_grad():` `x.copy_(autolab.config.rng.standard_normal(x.shape))`, or another of rng"
_PLACES = "`x.at[i].set(values)`, `x.at[i].add(values)` for a new array"

FAMILIES: dict[str, dict[str, str]] = {
    "Variable": {
        "abs_ acos_ acosh_ asin_ asinh_ atan_ atanh_ arccos_ arcsin_ arctan_ ceil_ clip_ cos_ cosh_ cumprod_ cumsum_ "
        "erf_ erfc_ exp_ expm1_ floor_ log_ log10_ log1p_ log2_ logit_ nan_to_num_ neg_ negative_ pow_ reciprocal_ "
        "remainder_ round_ rsqrt_ sigmoid_ sign_ sin_ sinh_ sqrt_ square_ squeeze_ swapaxes_ t_ tan_ tanh_ transpose_ "
        "tril_ triu_ unsqueeze_ absolute_ atan2_ hypot_ lerp_ addmm_ fmod_ floor_divide_ true_divide_ clamp_min_ "
        "clamp_max_ xlogy_ multiply_ swapdims_": _IN_PLACE,
        "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ random_": _DRAWN,
        "index_add_ index_copy_ index_fill_ index_put_ put_ scatter_add_ scatter_reduce_ masked_scatter_ "
        "fill_diagonal_ masked_scatter select_scatter slice_scatter diagonal_scatter index_reduce "
        "index_reduce_": _PLACES,
        "eq_ ge_ gt_ le_ lt_ ne_ logical_and_ logical_not_ logical_or_ logical_xor_ greater_ less_": "`x == y` and its "
        "like give new arrays",
        "erfinv_ trunc_ addcmul_ addcdiv_ addmv_ addr_ addbmm_ baddbmm_ subtract_ divide_ digamma_ lgamma_ "
        "sinc_ exp2_ frac_ fix_ sgn_ renorm_ copysign_ heaviside_ gcd_ lcm_ ldexp_": "a new array, "
        "`x = ...`; inside `with autolab.no_grad():` `x.copy_(...)`",
        "detach_": "`x = x.detach()`",
        "resize_ resize_as_ set_ apply_ map_": "a new Variable; `x.data = array` gives this one other numbers",
        "H mH adjoint": "`x.swapaxes(-1, -2)`: numbers are real",
        "angle conj conjugate conj_physical imag real isreal is_complex is_conj resolve_conj": _REAL,
        "bfloat16 byte char short cfloat cdouble chalf": "`x.astype('int16')`, with a dtype of NumPy's",
        "cummax": "`np.maximum.accumulate(x.data)`, without a gradient",
        "cummin": "`np.minimum.accumulate(x.data)`, without a gradient",
        "logcumsumexp": "`np.logaddexp.accumulate(x.data)`, without a gradient",
        "float_power frexp gcd lcm ldexp heaviside logaddexp2 nextafter diagflat isneginf isposinf": (
            "`np.{}(x.data)`, without a gradient"
        ),
        "i0": "`np.i0(x.data)`, without a gradient",
        "fix": "`np.trunc(x.data)`, without a gradient",
        "frac": "`x - np.trunc(x.data)`",
        "histc": "`np.histogram(x.data, bins)[0]`",
        "unique_consecutive": "`x[np.flatnonzero(np.append(True, np.diff(x.data)))]`",
        "mode": "`np.unique(x.data, return_counts=True)`",
        "msort": "`x.sort(dim=0)`",
        "flipud": "`autolab.flip(x, 0)`",
        "aminmax": "`x.amin(dim), x.amax(dim)`",
        "nanquantile": "`np.nanquantile(x.data, q)`, without a gradient",
        "dist": "`autolab.norm(x - y)`",
        "renorm": "`x * (limit / x.norm()).clip(max=1)` of each part",
        "diag_embed": "`x[..., None] * np.eye(n)`",
        "logdet": "`np.linalg.slogdet(x)[1]`",
        "lu lu_solve cholesky_solve cholesky_inverse triangular_solve orgqr ormqr geqrf": (
            "`np.linalg.solve(a, b)`, `np.linalg.inv(a)`, of Variables too"
        ),
        "eig": "`np.linalg.eigh(x)` of a symmetric matrix, `np.linalg.eigvals(x.data)` of others",
        "matrix_exp": "the sum of its series, or `np.linalg.eigh(x)` of a symmetric matrix",
        "mvlgamma igamma igammac": "SciPy's own, of `x.data`",
        "addmv addr addbmm baddbmm": "`beta * x + alpha * (a @ b)`",
        "ger": "`autolab.outer(x, y)`",
        "positive": "`x` itself",
        "divide": "`x / y`",
        "split_with_sizes": "`x.split(sizes)`",
        "sum_to_size": "`F.sum_to(x, shape)`",
        "stft istft": "`F.fft(part, np.zeros(n))` of each part of the signal, times a window",
        "unfold": "`np.lib.stride_tricks.sliding_window_view(x.data, n)`; of images `F.unfold(x, kernel)`",
        "multinomial": "`autolab.multinomial(p, n)`",
        "bernoulli": "`autolab.bernoulli(p)`",
        "as_strided storage_offset untyped_storage storage_type const_data_ptr": "strides are those of `x.data`",
        "is_floating_point": "`x.dtype.kind == 'f'`",
        "is_signed": "`x.dtype.kind in 'if'`",
        "is_nonzero": "`bool(x)`",
        "is_same_size": "`x.shape == y.shape`",
        "is_cpu is_mps is_meta is_xpu xpu ipu is_pinned is_shared pin_memory share_memory_ record_stream": (
            "`isinstance(x.data, np.ndarray)` is true on the CPU; memory is not pinned or shared"
        ),
        "is_sparse is_sparse_csr to_sparse to_sparse_coo to_sparse_csr to_dense coalesce is_coalesced "
        "sparse_mask": _DENSE,
        "is_quantized dequantize int_repr q_scale": _QUANTIZED,
        "retains_grad": "`x.grad is not None`, after `backward`",
        "register_post_accumulate_grad_hook": "`x.register_hook(f)`, which hears each gradient before it is added",
        "prelu hardshrink": "the function, `nn.PReLU()` or `F.{}`",
        # TensorFlow's and Keras's
        "assign": "`x.data = array`, or inside `with autolab.no_grad():` `x.copy_(y)`",
        "assign_add assign_sub": "`x.data = x.data + y`",
        "value read_value eval initial_value": "`x.data`, an array",
        "trainable": "`x.requires_grad`, given where it is made: `autolab.Variable(a, requires_grad=False)`",
        "get_shape ref_count": "`x.shape`",
        "set_value": "`x.data = array`",
        # Chainer's and DeZero's
        "grad_var": "`x.grad`, which is a Variable",
        "xp": "`autolab.get_array_module(x)`",
        "label debug_print summary": "the Variable itself at the end of a cell; its name is `x.name`",
        "addgrad": "`x.grad = x.grad + y.grad`",
        "copydata": "`x.copy_(y)` inside `with autolab.no_grad():`",
        "set_creator creator_node rank": "`x.creator`, which the step that makes `x` sets",
        "update_rule": "the optimizer's: `optimizer.update()` of all parameters; `param_groups` of different rates",
        "initialize initializer": "`autolab.Parameter(initializer, shape)`",
        "to_chx from_chx to_device retain_data": _CPU_OR_GPU,
        # JAX's
        "addressable_data devices sharding is_fully_addressable": _ACROSS,
        "aval weak_type": "`x.shape`, `x.dtype`",
        "copy_to_host_async unsafe_buffer_pointer on_device_size_in_bytes": "`x.data`, and its `nbytes`",
        "delete is_deleted": "`del x`: what nothing needs is freed at once",
        # others'
        "ones_like zeros_like shape_as choose": "the function: `autolab.ones_like(x)`, `autolab.choose(x.data, ...)`",
        "gradient derivative": "`y.backward()`, then `x.grad`; `autolab.grad(y, x)`",
        "children parents op _prev _op inputs next_functions": "`y.creator` and `y.creator.inputs`",
        "draw visualize": "`autolab.graph(y)`, drawn at the end of a cell",
        "asnumpy": "`x.data`, which is NumPy's array on the CPU; `x.numpy()`",
    },
    "Link": {
        "bfloat16 type": "`model.half()`, `model.double()`, `model.to('float32')`",
        "register_module": "`model.add_module(name, layer)`, or `self.name = layer`",
        "get_buffer set_submodule": "`dict(model.named_buffers())`; assign a layer to its name",
        "register_backward_hook register_full_backward_pre_hook": "a forward hook that calls `y.register_hook(...)`",
        "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_pre_hook "
        "register_state_dict_post_hook get_extra_state set_extra_state": "a state that you change: " + _STATE,
        "share_memory to_empty ipu xpu mtia to_intel64 to_chx from_chx to_device device device_resident_accept": (
            _CPU_OR_GPU
        ),
        "reset_parameters": "`nn.init.xavier_uniform_(layer.weight)` and its like; `model.copy('init')`",
        "trainable": "`model.freeze()`, `model.unfreeze()`",
        "get_weights weights variables non_trainable_variables trainable_weights": "`list(model.parameters())`",
        "set_weights": "`p.data = array` of each of `model.parameters()`, or `model.load_state_dict(state)`",
        "get_config from_config to_json printable_specs": "`print(model)`; the code that makes it, and " + _STATE,
        "add": "`model.add_module(name, layer)`, or all at once: `L.Sequential(first, second)`",
        "input output inputs outputs": "the values themselves, as `forward` has them",
        "build input_shape output_shape input_spec": "nothing: the first call tells the sizes",
        "call": "`forward`, a method of your class; `model(x)` calls it",
        "pop": "`L.Sequential(*layers[:-1])`",
        "add_loss add_metric": "a term of the loss that the loop computes",
        "add_weight": "`self.w = autolab.Parameter(initializer, shape)`",
        "train_on_batch predict_on_batch test_on_batch fit_generator stop_training train_dataloader val_dataloader "
        "training_step validation_step test_step configure_optimizers manual_backward automatic_optimization "
        "toggle_optimizer current_epoch global_step on_train_epoch_end lr_schedulers": _A_LOOP,
        "log_dict save_hyperparameters hparams": (
            "`training.report({'loss': loss}, model)`; `autolab.LiveMonitor(model)`"
        ),
        "load_from_checkpoint": "`serializers.load_npz(path, model)`",
        "backward": "`loss.backward()`, of the value that the model gives",
        "addgrads": "`p.grad = p.grad + q.grad` of each parameter",
        "add_persistent register_persistent": "`model.register_buffer(name, value)`",
        "update_enabled": "`model.freeze()`, `model.unfreeze()`",
        "within_init_scope": "nothing needs it: parameters are known by what is assigned",
        "repeat": "`L.Sequential(*[model.copy('init') for _ in range(n)])`",
        "local_link_hooks add_hook delete_hook": _HOOK,
        "tabulate summarize": "the model itself at the end of a cell",
        "bind perturb sow has_variable is_initializing param": "a link holds its parameters: `model(x)` uses them, and "
        "`autolab.func.functional_call(model, values, x)` others",
        "predict_proba score transform fit_transform partial_fit get_params set_params": _FITTED,
        "coef_ intercept_ classes_ loss_ n_iter_": _LEARNT,
    },
    "Optimizer": {
        "defaults get_params": "`optimizer.param_groups[0]`, and the attributes, such as `optimizer.lr`",
        "register_step_pre_hook register_step_post_hook profile_hook_step call_hooks": (
            "`optimizer.add_hook(f)`, which hears the optimizer before each step"
        ),
        "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_pre_hook "
        "register_state_dict_post_hook": (
            "`optimizer.state_dict()`, `optimizer.load_state_dict(state)`, which you change"
        ),
        "get_gradients compute_gradients": "`loss.backward()`, then `p.grad` of each parameter",
        "iterations": "`optimizer.t`, the steps so far",
        "get_weights set_weights weights variables serialize": (
            "`optimizer.state_dict()`, `optimizer.load_state_dict(state)`"
        ),
        "get_config from_config hyperparam": "`optimizer.param_groups`; `optimizer.state_dict()`",
        "build apply": "`optimizer.setup(model)`, then `optimizer.update()`",
        "clipnorm clipvalue global_clipnorm": "`optimizer.add_hook(optimizers.GradientClipping(threshold))`",
        "exclude_from_weight_decay": "groups: `optimizer.add_param_group({'params': biases, 'weight_decay': 0})`",
        "create_update_rule update_rule": "a subclass with `update_one(self, w, g, state)`",
        "use_fp32_update is_safe_to_update loss_scaling set_loss_scale check_nan_in_grads": (
            "nothing scales the loss; `autolab.find_nonfinite(f)` and `autolab.detect_anomaly()` find a NaN"
        ),
        "accumulate_grads_from": "gradients add up: `backward()` of several losses before one `update()`",
        "reallocate_cleared_grads use_auto_new_epoch": "nothing needs it: leave it out",
        "opt_state": "`optimizer.state_dict()`",
    },
    "functions": {
        "*3d *_3d *_nd": _PLANES,
        "celu_ elu_ hardtanh_ leaky_relu_ relu_ selu_ threshold_": "`x = F.{}(x)`: what is computed is a new array",
        "dropout1d alpha_dropout feature_alpha_dropout simplified_dropconnect zoneout": (
            "`F.dropout(x, ratio)`, and its like by a mask: `x * (rng.random(x.shape) < keep) / keep`"
        ),
        "fold": "the gradient of unfold: `_, pull = autolab.vjp(lambda x: F.unfold(x, k), zeros)`, `pull(y)[0]`",
        "upsample_nearest upsample_bilinear upsampling_2d unpooling_2d": "`F.interpolate(x, scale_factor=2, mode=...)`",
        "grid_sample affine_grid spatial_transformer_grid spatial_transformer_sampler warp roi_pooling_2d "
        "deformable_convolution_2d_sampler": "places between pixels, by weights of `x[..., i, j]` and its neighbours",
        "pixel_unshuffle space2depth": "`F.unfold(x, r, stride=r).reshape(n, -1, h // r, w // r)`",
        "channel_shuffle": "`x.reshape(n, g, c // g, h, w).swapaxes(1, 2).reshape(x.shape)`",
        "lp_pool1d lp_pool2d": "`(F.avg_pool2d(x**p, k) * k * k) ** (1 / p)`",
        "max_unpool* fractional_max_pool* max_pool*_with_indices adaptive_max_pool*_with_indices "
        "spatial_pyramid_pooling_2d": "`F.max_pool2d(x, kernel)`; places by `F.unfold(x, kernel, stride=kernel)` and "
        "`argmax(1)`",
        "local_response_norm local_response_normalization": "`L.GroupNormalization`, or `x / (k + a * window) ** b`",
        "rrelu": "`F.leaky_relu(x, slope)`, with a slope that you draw",
        "multi_head_attention_forward": "`nn.MultiheadAttention(size, heads)`; `F.attention(q, k, v)` of one head",
        "embedding_bag": "`F.embedding(x, W).mean(axis=1)`",
        "triplet_margin_with_distance_loss": "`F.relu(distance(a, p) - distance(a, n) + margin).mean()`",
        "multilabel_margin_loss multilabel_soft_margin": "`F.multilabel_soft_margin_loss(x, t)`",
        # Chainer's and DeZero's
        "array_str": "`repr(x.data)`",
        "bernoulli_nll": "`F.sigmoid_cross_entropy(x, t)`, of logits",
        "gaussian_kl_divergence": "`0.5 * (mean**2 + autolab.exp(ln_var) - ln_var - 1).sum()`",
        "gaussian": "`mean + autolab.exp(ln_var / 2) * rng.standard_normal(mean.shape)`",
        "bias scale": "`x + b`, `x * w`: arrays broadcast; `b.reshape(-1, 1, 1)` goes to channels",
        "binary_accuracy": "`np.mean((x.data > 0) == t)`",
        "evaluate classification_summary": "`F.accuracy(y, t)`; scikit-learn's, of `y.data.argmax(1)`",
        "black_out negative_sampling crf1d connectionist_temporal_classification contrastive cross_covariance "
        "decov total_variation log_poisson_loss": "the formula of the loss",
        "broadcast": "`autolab.broadcast_to(x, shape)`; operators do it by themselves",
        "clipped_relu": "`autolab.clip(x, 0, z)`",
        "crelu": "`F.concatenate([F.relu(x), F.relu(-x)], axis=1)`",
        "flipud": "`autolab.flip(x, 0)`",
        "fix_batch_normalization batch_nrom": "`F.batch_norm(x, gamma, beta)`",
        "forget": "`autolab.checkpoint(f)(x)`",
        "highway": "a Link of your own: `gate * h + (1 - gate) * x`",
        "linear_interpolate": "`p * x + (1 - p) * y`",
        "lstm slstm tree_lstm": "`L.LSTMCell(in_size, out_size)`: `state = cell(x, state)`",
        "n_step_lstm n_step_gru n_step_rnn n_step_bilstm n_step_bigru n_step_birnn": (
            "`L.LSTM(in_size, out_size, layers=n)`, of sequences of one length"
        ),
        "maxout minmax": "`F.max(x.reshape(n, size, pool), axis=2)`",
        "permutate": "`x[order]`",
        "split_axis": "`F.split(x, n, axis)`, which is NumPy's",
        "squared_error": "`(x - t) ** 2`",
        "transpose_sequence": "`x.swapaxes(0, 1)` of a padded batch",
        "linear_simple sigmoid_simple softmax_simple softmax1d": "the function itself, `F.linear`, `F.sigmoid`, "
        "`F.softmax`",
        "reshape_sum_backward": "`F.broadcast_to(g, shape)` after `reshape`",
        "pooling pooling_simple max_pool": "`F.max_pool2d(x, kernel, stride)`",
        "average_pooling avg_pool": "`F.avg_pool2d(x, kernel, stride)`",
        # Keras's, TensorFlow's, Optax's
        "categorical_crossentropy sparse_categorical_crossentropy CategoricalCrossentropy "
        "SparseCategoricalCrossentropy softmax_cross_entropy_with_integer_labels "
        "*softmax_cross_entropy_with_logits": _CROSS_ENTROPY,
        "binary_crossentropy BinaryCrossentropy sigmoid_binary_cross_entropy sigmoid_cross_entropy_with_logits": (
            _SIGMOID_CROSS_ENTROPY
        ),
        "MeanSquaredError mse MSE": "`F.mean_squared_error(y, t)`",
        "MeanAbsoluteError mae MAE": "`F.mean_absolute_error(y, t)`",
        "mape MeanAbsolutePercentageError": "`100 * abs((t - y) / t).mean()`",
        "msle MeanSquaredLogarithmicError": "`F.mean_squared_error(autolab.log1p(y), autolab.log1p(t))`",
        "Huber": "`F.huber(y, t)`",
        "KLDivergence kullback_leibler_divergence": "`F.kl_div(log_p, q)`",
        "Hinge SquaredHinge squared_hinge categorical_hinge CategoricalHinge": "`F.relu(1 - y * t).mean()`, for t of "
        "-1 and 1",
        "logcosh LogCosh": "`(autolab.logaddexp(y - t, t - y) - np.log(2)).mean()`",
        "poisson Poisson": "`F.poisson_nll_loss(x, t)`",
        "cosine_proximity": "`-F.cosine_similarity(x, y)`",
        "hard_silu": "`F.hardswish(x)`",
        "hard_swish": "`F.hardswish(x)`",
        "hard_tanh": "`F.hardtanh(x)`",
        "soft_sign": "`F.softsign(x)`",
        "squareplus": "`(x + autolab.sqrt(x * x + b)) / 2`",
        "standardize": "`(x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)`, or `F.layer_norm`",
        "logmeanexp": "`autolab.logsumexp(x, axis) - np.log(n)`",
        "log1mexp": "`autolab.log(-autolab.expm1(-x))`",
        "sparse_plus sparse_sigmoid": "`autolab.clip(x, 0, 1)` and its like",
        "l2_loss": "`(x * x).sum() / 2`",
        "l2_normalize": "`F.normalize(x)`",
        "moments": "`x.mean(axis), x.var(axis)`",
        "bias_add": "`x + b`",
        "in_top_k": "`(np.argsort(-x.data)[:, :k] == t[:, None]).any(1)`",
        "top_k": "`values, places = autolab.topk(x, k)`",
        "embedding_lookup": "`F.embedding(x, W)`, or `W[x]`",
        "conv2d_transpose": "`F.conv_transpose2d(x, W)`",
        "depthwise_conv2d separable_conv2d": "`F.conv2d(x, W, groups=channels)`",
        "get": "the function by its name: `getattr(F, 'relu')`",
    },
    "links": {
        "Bilinear InstanceNorm1d InstanceNorm2d InstanceNorm3d": "`nn.{}`, with PyTorch's settings",
        "*3d *3D": _PLANES,
        "*Pad1d *Pad2d ZeroPadding1D ZeroPadding2D Cropping1D Cropping2D": _WIDTHS,
        "LazyInstanceNorm*": "`L.InstanceNormalization()`, which has weights",
        "LazyConv1d LazyConv2d LazyConvTranspose1d LazyConvTranspose2d": "the layer itself, with None for the size of "
        "its input, which the first call tells",
        "LocalResponseNorm CrossMapLRN2d LocalResponseNormalization UnitNormalization BatchRenormalization "
        "DecorrelatedBatchNormalization InceptionBN Normalization": "`L.LayerNormalization`, `L.GroupNormalization`, "
        "`L.BatchNormalization`",
        "Unfold Fold ChannelShuffle PixelUnshuffle": "`F.unfold(x, kernel)`, in a function: "
        "`L.Sequential(layer, lambda x: ...)`",
        "UpsamplingNearest2d UpsamplingBilinear2d UpSampling1D UpSampling2D Resizing": (
            "`F.interpolate(x, scale_factor=2, mode=...)`"
        ),
        "Softmin Softmax2d": "`nn.Softmax(1)`, of `-x` or of channels",
        "RReLU ThresholdedReLU Swish Maxout": "`nn.LeakyReLU()`, `nn.SiLU()`, or the formula in a function",
        "AlphaDropout FeatureAlphaDropout Dropout1d GaussianDropout GaussianNoise SpatialDropout* "
        "SimplifiedDropconnect": ("`nn.Dropout(p)`, `nn.Dropout2d(p)`; a mask of another kind is a Link of your own"),
        "LPPool* FractionalMaxPool* MaxUnpool*": "`nn.MaxPool2d(kernel)`, `nn.AvgPool2d(kernel)`",
        "MaxPooling1D MaxPool1D": "`nn.MaxPool1d(kernel)`",
        "MaxPool2D": "`nn.MaxPool2d(kernel)`",
        "AvgPool2D AveragePooling1D AvgPool1D": "`nn.AvgPool2d(kernel)`, `nn.AvgPool1d(kernel)`",
        "GlobalMaxPool* GlobalMaxPooling*": "`nn.AdaptiveMaxPool2d(1)`, or `lambda x: x.max((2, 3))`",
        "GlobalAveragePooling1D GlobalAvgPool*": "`nn.AdaptiveAvgPool1d(1)`, or `lambda x: x.mean(2)`",
        "AdaptiveLogSoftmaxWithLoss HierarchicalSoftmax BinaryHierarchicalSoftmax NegativeSampling BlackOut CRF1d "
        "*Loss *Loss2d": "a loss of `F`, such as `F.cross_entropy`, or its formula",
        "RNNBase RNNCellBase StackedRNNCells NStep* Stateful* ConvLSTM* ChildSumTreeLSTM NaryTreeLSTM "
        "StatelessGRU StatelessMGU": "`L.LSTM`, `L.GRU`, `L.RNN` and the cells `L.LSTMCell`, `L.GRUCell`, `L.RNNCell`",
        "UninitializedParameter UninitializedBuffer Buffer": "`L.Parameter(initializer)` gets its shape at the first "
        "call; `self.register_buffer(name, array)`",
        "modules parameter parallel quantized intrinsic qat quantizable": "what there is is in `autolab.nn` itself",
        "Permute RepeatVector Masking TimeDistributed Rescaling ActivityRegularization": (
            "a function: `L.Sequential(layer, lambda x: x.transpose(0, 2, 1))`; layers take leading axes as they are"
        ),
        "Add Multiply Subtract Average Maximum Minimum Concatenate Dot": "the expression in `forward`: `x + y`, "
        "`F.concatenate([x, y], axis=1)`",
        "Separable* Depthwise*": "`L.Conv2D(c, c, ksize, groups=c)`, and after it `L.Conv2D(c, out, 1)`",
        "DilatedConvolution2D": "`L.Conv2D(in_channels, out_channels, ksize, dilation=2)`",
        "LocalConvolution2D DeformableConvolution2D MLPConvolution2D Inception Highway Scale Bias LinearLayer "
        "TheanoFunction Layer InputSpec Attention AdditiveAttention": (
            "a Link of your own: assign parameters and layers in `__init__`, and write `forward`"
        ),
        "TextVectorization StringLookup Random* Discretization Hashing CategoryEncoding": (
            "a function that makes arrays of the examples, before the network"
        ),
        "VGG* ResNet* GoogLeNet* Inception* MobileNet* EfficientNet* DenseNet* AlexNet*": (
            "no trained network comes along; `docs/compat.md` says how PyTorch's code makes one"
        ),
        "make_causal_mask": "`np.tril(np.ones((n, n), bool))`",
        "compact": "assign layers in `__init__`, and write `forward`",
    },
    "optimizers": {
        "SparseAdam Muon Nadam Ftrl SGLD CorrectedMomentumSGD MSVAG RMSpropGraves AdaBound AMSBound AdaBelief Shampoo "
        "adagrad lamb lion yogi novograd adabelief radam sm3 noisy_sgd fromage optimistic_gradient_descent adafactor "
        "adamax nadam lookahead ema": _OWN_RULE,
        "rmsprop": "`optimizers.RMSprop(lr)`",
        "BFGS ConjugateGradient Newton lbfgs NewtonCG": "SciPy's: `scipy.optimize.minimize(f, x, "
        "jac=lambda x: autolab.grad(f)(x).data)`; Newton's steps by `transforms.hvp`",
        "GradientDescent GradientDescentOptimizer": "`optimizers.SGD(lr)`",
        "AdamOptimizer AdamRule": "`optimizers.Adam(lr)`",
        "MomentumOptimizer": "`optimizers.MomentumSGD(lr, momentum)`",
        "chain scale masked multi_transform inject_hyperparams add_decayed_weights GradientTransformation apply_every "
        "MultiSteps": (
            "`optimizer.add_hook(f)`, which changes gradients before a step; `param_groups` of different rates"
        ),
        "clip clip_grads GradientHardClipping clip_by_value": (
            "`optimizer.add_hook(optimizers.GradientClipping(limit))`, `nn.utils.clip_grad_value_(parameters, limit)`"
        ),
        "global_norm GradientLARS": "`nn.utils.clip_grad_norm_(parameters, limit)` returns the norm before",
        "FreezeParam": "`layer.freeze()`",
        "get serialize deserialize": "the class: `getattr(optimizers, 'Adam')`",
        "unflatten_optimizer": "leave it out: an optimizer takes parameters of any shapes",
        "*Decay *_decay *_schedule LearningRateScheduler LearningRateSchedule": _BY_STEP,
    },
    "lr_scheduler": {
        "*LR *Decay *Restarts get_*_with_warmup LearningRateSchedule": _BY_STEP,
    },
    "init": {
        "dirac_ sparse_": "`nn.init.zeros_(w)`, then numbers: `w.data[...] = array`",
        "trunc_normal_": "`w.data[...] = rng.normal(0, std, w.shape).clip(-2 * std, 2 * std)`, nearly",
        "xavier_uniform xavier_normal kaiming_uniform kaiming_normal uniform normal constant orthogonal eye": (
            "`nn.init.{}_(w)`"
        ),
        "glorot_uniform_": "`nn.init.xavier_uniform_(w)`",
        "glorot_normal_": "`nn.init.xavier_normal_(w)`",
        "he_uniform_": "`nn.init.kaiming_uniform_(w)`",
        "he_normal_": "`nn.init.kaiming_normal_(w)`",
        "_calculate_fan_in_and_fan_out _calculate_correct_fan": "`autolab.initializers.fans(shape)`",
    },
    "utils": {
        "clip_grad_norm clip_grads_with_norm_ get_total_norm": "`nn.utils.clip_grad_norm_(parameters, limit)`, which "
        "returns the norm before",
        "remove_weight_norm remove_spectral_norm parametrize": "a Link of your own, whose forward changes W",
        "stateless": "`autolab.func.functional_call(model, values, x)`",
        "skip_init": "the layer itself",
        "fuse_*": "nothing: `with autolab.test_mode():` the averages are used",
    },
    "rnn": {
        "unpack_sequence unpad_sequence PackedSequence": "`[y[i, :n] for i, n in enumerate(lengths)]` of the padded "
        "batch",
    },
    "func": {
        "functionalize make_fx debug_unwrap": "`autolab.record(f, x)` has every step; nothing changes in place",
        "grad_and_value": "`autolab.value_and_grad(f)`, value first",
        "linearize": "`autolab.jvp(f, (x,), (v,))` for each direction `v`",
        "stack_module_state": "`np.stack` of each parameter's `data` over the models, then `autolab.vmap`",
    },
    "functional": {"grad": "`autolab.grad(y, x)`; `autolab.transforms.grad(f)`"},
    "data": {
        "SubsetRandomSampler DistributedSampler ShuffleOrderSampler OrderSampler": (
            "`data.Subset(dataset, places)`, with places that you draw: `rng.choice(n, size, p=weights)`"
        ),
        "StackDataset DictDataset TransformDataset SubDataset ImageDataset LabeledImageDataset TextDataset "
        "PickleDataset ZippedImageDataset DatasetMixin LabeledZippedImageDataset Sequence": (
            "`data.TupleDataset(x, t)`, `data.Subset`, or a class with `__len__` and `__getitem__`"
        ),
        "get_worker_info MultithreadIterator Converter": "`data.DataLoader`, which reads in this process",
        "CIFAR100 ImageFolder DatasetFolder ImageNet SVHN KMNIST EMNIST STL10 VOC* Coco* cifar10 cifar100 "
        "imdb reuters boston_housing california_housing get_ptb_words get_svhn get_kuzushiji_mnist BigData "
        "Shakespear Shakespeare Caltech* Omniglot QMNIST USPS load_data": (
            "`data.fetch(url, sha256, name)`, and NumPy to read the file"
        ),
        "fashion_mnist": "`data.FashionMNIST`",
        "Spiral SinCurve make_spiral": ("a line of NumPy's: `r = np.linspace(0, 1, n)`, then `r * np.cos(9 * r)`"),
        "load_digits": "`data.get_digits()`",
        "load_* make_* fetch_*": _SCIKIT,
        "split_dataset_n get_cross_validation_datasets*": (
            "`data.Subset(dataset, places)`, of `np.array_split(order, n)`"
        ),
        "to_device": _CPU_OR_GPU,
        "get_conv_outsize": "`(size + 2 * pad - kernel) // stride + 1`",
        "reshape_sum_backward": "`F.broadcast_to(g, shape)` after `reshape`",
        "from_tensor_slices from_generator batch shuffle prefetch AUTOTUNE image_dataset_from_directory cache": (
            "`data.DataLoader(data.TupleDataset(x, t), batch_size)`, which shuffles"
        ),
        "pad_sequences": "`nn.utils.rnn.pad_sequence(arrays, batch_first=True)`",
        "to_categorical": "`F.one_hot(t, classes)`",
        "ImageDataGenerator Resize CenterCrop RandomCrop Random* Grayscale ColorJitter": _AUGMENT,
        "Tokenizer": "a dictionary: `{word: i for i, word in enumerate(words)}`",
        "collate_fn": "`data.DataLoader(dataset, batch_size, collate_fn=f)`",
        "*DataPipe": "`data.DataLoader` of a list",
    },
    "image_transforms": {
        "ToTensor ToPILImage Convert PILToTensor": "`T.ToFloat()`; images are arrays `(channels, height, width)`",
        "ToInt": "`T.AsType(int)`",
        "Lambda": "the function itself, in `T.Compose([...])`",
        "Resize CenterCrop Random* ColorJitter Grayscale Pad GaussianBlur FiveCrop TenCrop InterpolationMode "
        "functional v2 AutoAugment": _AUGMENT,
    },
    "training": {
        "Updater ParallelUpdater MultiprocessParallelUpdater": "`training.StandardUpdater(iterator, optimizer)`",
        "PRIORITY_*": "`trainer.extend(f)`: extensions run in the order in which they are added",
        "TrainingArguments TrainState train_state LightningModule": _A_LOOP,
        "CheckpointManager": "`extensions.snapshot()`",
    },
    "extensions": {
        "VariableStatisticsPlot ParameterStatistics": "`extensions.LiveMonitor()`, which shows weights and gradients",
        "*Shift LearningRateScheduler ReduceLROnPlateau": "`optimizers.lr_scheduler`, whose `step()` comes after each "
        "epoch: " + _CALLBACK,
        "DumpGraph dump_graph": "`autolab.graph(loss)`",
        "FailOnNonNumber TerminateOnNaN": "`with autolab.detect_anomaly():`",
        "observe_lr observe_value LearningRateMonitor": "`training.report({'lr': optimizer.lr})` in " + _CALLBACK,
        "MicroAverage unchain_variables LambdaCallback GradientAccumulationScheduler StochasticWeightAveraging "
        "DeviceStatsMonitor Timer RemoteMonitor": _CALLBACK,
        "BackupAndRestore": "`extensions.snapshot()`, and `extensions.resume`",
        "RichProgressBar TQDMProgressBar": "`extensions.ProgressBar()`",
    },
    "initializers": {
        "LecunNormal": "`initializers.LeCunNormal(scale)`",
        "LecunUniform lecun_uniform": "`initializers.LeCunUniform(scale)`",
        "constant NaN": "`initializers.Constant(value)`",
        "truncated_normal normal_ trunc_normal_": "`initializers.Normal(scale)`; in place `nn.init.normal_(w)`",
        "orthogonal delta_orthogonal orthogonal_ Identity": "`initializers.Orthogonal()`",
        "variance_scaling": "`initializers.LeCunNormal(scale)`",
        "xavier_normal_ xavier_uniform_ kaiming_normal_ kaiming_uniform_ zeros_ ones_ constant_ uniform_": (
            "`nn.init.{}_(w)`"
        ),
        "UpsamplingDeconvFilter DownsamplingConvFilter": "the array itself, as an initializer",
        "generate_array": "`initializer(shape)`",
        "get_fans": "`initializers.fans(shape)`",
        "get": "the class: `getattr(initializers, 'HeNormal')`",
    },
    "autograd": {
        "forward_ad": "`autolab.jvp(f, (x,), (v,))`",
        "anomaly_mode": "`with autolab.detect_anomaly():`",
        "grad_mode variable": "`autolab.no_grad`, `autolab.Variable`",
    },
    "transforms": {
        "grad_and_aux": "`autolab.value_and_grad(f, has_aux=True)`",
        "make_ggnvp": "`autolab.jvp` of f, the loss's `autolab.hvp`, and `autolab.vjp` of f",
        "curl directional_derivative": "`autolab.jvp(f, (x,), (v,))`, `autolab.jacobian(f)(x)`",
        "taylor taylor_coefficients taylor_expand": "`autolab.jet(f, x, 1.0, order=n)`, the coefficients",
        "tensor_jacobian_product vector_jacobian_product": "`value, pull = autolab.vjp(f, x)`, then `pull(g)`",
        "hessian_tensor_product": "`autolab.hvp(f)(x, v)`",
        "multigrad_dict": "`autolab.grad` of a function of a dictionary",
    },
    "serializers": {
        "save_state_dict save_weights save_model save_file dump dumps pickle msgpack_serialize": (
            "`serializers.save_npz(path, model)`"
        ),
        "load_weights load_model load_file loads": "`serializers.load_npz(path, model)`",
        "NpzSerializer NpzDeserializer DictionarySerializer HDF5Serializer HDF5Deserializer to_state_dict "
        "from_state_dict": _STATE,
    },
    "gradcheck": {
        "check_forward check_jvp check_vjp check_equivalent check_derivative unary_to_nullary vspace "
        "FunctionTestCase": ("`autolab.check_gradients(f, x)`, which runs the forward, too"),
        "approx_fprime nd": "`autolab.numerical_grad(f, x)`",
        "parameterize": "pytest's `parametrize`",
    },
    "plots": {
        "plot_loss loss_landscape contour plot_surface": "`autolab.plots.surface(loss, x0)`",
        "plot_history hist histogram bar scatter figure subplots": (
            "`autolab.plots.line_chart(losses)`; Matplotlib takes `x.data`"
        ),
        "imshow confusion_matrix": "`autolab.heatmap(x)`",
        "plot_decision_boundary quiver vector_field gradient_field": "Matplotlib's own, of `x.data` and `x.grad.data`",
        "savefig": "`chart.save(path)`",
    },
    "lax": {
        "associative_scan": "`autolab.lax.scan(f, init, xs)`, or NumPy's `cumsum`, `cumprod`",
        "dynamic_slice* dynamic_index_in_dim slice slice_in_dim index_in_dim": "`x[i : i + n]`",
        "dynamic_update_slice* dynamic_update_index_in_dim": "`x.at[i : i + n].set(y)`",
        "scatter_*": "`x.at[i].set(v)`, `x.at[i].add(v)`",
        "conv conv_general_dilated* conv_with_general_padding": "`F.conv2d(x, W, stride=1, pad=0)`",
        "conv_transpose": "`F.conv_transpose2d(x, W)`",
        "dot_general": "`np.einsum`, `np.tensordot`",
        "reduce_window*": "`F.max_pool2d(x, kernel)`, `F.avg_pool2d(x, kernel)`",
        "reduce_precision convert_element_type bitcast_convert_type": "`x.astype(dtype)`",
        "reduce_sum reduce_max reduce_min reduce_prod": "NumPy's functions, such as `np.sum`",
        "reduce reduce_*": "NumPy's functions, such as `np.sum`, or `autolab.lax.scan`",
        "top_k approx_max_k": "`values, places = autolab.topk(x, k)`",
        "sort_key_val": "`order = np.argsort(keys)`, then `values[order]`",
        "erf_inv": "SciPy's own, with its slope: `elementwise(x=lambda g, x: g * slope(x))(lambda xp, x: erfinv(x))`",
        "logistic": "`autolab.sigmoid(x)`",
        "psum pmean pmax pmin all_gather all_to_all axis_index axis_size ppermute pshuffle pswapaxes psum_scatter "
        "with_sharding_constraint": _ACROSS,
        "iota broadcasted_iota": "`np.arange(n)`",
        "integer_pow": "`x**n`",
        "rem": "`np.fmod(x, y)`",
        "rev": "`np.flip(x, axis)`",
        "custom_root custom_linear_solve": "`autolab.custom_vjp`, by the implicit function theorem",
        "cummin": "`np.minimum.accumulate(x.data)`, without a gradient",
        "cumlogsumexp": "`np.logaddexp.accumulate(x.data)`, without a gradient",
        "zeros_like_array": "`np.zeros_like(x)`",
        "Precision DotDimensionNumbers ConvDimensionNumbers": (
            "nothing: products are computed in the dtype of the arrays"
        ),
        "is_finite": "`np.isfinite(x)`",
        "broadcast broadcast_in_dim broadcast_to_rank": "`np.broadcast_to(x, shape)`",
        "collapse": "`x.reshape(shape)`",
        "bitwise_* shift_* population_count clz": "NumPy's functions of integers",
    },
    "linalg": {
        "lu lu_factor cho_factor ldl* householder_product": "`np.linalg.solve(a, b)`, `np.linalg.qr(a)`, "
        "`np.linalg.cholesky(a)`, of Variables too",
        "inv_ex solve_ex cholesky_ex": "`np.linalg.inv`, `solve`, `cholesky`, which raise where they fail",
        "logdet": "`np.linalg.slogdet(a)[1]`",
        "global_norm": "`autolab.norm(F.concatenate([g.ravel() for g in grads]))`",
        "matrix_exp logm sqrtm funm cosm sinm fractional_matrix_power signm expm_frechet": (
            "`np.linalg.eigh(a)` of a symmetric matrix: `(v * f(w)) @ v.T`"
        ),
        "vander": "`x[:, None] ** np.arange(n)`",
        "band_part": "`np.tril`, `np.triu`",
        "pinvh": "`np.linalg.pinv(a)`",
        "hankel circulant companion hadamard hilbert helmert pascal": "SciPy's own, an array; of Variables `np.stack`",
        "schur polar null_space orth solve_* hessenberg rq qz ordqz cossin khatri_rao": _SCIPY,
    },
    "random": {
        "poisson binomial geometric lognormal dirichlet multivariate_normal laplace logistic pareto rayleigh "
        "triangular wald chisquare f standard_normal cauchy": (
            "`numpy.random.default_rng(key).{}(size=shape)`, by NumPy's name"
        ),
        "truncated_normal": "`random.normal(key, shape).clip(low, high)`, nearly",
        "rademacher": "`2 * random.bernoulli(key, 0.5, shape) - 1`",
        "ball orthogonal maxwell double_sided_maxwell weibull_min generalized_normal bits": (
            "`numpy.random.default_rng(key)`, and a line of NumPy's"
        ),
        "key_data wrap_key_data key_impl": "the key itself, an array",
        "shuffle": "`random.permutation(key, x)`",
        "default_rng": "`numpy.random.default_rng(seed)`, given as `rng=`",
        "get_state set_state": "`autolab.config.rng.bit_generator.state`",
    },
    "stats": {"*": "SciPy's own, of `x.data`; of a density that needs a gradient its formula"},
    "norm": {"*": "SciPy's own, of `x.data`"},
    "special": {
        "kl_div": "`autolab.xlogy(x, x) - autolab.xlogy(x, y) - x + y`",
        "huber pseudo_huber": "the formula: `d**2 * (autolab.sqrt(1 + (r / d) ** 2) - 1)`",
        "exprel": "`autolab.expm1(x) / x`, and 1 at 0",
        "*": (
            "SciPy's own, with its slope: `elementwise(x=lambda g, x: g * slope(x))(lambda xp, x: scipy.special.{}(x))`"
        ),
    },
    "autolab": {
        "sigmoid_ tanh_ relu_": "`x = autolab.{}(x)`: what is computed is a new array",
        "distributed local_devices process_count": _ACROSS,
        "fx compiler": "`autolab.record(f, x)` has every step, `autolab.compile(f)` runs them without Python",
        "hub torchvision torchaudio": "no trained network comes along",
        "multiprocessing": "Python's own `multiprocessing`; `executor=` of `check_gradients` and `plots.surface`",
        "cartesian_prod combinations": "`itertools.product`, `itertools.combinations` of indices, and `x[places]`",
        "diag_embed": "`x[..., None] * np.eye(n)`",
        "cummax": "`np.maximum.accumulate(x.data)`, without a gradient",
        "cummin": "`np.minimum.accumulate(x.data)`, without a gradient",
        "logcumsumexp": "`np.logaddexp.accumulate(x.data)`, without a gradient",
        "unique_consecutive": "`x[np.flatnonzero(np.append(True, np.diff(x.data)))]`",
        "histc": "`np.histogram(x.data, bins)[0]`",
        "bucketize": "`np.searchsorted(boundaries, x.data)`",
        "aminmax": "`x.amin(dim), x.amax(dim)`",
        "std_mean var_mean": "`x.std(dim=0), x.mean(0)`",
        "mode": "`np.unique(x.data, return_counts=True)`",
        "mvlgamma igamma igammac": "SciPy's own, of `x.data`",
        "frac": "`x - np.trunc(x.data)`",
        "rsub": "`y - x`",
        "sgn": "`autolab.sign(x)`",
        "fill": "`autolab.full(shape, value)`",
        "logdet": "`np.linalg.slogdet(a)[1]`",
        "cholesky_solve cholesky_inverse lu_unpack triangular_solve lu orgqr geqrf": (
            "`np.linalg.solve(a, b)`, `np.linalg.inv(a)`, of Variables too"
        ),
        "matrix_exp": "the sum of its series, or `np.linalg.eigh(a)` of a symmetric matrix",
        "chain_matmul": "`np.linalg.multi_dot([a, b, c])`",
        "dist": "`autolab.norm(x - y)`",
        "renorm": "`x * (limit / autolab.norm(x)).clip(max=1)` of each part",
        "addbmm addmv addr": "`beta * x + alpha * (a @ b)`",
        "addcmul addcdiv": "`x + value * a * b`, `x + value * a / b`",
        "ger": "`autolab.outer(x, y)`",
        "range": "`autolab.arange(start, stop, step)`, without the stop",
        "get_default_dtype set_default_tensor_type get_dtype mixed16 bfloat16": _ONE_DTYPE,
        "set_default_device get_default_device get_device to_device device_reset": _CPU_OR_GPU,
        "complex polar view_as_real view_as_complex is_complex complex32": _REAL,
        "stft istft": "`F.fft(part, np.zeros(n))` of each part of the signal, times a window",
        "hann_window": "`np.hanning(n + 1)[:-1]`",
        "hamming_window": "`np.hamming(n + 1)[:-1]`",
        "blackman_window bartlett_window kaiser_window": "`np.blackman(n + 1)[:-1]`, `np.bartlett`, `np.kaiser`",
        "is_floating_point": "`x.dtype.kind == 'f'`",
        "is_nonzero": "`bool(x)`",
        "Size": "`tuple`",
        "Generator default_generator": "`np.random.default_rng(seed)`, given as `rng=`",
        "get_rng_state set_rng_state initial_seed": "`autolab.config.rng.bit_generator.state`",
        "use_deterministic_algorithms are_deterministic_algorithms_enabled": (
            "nothing needs it: after `autolab.manual_seed(0)` a program draws the same numbers again"
        ),
        "get_num_threads set_num_interop_threads": "the environment variable `OMP_NUM_THREADS`, before Python starts",
        "randint_like": "`autolab.randint(low, high, x.shape)`",
        "poisson binomial": "`autolab.config.rng.{}(n, size=shape)`, by NumPy's arguments",
        "DoubleTensor HalfTensor BoolTensor IntTensor ShortTensor ByteTensor CharTensor": (
            "`autolab.tensor(values, dtype='float64')`, with a dtype of NumPy's"
        ),
        "Storage UntypedStorage TypedStorage as_strided": "the array, `x.data`",
        "memory_format channels_last contiguous_format preserve_format layout strided": "arrays are in C order",
        "version": "`autolab.__version__`",
        "is_anomaly_enabled": "`with autolab.detect_anomaly():`",
        "set_float32_matmul_precision get_float32_matmul_precision set_flush_denormal default_matmul_precision": (
            "nothing: products are computed in the dtype of the arrays"
        ),
        "tensor_split": "`autolab.array_split(x, n, axis)`",
        "slice_scatter select_scatter diagonal_scatter masked_scatter index_put index_fill index_copy index_reduce "
        "scatter_reduce scatter_nd tensor_scatter_nd_update": _PLACES,
        "take_along_dim": "`autolab.take_along_axis(x, places, axis)`",
        "swapdims": "`autolab.swapaxes(x, i, j)`",
        "broadcast_tensors": "`np.broadcast_arrays(x.data, y.data)`; operators do it by themselves",
        "scalar_tensor": "`autolab.tensor(3.0)`",
        "sparse* to_sparse": _DENSE,
        "quantiz* quint8 qint8": _QUANTIZED,
        # torch.cuda's and CuPy's
        "current_device set_device get_device_name get_device_properties get_device_id memory_allocated "
        "memory_reserved memory_summary memory_stats max_memory_allocated mem_get_info empty_cache "
        "reset_peak_memory_stats Stream Event stream DummyDevice nvtx cudnn is_bf16_supported": _HELD,
        "cupy": "`import cupy`",
        "device_count available gpu_enable check_cuda_available": "`autolab.cuda.is_available()`",
        "as_cupy": "`autolab.to_gpu(x)`",
        "as_numpy": "`autolab.to_cpu(x)`",
        # JAX's
        "jax jnp": "`autolab.numpy`, `autolab.grad`, `autolab.vmap`: the names of JAX that there are",
        "linear_transpose": "`autolab.vjp(f, x)[1]`",
        "live_arrays": "`gc.get_objects()` of Python",
        "named_call": "`with autolab.named_scope(name):`",
        "ShapeDtypeStruct": "an array, such as `np.zeros(shape, dtype)`",
        "pure_callback io_callback": "the function itself: any Python runs",
        "ensure_compile_time_eval closure_convert": "nothing needs it: leave it out",
        "tensor_jacobian_product vector_jacobian_product": "`value, pull = autolab.vjp(f, x)`, then `pull(g)`",
        "make_ggnvp": "`autolab.jvp` of f, the loss's `autolab.hvp`, and `autolab.vjp` of f",
        "grad_and_aux": "`autolab.value_and_grad(f, has_aux=True)`",
        "multigrad_dict": "`autolab.grad` of a function of a dictionary",
        "hessian_tensor_product": "`autolab.hvp(f)(x, v)`",
        "isinstance dict list tuple": "Python's own",
        "linen nnx": "`autolab.nn`",
        "struct train_state TrainState init apply_updates_": "`optimizer.setup(model)`, then `optimizer.update()`",
        "optax haiku flax equinox": "`autolab.optimizers`, `autolab.nn`",
        "chain": "`autolab.Chain`, `autolab.Sequential`",
        # TensorFlow's
        "keras tf tensorflow": "`autolab.nn`, `autolab.optimizers`, `autolab.data`; " + _A_LOOP,
        "constant convert_to_tensor": "`autolab.Variable(x)`, or NumPy's array itself",
        "function": "`autolab.compile(f)`; without it functions run as they are",
        "reduce_variance": "`autolab.var(x, axis)`",
        "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_any reduce_all reduce_std reduce_logsumexp "
        "math": "`autolab.sum(x, axis)` and its like, by NumPy's names",
        "clip_by_value": "`autolab.clip(x, low, high)`",
        "clip_by_norm": "`x * (limit / autolab.norm(x)).clip(max=1)`",
        "global_norm": "`autolab.norm(F.concatenate([g.ravel() for g in grads]))`",
        "gradients get_gradient differentiate": "`autolab.grad(y, x)`",
        "assign": "`x.data = array`",
        "rank": "`x.ndim`",
        "boolean_mask": "`x[mask]`",
        "gather_nd": "`x[i, j]`",
        "dynamic_stitch dynamic_partition": "`x[mask]`, `x.at[i].set(v)`",
        "case map_fn foldl foldr": "Python's own if and for, or `autolab.vmap(f)(xs)`",
        "squared_difference": "`(x - y) ** 2`",
        "group control_dependencies Session placeholder global_variables_initializer variable_scope get_variable "
        "executing_eagerly py_function numpy_function": _OF_TENSORFLOW1,
        "name_scope": "`with autolab.named_scope(name):`",
        "print debugging": "Python's own `print`; `autolab.debug`",
        "io image audio lookup ragged": "NumPy's and Python's own functions",
        "random_normal_initializer": "`initializers.Normal(scale)`",
        "regularizers constraints": "a term of the loss, or `optimizer.add_hook(optimizers.WeightDecay(rate))`",
        "applications": "no trained network comes along",
        "backend": "`autolab.get_array_module(x)`",
        "Layer Config": "`autolab.Link`; `autolab.config`",
        # Lightning's
        "Lightning* Fabric Accelerator lightning": _A_LOOP,
        "seed_everything": "`autolab.manual_seed(0)`",
        "loggers": "`training.extensions.LogReport()`; `autolab.LiveMonitor(model)`",
        # Chainer's and DeZero's
        "report_scope Summary DictSummary reporter": "`training.report({'loss': loss}, model)`",
        "force_backprop_mode": "`with autolab.using_config('enable_backprop', True):`",
        "as_array": "`x.data`, `np.asarray(x)`",
        "variable setup_variable": "`autolab.Variable`",
        "computational_graph": "`autolab.graph(y)`, and `.to_graphviz()` of it",
        "print_runtime_info": "`autolab doctor` on the command line",
        "is_debug DebugMode": "`with autolab.detect_anomaly():`",
        "SeqDataLoader": "`data.DataLoader` of sequences, with `shuffle=False`",
        "array_allclose": "`autolab.assert_allclose(x, y)`",
        # scikit-learn's and SciPy's
        "metrics": "`F.accuracy(y, t)`, `F.r2_score(y, t)`; scikit-learn's take `y.data`",
        "preprocessing linear_model ensemble svm model_selection pipeline cluster decomposition neighbors Pipeline "
        "OneHotEncoder GridSearchCV cross_val_score StratifiedKFold check_random_state confusion_matrix make_* load_* "
        "fetch_* MinMaxScaler LabelEncoder shuffle": _SCIKIT,
        "LinearRegression LogisticRegression": "`L.Linear(in_size, out_size)`; " + _A_LOOP,
        "MLPClassifier MLPRegressor": "`L.MLP`; " + _A_LOOP,
        "accuracy_score": "`F.accuracy(y, t)`",
        "minimize fsolve root newton brentq curve_fit least_squares fmin_bfgs linprog basinhopping": _SOLVERS,
        "approx_fprime approx_derivative": "`autolab.numerical_grad(f, x)`",
        "solve_ivp quad": _STEPS,
        "interp1d CubicSpline": "`np.interp(x, xs, ys)`, of Variables too",
        "signal convolve2d ndimage": "`np.convolve`, `F.conv2d`, `F.fft`",
        "spatial stats constants": "`autolab.scipy.stats`; SciPy's own take `x.data`",
        # micrograd's and others'
        "step zero_grad parameters": "of an optimizer and a model: `optimizer.step()`, `optimizer.zero_grad()`, "
        "`model.parameters()`",
        "tape Tape": "`autolab.record(f, x)`",
        "Node nodes": "`autolab.record(f, x).steps`; `y.creator`",
        "topological_sort build_topo": "`y.backward()`, which sorts",
        "to_numpy asnumpy": "`x.data`",
        "parameters_to_vector vector_to_parameters": "`autolab.nn.utils.{}`",
        "clip_grad_norm_ clip_grad_value_": "`autolab.nn.utils.{}_`",
        "count_params num_params": "`sum(p.size for p in model.parameters())`",
        "unflatten_pytree": "`autolab.tree_unflatten(structure, leaves)`",
        "help about": "Python's `help(autolab)`; `autolab.__version__`",
        "lab demo tutorial notebooks gallery": "`autolab lab` on the command line, which opens the lessons",
        "examples": "the folder `examples` of the project",
    },
}
"""Where a name was looked for -> names and patterns -> what to use instead."""
