"""What a pass costs on one engine: six numbers, worked out once from the formulas, so that the loop only multiplies and
compares.

T = step + max(weights + kv_read * context, token * tokens + emit * emitted + pair * pairs): the decode step and the
prefill of explainer.formulas on one roofline. `context` counts the cached tokens read, `tokens` all that pass through
the layers, `emitted` those that leave the output matrix, `pairs` the positions that attention looks at.
"""

from dataclasses import dataclass, fields, replace
from math import isfinite, isnan

from explainer.formulas.decode import decode_flops_per_token, decode_overhead, decode_step_bytes
from explainer.formulas.domain import efficiency
from explainer.formulas.prefill import prefill_flops
from explainer.formulas.roofline import operation_time
from explainer.serving.checks import require


@dataclass(frozen=True)
class PassCosts:
    """step: s per pass; weights: s per pass; kv_read: s per cached token read; token: s per token; emit: s per token
    put out; pair: s per pair of positions in attention. All 0 or more, and a pass must take some time."""

    step: float
    weights: float
    kv_read: float
    token: float
    emit: float = 0.0
    pair: float = 0.0

    def __post_init__(self):
        for cost in fields(self):
            value = getattr(self, cost.name)
            require(
                isfinite(value) and value >= 0, f"The cost {cost.name!r} of a pass must be 0 s or more, not {value!r}."
            )
        require(
            self.step + self.weights + self.token > 0,
            "A pass must take some time: step, weights and token cannot all be 0 s.",
        )

    @classmethod
    def from_roofline(
        cls,
        *,
        linear_parameters,
        output_parameters,
        weight_bytes,
        kv_bytes_per_token,
        layers,
        heads,
        head_dim,
        flop_rate,
        bandwidth,
        mfu=1.0,
        mbu=1.0,
        layer_overhead=0.0,
        step_overhead=0.0,
    ):
        """The six numbers of a model on accelerators that work as one.

        linear_parameters: weights that multiply every token (active ones for a mixture of experts), without embedding
        and output matrix; output_parameters: weights of the output matrix; weight_bytes: bytes read a pass;
        kv_bytes_per_token: bytes; layers, heads (query heads), head_dim: the shape; flop_rate: FLOP/s and bandwidth:
        bytes/s, peak, of all accelerators together; mfu, mbu: ratios above 0 and at most 1; layer_overhead: s per
        layer; step_overhead: s per pass. Raises ValueError outside the formulas' domain. Source: explainer.formulas
        decode, prefill and roofline, each taken for one unit of what the loop counts.
        """
        rate, width = flop_rate * efficiency(mfu), bandwidth * efficiency(mbu)

        def reading(size):
            return operation_time(0, rate, size, width)

        def computing(flops):
            return operation_time(flops, rate, 0, width)

        values = (
            decode_overhead(layers, layer_overhead, step_overhead),
            reading(decode_step_bytes(0, 0, weight_bytes, 0)),
            reading(decode_step_bytes(1, 1, 0, kv_bytes_per_token)),
            computing(decode_flops_per_token(linear_parameters, 0, layers, heads, head_dim)),
            computing(prefill_flops(0, 0, 0, output_parameters, layers, heads, head_dim)),
            computing(decode_flops_per_token(0, 1, layers, heads, head_dim)),
        )
        values = [float(value) for value in values]
        require(
            not any(map(isnan, values)),
            "The formulas need rates above 0, mfu and mbu above 0 and at most 1, and sizes, counts and "
            f"overheads of 0 or more; got flop_rate {flop_rate!r}, bandwidth {bandwidth!r}, mfu {mfu!r}, mbu {mbu!r}.",
        )
        return cls(*values)

    def scaled(self, computing=1.0, reading=1.0, step=1.0):
        """The same engine with its arithmetic, its memory and its overhead slower by these factors (1 / MFU, 1 / MBU,
        fitted)."""
        return replace(
            self,
            step=self.step * step,
            weights=self.weights * reading,
            kv_read=self.kv_read * reading,
            token=self.token * computing,
            emit=self.emit * computing,
            pair=self.pair * computing,
        )
