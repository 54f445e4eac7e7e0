"""A trace, printed as a Vega expression (JavaScript's arithmetic is NumPy's: IEEE doubles, with the same nan and inf)."""

import math

from explainer.page.trace import Name, Number, node

# fmt: off
_PRINTED = {
    "add": "({0} + {1})", "subtract": "({0} - {1})", "multiply": "({0} * {1})", "divide": "({0} / {1})",
    "negative": "(-{0})", "positive": "{0}", "power": "pow({0}, {1})", "square": "({0} * {0})", "reciprocal": "(1 / {0})",
    "maximum": "max({0}, {1})", "minimum": "min({0}, {1})", "absolute": "abs({0})",
    "sign": "({0} > 0 ? 1 : {0} < 0 ? -1 : {0})", "floor": "floor({0})", "ceil": "ceil({0})",
    "remainder": "({0} - {1} * floor({0} / {1}))",
    "sqrt": "sqrt({0})", "exp": "exp({0})", "exp2": "pow(2, {0})", "log": "log({0})", "log2": "(log({0}) / LN2)",
    "log10": "(log({0}) / LN10)",
    # Vega has no expm1 and log1p: near 0 a series and Kahan's correction keep the digits that exp(x) - 1 and log(1 + x) lose.
    "expm1": "(abs({0}) < 1e-3 ? {0} * (1 + {0} / 2 * (1 + {0} / 3 * (1 + {0} / 4 * (1 + {0} / 5)))) : exp({0}) - 1)",
    "log1p": "(1 + {0} == 1 ? {0} : {0} == 1 / 0 ? {0} : {0} * log(1 + {0}) / (1 + {0} - 1))",
    "less": "({0} < {1})", "less_equal": "({0} <= {1})", "greater": "({0} > {1})", "greater_equal": "({0} >= {1})",
    "equal": "({0} == {1})", "not_equal": "({0} != {1})",
    "logical_and": "({0} && {1})", "logical_or": "({0} || {1})", "logical_not": "(!{0})",
    "isnan": "isNaN({0})", "isfinite": "isFinite({0})", "where": "({0} ? {1} : {2})",
}
# fmt: on


def expression(traced) -> str:
    """The Vega expression of a traced value (or plain number): one string, complete in itself."""
    return _print(node(traced))


def _number(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "(1 / 0)" if value > 0 else "(-1 / 0)"
    text = repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return f"({text})" if value < 0 else text


def _print(item) -> str:
    if isinstance(item, Number):
        return _number(item.value)
    if isinstance(item, Name):
        if item.over != 1:
            return f"({item.name} / {_number(float(item.over))})"
        return f"({item.name} * {_number(float(item.times))})" if item.times != 1 else item.name
    return _PRINTED[item.operator].format(*map(_print, item.operands))
