"""Model shapes, and what a shape implies by explainer.formulas: weights, work per token, cache per token."""
from dataclasses import dataclass
from functools import cache

from ..formulas import memory, parameters
from .table import DATA, one_named, read_table


@dataclass(frozen=True)
class Model:
    """The shape of one model. None where a part does not exist: experts of a dense model, key heads of MLA."""

    name: str
    architecture: str
    layers: int
    full_attention_layers: int
    hidden: int
    heads: int
    kv_heads: int | None
    head_dim: int | None
    ffn_dim: int
    vocabulary: int
    tied_embeddings: bool
    experts: int | None
    active_experts: int | None
    shared_experts: int | None
    dense_layers: int | None
    expert_ffn_dim: int | None
    query_rank: int | None
    latent_dim: int | None
    nope_dim: int | None
    rope_dim: int | None
    value_dim: int | None
    window: int | None
    sliding_kv_heads: int | None
    sliding_head_dim: int | None
    shared_key_value: bool
    published_parameters: float | None
    published_active_parameters: float | None
    scope: str
    kind: str
    source: str
    note: str | None

    @property
    def latent_attention(self) -> bool:
        """Whether keys and values are kept as one latent vector (MLA)."""
        return self.latent_dim is not None

    @property
    def output_parameters(self) -> float:
        """Weights of the output matrix."""
        return float(parameters.embedding_parameters(self.vocabulary, self.hidden))

    @property
    def parameters(self) -> float:
        """All weights of the matrices, embedding included."""
        embeddings = self.output_parameters * (1 if self.tied_embeddings else 2)
        return self._attention_parameters + self._feed_forward_parameters(self.experts) + embeddings

    @property
    def active_parameters(self) -> float:
        """Weights that one token is multiplied by, output matrix included: what a decode step computes with."""
        return self.linear_parameters + self.output_parameters

    @property
    def linear_parameters(self) -> float:
        """Weights that one token is multiplied by, output matrix left out: what prefill computes with."""
        return self._attention_parameters + self._feed_forward_parameters(self.active_experts)

    @property
    def attention_head_dim(self) -> float:
        """Values per query head and position in plain attention, the mean of keys and values where they differ."""
        return (self.nope_dim + self.rope_dim + self.value_dim) / 2 if self.latent_attention else float(self.head_dim)

    def kv_bytes_per_token(self, bytes_per_value: float) -> float:
        """Cache per token in the layers that see the whole context, bytes."""
        if self.latent_attention:
            return float(memory.mla_kv_bytes_per_token(self.layers, self.latent_dim, self.rope_dim, bytes_per_value))
        shape = (self.full_attention_layers, self.kv_heads, self.head_dim)
        return float(memory.kv_bytes_per_token(*shape, bytes_per_value))

    def sliding_kv_bytes_per_token(self, bytes_per_value: float) -> float:
        """Cache per token in the layers that see a window only, bytes; 0 where there are none."""
        sliding_layers = self.layers - self.full_attention_layers
        if not sliding_layers:
            return 0.0
        shape = (sliding_layers, self.sliding_kv_heads, self.sliding_head_dim)
        return float(memory.kv_bytes_per_token(*shape, bytes_per_value))

    @property
    def _attention_parameters(self):
        if self.latent_attention:
            ranks = (self.query_rank, self.latent_dim, self.nope_dim, self.rope_dim, self.value_dim)
            return float(self.layers * parameters.latent_attention_parameters(self.hidden, self.heads, *ranks))
        full = parameters.attention_parameters(self.hidden, self.heads, self.kv_heads, self.head_dim)
        total = self.full_attention_layers * full
        if self.shared_key_value:
            total = total - self.full_attention_layers * self.hidden * self.kv_heads * self.head_dim
        sliding_layers = self.layers - self.full_attention_layers
        if sliding_layers:
            total = total + sliding_layers * parameters.attention_parameters(
                self.hidden, self.heads, self.sliding_kv_heads, self.sliding_head_dim)
        return float(total)

    def _feed_forward_parameters(self, routed_experts):
        if self.experts is None:
            return float(self.layers * parameters.feed_forward_parameters(self.hidden, self.ffn_dim))
        dense = self.dense_layers * parameters.feed_forward_parameters(self.hidden, self.ffn_dim)
        counted = routed_experts + self.shared_experts
        return float(dense + (self.layers - self.dense_layers) * parameters.expert_layer_parameters(
            self.hidden, self.expert_ffn_dim, self.experts, counted))


@cache
def models() -> tuple[Model, ...]:
    """All models of the catalogue, in the order of the file."""
    return read_table(DATA / "models.csv", Model)


def model(name: str) -> Model:
    """One model by its name, capitals aside. Raises NotInCatalogue with the nearest names."""
    return one_named(models(), name, "model")
