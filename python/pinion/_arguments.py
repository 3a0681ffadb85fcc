"""Arguments as they are needed; an Error names what is none."""
import json
import numbers

import numpy as np

from ._elements import _Numbered
from ._pinion import Error


def _number(elements, key, what):
    """The number of an element, by its name, its number, or itself."""
    if isinstance(key, str):
        if key not in elements:
            raise Error(f"the model has no {what} '{key}'")
        return elements[key].index
    if isinstance(key, _Numbered) and key.name not in elements.names:
        raise Error(f"the {what} '{key.name}' is of another model")
    if isinstance(key, _Numbered) and elements[key.name].index != key.index:
        raise Error(f"the {what} '{key.name}' is number {key.index} of another model")
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise Error(f"{what} is {key!r}; expected a name or a number")
    number = key.__index__()
    if not 0 <= number < len(elements):
        raise Error(f"{what} is {number}; expected 0 to {len(elements) - 1}")
    return number


def _real(name, value):
    """An array of real numbers that are nothing longer than float64; Error names what is none."""
    try:
        a = np.asarray(value)
        if a.dtype.kind not in "fiu" or a.dtype.itemsize > 8:
            raise TypeError(f"its dtype is {a.dtype}")
    except (TypeError, ValueError) as e:
        raise Error(f"{name} is no array of real numbers: {e}") from None
    if a is not value and isinstance(value, np.ndarray) and np.any(getattr(value, "mask", False)):
        raise Error(f"{name} has masked entries")
    return a


def _numbers(name, value):
    """A contiguous array of float64, finite; Error names what is none."""
    a = _real(name, value)
    a = np.ascontiguousarray(a, dtype=float).reshape(a.shape)
    if not np.isfinite(a).all():
        place = ", ".join(map(str, np.argwhere(~np.isfinite(a))[0]))
        raise Error(f"{name}[{place}] is not finite" if place else f"{name} is not finite")
    return a


def _one(name, value, least=-np.inf, above=-np.inf):
    """A finite number, `least` or more, or above another, as a float. Whatever float() takes is one, but for texts."""
    try:
        number = np.nan if isinstance(value, (str, bytes)) or getattr(value, "ndim", 0) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if np.isfinite(number) and number >= least and number > above:
        return number
    more = f", {least} or more" if least > -np.inf else f" above {above}" if above > -np.inf else ""
    raise Error(f"{name} is {value!r}; expected a finite number{more}")


def _whole(name, value, least=0):
    """A whole number, `least` or more (None: any); 1e6 is one."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if hasattr(number, "__index__") and not isinstance(value, bool) and \
            (least is None or least <= number.__index__() < 2**62):
        return number.__index__()
    raise Error(f"{name} is {value!r}; expected a whole number" + ("" if least is None else f", {least} or more"))


def _rotation(name, value):
    """A matrix of 3 x 3 that turns; None: that of no turn."""
    matrix = np.eye(3) if value is None else _numbers(name, value)
    if matrix.shape != (3, 3):
        raise Error(f"{name} has the shape {matrix.shape}; expected (3, 3)")
    if abs(matrix @ matrix.T - np.eye(3)).max() > 1e-6 or np.linalg.det(matrix) < 0:
        raise Error(f"{name} is not a rotation: its columns are not of unit length, orthogonal and right-handed")
    return matrix


def _moments(function, inertia):
    """The six moments of a matrix, by rows."""
    matrix = _numbers("inertia", inertia)
    if matrix.shape != (3, 3) or not np.array_equal(matrix, matrix.T):
        raise Error(f"{function}: inertia is not a symmetric matrix of 3 x 3")
    return tuple(map(float, matrix[np.triu_indices(3)]))


def _inertia(function, mass, com, inertia):
    """Mass, centre of mass and six moments as ten numbers."""
    moments = (0.0,) * 6 if inertia is None else _moments(function, inertia)
    return (_one(f"{function}: mass", mass, 0), *_three("com", com), *moments)


def _three(name, value):
    numbers = _numbers(name, value)
    if numbers.shape != (3,):
        raise Error(f"{name} has the shape {numbers.shape}; expected (3,)")
    return tuple(map(float, numbers))


def _choice(name, value, choices):
    if value not in choices:
        raise Error(f"{name} is {value!r}; expected {' or '.join(map(repr, choices))}")
    return choices[value]


def _json(name, value):
    """A dictionary's JSON: lists, texts and numbers, those of numpy too. The Error names the place of what is none."""
    return json.dumps(_plain(name + ": ", "", value, 0), allow_nan=False)


def _plain(name, place, value, depth):
    """A value as JSON has it."""
    if depth > 200:  # a loader reads no more, and what holds itself has no end
        raise Error(f"{name}{place[:60]}...: lists or dictionaries more than 200 deep, or one that holds itself")
    if isinstance(value, dict):
        made = {_key(name, place, key): _plain(name, f"{place}.{key}" if place else str(key), x, depth + 1)
                for key, x in value.items()}
        if len(made) < len(value):
            raise Error(f"{name}{place or 'it'} has a key twice, as a text and as a number")
        return made
    if isinstance(value, np.ndarray) and value.ndim == 0:
        if np.any(getattr(value, "mask", False)):
            raise Error(f"{name}{place or 'it'} is masked; expected a number")
        value = value[()]
    elif isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(name, f"{place}[{i}]", x, depth + 1) for i, x in enumerate(value)]
    if value is None or isinstance(value, (bool, np.bool_)):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return _text(name, place, value)
    return _finite(f"{name}{place or 'it'}", value)


def _finite(place, value):
    """A number of JSON: a whole one that 64 bits hold, or a finite float."""
    if isinstance(value, np.timedelta64) or not isinstance(value, numbers.Real):
        raise Error(f"{place} is {_short(value)}, a {type(value).__name__}, which is nothing that JSON has")
    if isinstance(value, numbers.Integral) and -2**63 <= value < 2**63:
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.inf
    if not np.isfinite(number):
        raise Error(f"{place} is {_short(value)}; expected a finite number")
    return number


def _key(name, place, key):
    if isinstance(key, numbers.Integral) and not isinstance(key, bool):
        return str(int(key))
    if not isinstance(key, str):
        raise Error(f"{name}{place or 'it'} has the key {_short(key)}; expected a text")
    return _text(name, place, key)


def _text(name, place, value):
    if "\0" in value or value != value.encode(errors="ignore").decode():
        raise Error(f"{name}{place or 'it'} has a text with NUL or half a character: {_short(value)}")
    return str(value)


def _short(value):
    try:
        text = repr(value)
    except ValueError:  # a whole number of too many digits
        return "a number of many digits"
    return text if len(text) <= 60 else text[:60] + "..."
