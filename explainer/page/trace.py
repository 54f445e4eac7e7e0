"""The trace: an ordinary NumPy formula, called on symbols that record what it does.

    traced = completion_time(name("ttft"), name("tpot"), name("output_tokens"))

NumPy's own protocols carry it (__array_ufunc__ for operators and elementwise functions, __array_function__ for np.where), so a formula
neither imports this module nor knows that it exists. What is recorded is a tree of nodes, printed elsewhere as a Vega expression
(vega.py) and as mathematics (mathml.py).
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

ELEMENTWISE = frozenset(
    "add subtract multiply divide power negative positive maximum minimum absolute sign square reciprocal sqrt exp exp2 expm1 log log2 log10 "
    "log1p floor ceil remainder less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not bitwise_and "
    "bitwise_or invert isnan isfinite".split()
)
_SAME = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "invert": "logical_not",
}  # on comparisons, the only booleans here

_BRANCH = (
    "A formula cannot branch on a traced value: in the reader's browser it has no single value yet. "
    "Write np.where(condition, this, that) instead of if/else, np.maximum instead of max, and & or | instead of and/or."
)


class TraceError(TypeError):
    """A formula did something that only works on numbers; the message says what to write instead."""


@dataclass(frozen=True)
class Number:
    """A constant of the formula."""

    value: float


@dataclass(frozen=True)
class Name:
    """A symbol: a Vega signal or datum field, as the browser calls it, in the unit its reader sees."""

    name: str
    times: float = 1  # SI value = shown value * times / over; one of the two is 1, so that 40 ms is exactly 0.04 s
    over: float = 1
    symbol: str = ""


@dataclass(frozen=True)
class Operation:
    """One elementwise operation, by NumPy's own name for it ("where" included)."""

    operator: str
    operands: tuple


class Traced(NDArrayOperatorsMixin):
    """A symbolic scalar that formulas take for a number."""

    __slots__ = ("node",)
    __hash__ = None

    def __init__(self, node):
        self.node = node

    def __repr__(self):
        return f"Traced({self.node!r})"

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if method != "__call__" or keywords or ufunc.__name__ not in ELEMENTWISE:
            what = f"np.{ufunc.__name__}" if method == "__call__" else f"np.{ufunc.__name__}.{method}"
            raise TraceError(
                f"{what} cannot be traced. What can: arithmetic, comparisons, np.where and {', '.join(sorted(ELEMENTWISE))}."
            )
        operator = _SAME.get(ufunc.__name__, ufunc.__name__)
        return Traced(Operation(operator, tuple(map(node, inputs))))

    def __array_function__(self, function, types, arguments, keywords):
        if function is not np.where or len(arguments) != 3 or keywords:
            raise TraceError(
                f"np.{function.__name__} cannot be traced; of NumPy's array functions only np.where(condition, this, that) can."
            )
        condition, this, that = map(node, arguments)
        if isinstance(condition, Number):  # a guard of an argument that is a plain number
            return Traced(this if condition.value else that)
        return Traced(Operation("where", (condition, this, that)))

    def __bool__(self):
        raise TraceError(_BRANCH)

    def _not_a_number(self, *_):
        raise TraceError(
            "A traced value is no number yet: leave out float(), int(), math functions, loops and np.asarray on arguments."
        )

    __float__ = __int__ = __index__ = __iter__ = __len__ = __array__ = __getitem__ = _not_a_number


def node(value):
    """The node of a traced value, or of a plain number; arrays have no place in a formula of symbols."""
    if isinstance(value, Traced):
        return value.node
    if np.ndim(value) != 0:
        raise TraceError(
            "A traced formula takes symbols and single numbers, not arrays: the browser does the repetition."
        )
    return Number(bool(value) if isinstance(value, (bool, np.bool_)) else float(value))


def name(name: str, *, times: float = 1, over: float = 1, symbol: str = "") -> Traced:
    """A symbol in SI units, for a signal or field that the browser holds in the reader's unit."""
    return Traced(Name(name, times, over, symbol or name))


def evaluate(traced, shown: dict[str, float]):
    """The value of a trace, NumPy doing what it recorded. shown: each name's number, in the unit its reader sees."""

    def value(item):
        if isinstance(item, Number):
            return item.value
        if isinstance(item, Name):
            return np.float64(shown[item.name]) * item.times / item.over
        return getattr(np, item.operator)(*map(value, item.operands))

    return value(node(traced))
