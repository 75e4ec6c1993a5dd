"""Programs as people write them in JAX; each entry makes a function and its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

Made = tuple[Callable[..., Any], tuple[Any, ...]]
PROGRAMS: dict[str, Made] = {}
_rng = np.random.default_rng(0)


def random(*shape: int) -> Any:
    return jnp.asarray(_rng.normal(size=shape), jnp.float32)


def simple(name: str, fn: Callable[..., Any], *shapes: tuple[int, ...]) -> None:
    PROGRAMS[name] = fn, tuple([random(*shape) for shape in shapes])


def program(*inputs: Any) -> Any:
    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[fn.__name__] = fn, inputs
        return fn

    return register


simple("muladd", lambda x, y, z: x * y + z, (3,), (3,), (3,))
simple("broadcast", lambda x, y: (x + y) * x, (4, 3), (3,))
simple("used_three_times", lambda x: (x * x * x).sum(), (5,))
simple("numbers", lambda x: (2.0 - x) / (1.0 + x**2) + 3.0 ** (x * 0.1), ())
simple("matrices", lambda a, b: jnp.trace(a @ b @ a), (3, 4), (4, 3))
simple("einsum", lambda a, b: jnp.einsum("bij,bjk->bik", a, b).sum(), (2, 3, 4), (2, 4, 2))
simple("where", lambda x, y: jnp.where(x > 0, x * y, -x).sum(), (3, 4), (3, 4))
simple("maximum_and_clip", lambda x, y: jnp.clip(jnp.maximum(x, y), -0.5, 0.5).sum(), (10,), (10,))
simple("statistics", lambda x: jnp.std(x, axis=0).prod() + jnp.linalg.norm(x, axis=1).sum(), (4, 3))
simple("softmax_loss", lambda x: -jax.nn.log_softmax(x)[jnp.arange(3), jnp.array([0, 2, 1])].mean(), (3, 4))
simple("logsumexp", lambda x: jax.scipy.special.logsumexp(x * 3, axis=1), (4, 3))
simple("activations", lambda x: (jax.nn.relu(x) + jax.nn.gelu(x) * jax.nn.sigmoid(x)).sum(), (6,))
simple("reshape_and_transpose", lambda x: (x.reshape(2, 3, 4).transpose(2, 0, 1) * 2).sum(0), (4, 6))
simple("slices", lambda x: x[1:, ::2].sum() + (x[0] * x[-1]).sum() + x[:, 1].prod(), (4, 5))
simple("updated_elements", lambda x, y: x.at[1].set(y).at[0].mul(2.0).sum() + x[1].sum(), (3, 2), (2,))
simple("concatenated", lambda x, y: jnp.concatenate([jnp.stack([x, y]), x[None]]).prod(0), (4,), (4,))
simple("split", lambda x: jnp.split(x, 2)[0] @ jnp.split(x, 2)[1], (6,))
simple("sorted_and_top", lambda x: jnp.sort(x)[0] + lax.top_k(x, 2)[0].sum(), (6,))
simple("cumulated", lambda x: jnp.cumsum(x).sum() + jnp.cumprod(x)[-1], (5,))
simple("mapped", lambda x, w: jax.vmap(lambda row: jnp.tanh(row @ w))(x).sum(), (4, 3), (3,))
simple("own_gradient", lambda x: (jax.grad(lambda a: jnp.sin(a).sum())(x) * x).sum(), (4,))
simple("convolution", lambda x, w: lax.conv(x, w, (1, 1), "SAME").sum(), (1, 1, 4, 4), (2, 1, 3, 3))
simple("solved", lambda a, b: jnp.linalg.solve(a + 5 * jnp.eye(3), b).sum(), (3, 3), (3,))
simple("stopped", lambda x: (x * lax.stop_gradient(x * 2)).sum() + jnp.argmax(x), (4,))
simple("dropout", lambda x: (x * jax.random.bernoulli(jax.random.key(1), 0.5, x.shape)).sum(), (6,))
simple("rematerialised", lambda x: jax.checkpoint(lambda a: jnp.sin(jnp.sin(a)))(x).sum(), (4,))


@jax.jit
def dense(params: Any, x: Any) -> Any:
    return jnp.tanh(x @ params["w"] + params["b"])


@program({"hidden": {"w": random(3, 4), "b": random(4)}, "out": {"w": random(4, 2), "b": random(2)}}, random(5, 3))
def network(params: Any, x: Any) -> Any:
    h = dense(params["hidden"], x)
    y = dense(params["out"], h)
    return {"loss": (y**2).mean(), "penalty": sum(jnp.abs(layer["w"]).sum() for layer in params.values())}


@program(random(4), random(3, 4), random(4, 4))
def recurrent(h: Any, xs: Any, w: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(w @ h + x)
        return h, h.sum()

    h, sums = lax.scan(step, h, xs)
    return (h * sums[-1]).sum() + sums.prod()


@program(random(3))
def reversed_loop(x: Any) -> Any:
    total, partial = lax.scan(lambda c, t: (c * 0.5 + t, c), 1.0, x, reverse=True)
    return total + (partial * x).sum()


@program(jnp.float32(1.5), random(3))
def branches(x: Any, y: Any) -> Any:
    a = lax.cond(x > 1, lambda v: v * 2, lambda v: v - 1, y)
    b = lax.switch(2, [jnp.sin, jnp.cos, jnp.exp], x)
    return a.sum() * b + lax.fori_loop(0, 3, lambda i, c: c * x + i, 1.0)


@jax.custom_vjp
def clipped(x: Any) -> Any:
    return x * 2


clipped.defvjp(lambda x: (clipped(x), None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))


@program(random(4))
def own_rule(x: Any) -> Any:
    return (clipped(x) ** 2).sum() + clipped(x).sum()


@program(random(2, 3, 4), random(4, 12), random(4, 4))
def attention(x: Any, qkv: Any, out: Any) -> Any:
    q, k, v = jnp.split(x @ qkv, 3, axis=-1)
    scores = q @ k.swapaxes(-1, -2) / 2.0
    scores = jnp.where(jnp.tril(jnp.ones((3, 3), bool)), scores, -jnp.inf)
    return x + (jax.nn.softmax(scores) @ v) @ out


@program(random(4, 3).astype(jnp.bfloat16), random(3, 2).astype(jnp.bfloat16))
def bfloat16(x: Any, w: Any) -> Any:
    return jax.nn.relu(x @ w).sum()
