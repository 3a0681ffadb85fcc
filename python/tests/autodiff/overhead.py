"""What a jitted call takes beside jitted code that does next to nothing, and a batch beside numpy's, in µs:

    python python/tests/autodiff/overhead.py [MODEL]
"""
import sys
import time

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
import pinion as pn  # noqa: E402
import pinion.jax as pj  # noqa: E402


def least(function, *arrays, calls):
    best = 1e9
    for _ in range(30):
        start = time.perf_counter()
        for _ in range(calls):
            jax.block_until_ready(function(*arrays))
        best = min(best, time.perf_counter() - start)
    return best / calls * 1e6


m = pn.load(sys.argv[1]) if len(sys.argv) > 1 else pn.random_chain(7, seed=3)
f = jax.jit(lambda q, v: pj.inverse_dynamics(m, q, v))
g = jax.jit(jax.grad(lambda q, v: pj.inverse_dynamics(m, q, v).sum(), (0, 1)))
for count in (1, 4096):
    q, v = jnp.asarray(m.random(0, count=count)), jnp.ones((count, m.nv))
    calls = 400 if count == 1 else 4
    nothing, jitted, gradient = (least(h, q, v, calls=calls) for h in (jax.jit(lambda q, v: v + v), f, g))
    numpy = least(m.inverse_dynamics, q, v, calls=calls)
    print(f"{count} states: jit of v + v {nothing:.2f}, inverse dynamics {jitted:.2f}, its gradient {gradient:.2f}, "
          f"numpy {numpy:.2f}")
