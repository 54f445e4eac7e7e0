"""A trace, printed as mathematics: with symbols, or with the live values in their place."""

import inspect
from html import escape

from explainer.page.trace import Name, Number, Operation, name, node

_LOOSE, _SUM, _PRODUCT, _TIGHT = range(4)
# fmt: off
_INFIX = {
    "add": ("+", _SUM), "subtract": ("−", _SUM), "multiply": ("×", _PRODUCT), "less": ("&lt;", _LOOSE), "less_equal": ("≤", _LOOSE),
    "greater": (">", _LOOSE), "greater_equal": ("≥", _LOOSE), "equal": ("=", _LOOSE), "not_equal": ("≠", _LOOSE),
    "logical_and": ("and", _LOOSE), "logical_or": ("or", _LOOSE),
}
# fmt: on
_CALLED = {"maximum": "max", "minimum": "min", "log": "ln", "log2": "log₂", "log10": "log₁₀", "exp": "exp"}

# How the formulas' own argument names are written.
NOTATION = {
    "ttft": "TTFT",
    "tpot": "TPOT",
    "output_tokens": "N",
    "end_to_end": "T",
    "deadline": "D",
    "fixed": "T_fixed",
    "stage": "T_stage",
    "stage_speedup": "k",
    "flops": "F",
    "flop_rate": "P",
    "concurrency": "C",
    "bytes_moved": "D",
    "bandwidth": "B",
    "share_a": "a",
    "share_b": "b",
    "good": "g",
    "attempted": "n",
    "share_within": "q",
    "calls": "k",
}


class Writer:
    """Prints nodes as MathML. values: what stands for a name, given the node (a live number); without it, the symbol stands there."""

    def __init__(self, values=None):
        self.values = values

    def expression(self, traced) -> str:
        return self._print(node(traced))[0]

    def _print(self, item) -> tuple[str, int]:
        if isinstance(item, Number):
            return f"<mn>{item.value:.4g}</mn>", _TIGHT
        if isinstance(item, Name):
            return (
                (self.values(item), _PRODUCT) if self.values else (symbol(item.symbol), _TIGHT)
            )  # a value has a unit, which a power would not reach
        return self._operation(item)

    def _operation(self, item: Operation) -> tuple[str, int]:
        operator, operands = item.operator, item.operands
        if operator == "where":
            return self._cases(*operands)
        if operator == "divide":
            return f'<mfrac displaystyle="true">{self._row(operands[0])}{self._row(operands[1])}</mfrac>', _PRODUCT
        if operator == "add" and operands[0] == Number(0):
            return self._print(operands[1])
        if operator in _INFIX:
            sign, level = _INFIX[operator]
            right = level + 1 if operator == "subtract" else level  # a - (b - c) keeps its brackets
            return f"{self._within(operands[0], level)}<mo>{sign}</mo>{self._within(operands[1], right)}", level
        if operator in ("power", "square"):
            exponent = self._row(operands[1]) if operator == "power" else "<mn>2</mn>"
            return f"<msup><mrow>{self._within(operands[0], _TIGHT)}</mrow>{exponent}</msup>", _TIGHT
        if operator == "negative":
            return f"<mo>−</mo>{self._within(operands[0], _PRODUCT)}", _SUM
        if operator == "sqrt":
            return f"<msqrt>{self._row(operands[0])}</msqrt>", _TIGHT
        inside = "<mo>,</mo>".join(self._row(each) for each in operands)
        return f"<mi>{_CALLED.get(operator, operator)}</mi><mo>(</mo>{inside}<mo>)</mo>", _TIGHT

    def _cases(self, condition, this, that) -> tuple[str, int]:
        # An alternative that is nan guards the domain; the docstring says so, and the equation is the other branch.
        for guard, formula in ((that, this), (this, that)):
            if isinstance(guard, Number) and guard.value != guard.value:
                return self._print(formula)
        rows = (
            f"<mtr><mtd>{self._row(this)}</mtd><mtd><mtext>if&nbsp;</mtext>{self._row(condition)}</mtd></mtr>"
            f"<mtr><mtd>{self._row(that)}</mtd><mtd><mtext>otherwise</mtext></mtd></mtr>"
        )
        return f"<mrow><mo>{{</mo><mtable>{rows}</mtable></mrow>", _TIGHT

    def _within(self, item, level: int) -> str:
        printed, own = self._print(item)
        return f"<mo>(</mo>{printed}<mo>)</mo>" if own < level else printed

    def _row(self, item) -> str:
        return f"<mrow>{self._print(item)[0]}</mrow>"


def symbol(written: str) -> str:
    """A symbol such as N, TTFT or T_fixed (an underscore begins the index)."""
    base, _, index = written.partition("_")
    printed = f"<mi>{escape(base)}</mi>"
    return f"<msub>{printed}<mi>{escape(index)}</mi></msub>" if index else printed


def equation(formula, results: str) -> str:
    """A formula with its own argument names: T = TTFT + (N − 1) × TPOT. results: a symbol, or several for a formula that gives several."""
    required = [each for each, how in inspect.signature(formula).parameters.items() if how.default is how.empty]
    given = formula(*(name(each, symbol=NOTATION.get(each, each)) for each in required))
    lines = zip(results.split(), given if isinstance(given, tuple) else (given,))
    return " ".join(
        f'<math displaystyle="true"><mrow>{symbol(result)}<mo>=</mo>{Writer().expression(each)}</mrow></math>'
        for result, each in lines
    )
