"""Tuples with names. collections.namedtuple compiles a class each time, which for all of them takes longer than the
rest
of the import; these are made in a few microseconds."""
import sys
from operator import itemgetter


class Named(tuple):
    """A tuple whose entries have names, _fields."""

    __slots__ = ()
    _fields = ()

    def __new__(cls, *values):
        if len(values) != len(cls._fields):
            raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values, got {len(values)}")
        return tuple.__new__(cls, values)

    def __getnewargs__(self):
        return tuple(self)

    def _asdict(self):
        """{name: value}."""
        return dict(zip(self._fields, self))

    def _replace(self, **values):
        """The same with other values of some names."""
        return type(self)(*(values.pop(name, old) for name, old in zip(self._fields, self)), *values)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self))})"


def named(name, fields, doc=None):
    """A class of tuples with these names, separated by blanks, in the module that calls."""
    module = sys._getframe(1).f_globals["__name__"]
    names = tuple(fields.split())
    members = {field: property(itemgetter(i)) for i, field in enumerate(names)}
    return type(name, (Named,), {"__slots__": (), "_fields": names, "__module__": module,
                                 "__doc__": doc or f"{name} ({', '.join(names)}).", **members})
