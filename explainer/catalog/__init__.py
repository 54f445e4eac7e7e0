"""The catalogue: typed, lazy access to the facts in data/.

Every row has a source, a scope and a kind; what is missing is None.
A file is read when its function is first called, and once. kind is "measured", "announced" (by whom it concerns),
"derived" (from other rows or raw measurements) or "estimated" (a projection, a model or a rule of thumb).
"""
from .accelerators import Accelerator, accelerator, accelerators
from .measurements import (
    AllReduceCost,
    LayerTime,
    ServingPoint,
    TraceStatistics,
    allreduce_fixed_costs,
    linear_layer_times,
    nim_sweep,
    trace,
    trace_statistics,
)
from .models import Model, model, models
from .people import HumanFactor, TokenCount, human_factor, human_factors, token_count, tokens_per_word
from .statements import Claim, PublishedSlo, claim, claims, published_slos
from .table import CatalogueError, NotInCatalogue

__all__ = [
    "Accelerator", "AllReduceCost", "CatalogueError", "Claim", "HumanFactor", "LayerTime", "Model", "NotInCatalogue",
    "PublishedSlo", "ServingPoint", "TokenCount", "TraceStatistics", "accelerator", "accelerators",
    "allreduce_fixed_costs", "claim", "claims", "human_factor", "human_factors", "linear_layer_times", "model",
    "models", "nim_sweep", "published_slos", "token_count", "tokens_per_word", "trace", "trace_statistics",
]
