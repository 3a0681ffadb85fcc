"""Rollouts: many states for many steps of a fixed length, in C on every core."""
import numpy as np

from . import _pinion
from ._arguments import _choice, _one, _real, _whole
from ._model import Error
from ._named import named

_METHODS = {"semi_implicit": 0, "rk4": 1}

Rollout = named("Rollout", "q v q_record v_record")
DRollout = named("DRollout", "q v q_record v_record A B")


def _array(name, value, single):
    a = _real(f"rollout: {name}", value)
    return a.astype(np.float32 if single else np.float64, copy=False)


def _spread(name, a, shape, errors):
    """In rows over that shape, broadcast, and finite unless the caller lets NaN through."""
    try:
        a = np.broadcast_to(a, shape)
    except ValueError:
        raise Error(f"rollout: {name} has the shape {a.shape}; expected {shape}, or what broadcasts to it") from None
    if errors == "raise" and not np.isfinite(a).all():
        place = ", ".join(map(str, np.argwhere(~np.isfinite(a))[0]))
        raise Error(f'rollout: {name}[{place}] is not finite; errors="nan" lets it through')
    return np.ascontiguousarray(a)


def run(m, derivatives, q, v, tau, steps, dt, method, hold, every, passive, q_target, v_target, kp, kd, limit, f_ext,
        errors):
    """rollout() and d_rollout() of a model."""
    if errors not in ("raise", "nan"):
        raise Error(f"rollout: errors is {errors!r}; expected 'raise' or 'nan'")
    steps, hold, every = (_whole(f"rollout: {name}", number)
                          for name, number in (("steps", steps), ("hold", hold), ("every", every)))
    dt = _one("rollout: dt", dt)
    given = {"q": q, "v": v, "tau": tau, "q_target": q_target, "v_target": v_target, "kp": kp, "kd": kd, "limit": limit,
             "f_ext": f_ext}
    single = all(getattr(x, "dtype", None) == np.float32 for x in given.values() if x is not None)
    a = {name: None if x is None else _array(name, x, single) for name, x in given.items()}
    if a["v"] is None:
        a["v"] = np.zeros(m.nv, a["q"].dtype)
    for name, n in (("q", m.nq), ("v", m.nv)):
        if a[name].shape[-1:] != (n,):
            raise Error(f"rollout: {name} has the shape {a[name].shape}; expected (..., {n})")
    try:
        lead = np.broadcast_shapes(a["q"].shape[:-1], a["v"].shape[:-1])
    except ValueError:
        raise Error(f"rollout: leading axes of q and v, {a['q'].shape[:-1]} and {a['v'].shape[:-1]}, cannot be "
                    "broadcast") from None
    count = int(np.prod(lead))
    # with hold= the controls have an axis for their intervals, before those of the states
    intervals = (-(-steps // hold),) if hold else ()
    for name, n in (("q", m.nq), ("v", m.nv), ("tau", m.nv), ("q_target", m.nq), ("v_target", m.nv)):
        x = a[name]
        if x is None:
            continue
        first = () if name in "qv" else intervals
        if first and x.ndim == 2:  # the same for all states
            x = x.reshape(x.shape[0], *[1] * len(lead), x.shape[1])
        a[name] = _spread(name, x, (*first, *lead, n), errors).reshape(*first, count, n)
    for name in ("kp", "kd"):
        a[name] = None if a[name] is None else _spread(name, a[name], (m.nv,), errors)
    if a["limit"] is not None:
        a["limit"] = _spread("limit", a["limit"], (m.nv,), "nan")
    if a["f_ext"] is not None:
        a["f_ext"] = _spread("f_ext", a["f_ext"], (*lead, m.nbody, 6), errors).reshape(count, m.nbody, 6)
    parts = _pinion.rollout(m, derivatives, _choice("method", method, _METHODS), dt, steps, hold, every, passive,
                            errors == "nan", tuple(a.values()))
    out = [p.reshape(*lead, p.shape[-1]) for p in parts[:2]]
    out += [p.reshape(p.shape[0], *lead, *p.shape[2:]) for p in parts[2:]]
    return (DRollout if derivatives else Rollout)(*out)
