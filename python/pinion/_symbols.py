"""Equations of motion as sympy has them, from the text that the C library checked against its kernels."""
import re

from ._named import named

Equations = named("Equations", "M C g q v values")

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?)|([A-Za-z]\w*)|([-+*/^()]))")


class _Reader:
    """Sums of products of powers; what stands side by side is multiplied."""

    def __init__(self, text, known):
        import sympy
        self.sympy, self.known, self.tokens, at = sympy, known, [], 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if not found:
                raise ValueError(f"{text!r} is no expression")
            self.tokens.append(found.groups())
            at = found.end()
        self.tokens.append((None, None, None))

    def take(self, sign):
        if self.tokens[0][2] != sign:
            return False
        del self.tokens[0]
        return True

    def sum(self):
        total = -self.product() if self.take("-") else self.product()
        while True:
            if self.take("+"):
                total += self.product()
            elif self.take("-"):
                total -= self.product()
            else:
                return total

    def product(self):
        value = self.power()
        while True:
            if self.take("/"):
                value /= self.power()
            elif self.take("*") or self.tokens[0][0] or self.tokens[0][1] or self.tokens[0][2] == "(":
                value *= self.power()
            else:
                return value

    def power(self):
        value = self.factor()
        return value ** self.factor() if self.take("^") else value

    def factor(self):
        number, name, sign = self.tokens.pop(0)
        if number:
            return self.sympy.Integer(number) if number.isdigit() else self.sympy.Float(number, 17)
        if name in ("sin", "cos") and self.take("("):
            value = getattr(self.sympy, name)(self.sum())
        elif name:
            return self.known.setdefault(name, self.sympy.Symbol(name))
        elif sign == "(":
            value = self.sum()
        else:
            raise ValueError(f"{sign!r} where a factor was expected")
        if not self.take(")"):
            raise ValueError("expected )")
        return value


def matrices(nv, entries, symbols):
    """Equations from [(quantity, row, column, name, text)] and [(name, meaning, unit, value, coordinate, velocity)]."""
    import sympy
    known = {name: sympy.Symbol(name, real=True) for name, *_ in symbols}
    # what others refer to first: sines and cosines, then shorthands
    order = {"notation": 0, "shorthand": 1}
    out = {"mass_matrix": sympy.zeros(nv, nv), "coriolis": sympy.zeros(nv, nv), "gravity": sympy.zeros(nv, 1)}
    for quantity, row, column, name, text in sorted(entries, key=lambda e: order.get(e[0], 2)):
        value = _Reader(text, known).sum()
        if quantity in order:
            known[name] = value
            continue
        out[quantity][row, max(column, 0)] = value
        if quantity == "mass_matrix":
            out[quantity][column, row] = value
    q, v = sympy.zeros(nv, 1), sympy.zeros(nv, 1)
    values = {}
    for i in range(nv):
        q[i], v[i] = (known.get(f"{letter}_{i + 1}", sympy.Symbol(f"{letter}_{i + 1}", real=True)) for letter in "qv")
    for name, _, _, value, coordinate, velocity in symbols:
        if coordinate >= 0:
            q[coordinate] = known[name]
        elif velocity >= 0:
            v[velocity] = known[name]
        else:
            values[known[name]] = value
    return Equations(out["mass_matrix"], out["coriolis"], out["gravity"], q, v, values)
