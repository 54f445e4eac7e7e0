"""How many weights a transformer's shape implies. Norms, biases and other vectors are left out: below 0.1 % of any
model here."""

from .domain import where_not_negative


def attention_parameters(hidden, heads, kv_heads, head_dim):
    """Weights of one attention layer (queries, keys, values, output): 2 D H d + 2 D K d.

    hidden D, head_dim d: values; heads H (query heads), kv_heads K: counts; scalars or arrays that broadcast. Returns
    weights.
    nan where any is negative. Source: Vaswani et al. (2017), "Attention is all you need"; Ainslie et al. (2023),
    "GQA".
    """
    return where_not_negative(2 * hidden * head_dim * (heads + kv_heads), hidden, heads, kv_heads, head_dim)


def latent_attention_parameters(hidden, heads, query_rank, latent_dim, nope_dim, rope_dim, value_dim):
    """Weights of one layer of multi-head latent attention: D q + q H (e + r) + D (c + r) + c H (e + v) + H v D.

    hidden D, query_rank q, latent_dim c, nope_dim e, rope_dim r, value_dim v: values; heads H: count; scalars or
    arrays that broadcast.
    Returns weights. nan where any is negative. Source: DeepSeek-AI (2024), "DeepSeek-V2", section 2.1.
    """
    queries = hidden * query_rank + query_rank * heads * (nope_dim + rope_dim)
    keys_and_values = hidden * (latent_dim + rope_dim) + latent_dim * heads * (nope_dim + value_dim)
    total = queries + keys_and_values + heads * value_dim * hidden
    return where_not_negative(total, hidden, heads, query_rank, latent_dim, nope_dim, rope_dim, value_dim)


def feed_forward_parameters(hidden, ffn_dim, matrices=3):
    """Weights of one feed-forward layer: m D F.

    hidden D, ffn_dim F: values; matrices m: 3 where one gates another (Llama and most since), 2 without a gate (GPT,
    OPT); scalars or arrays that broadcast. Returns weights. nan where any is negative. Source: Shazeer (2020), "GLU
    variants".
    """
    return where_not_negative(matrices * hidden * ffn_dim, hidden, ffn_dim, matrices)


def expert_layer_parameters(hidden, expert_ffn_dim, experts, counted_experts):
    """Weights of one layer of gated experts and its router: D E + n 3 D F.

    hidden D, expert_ffn_dim F: values; experts E: choices of the router; counted_experts n: all of them (shared ones
    too) for the size of a model, or those one token uses for its work; scalars or arrays that broadcast. Returns
    weights. nan where any is negative.
    Source: Shazeer et al. (2017), "Outrageously large neural networks"; configurations of the models in the
    catalogue.
    """
    total = hidden * experts + counted_experts * feed_forward_parameters(hidden, expert_ffn_dim)
    return where_not_negative(total, experts, counted_experts)


def embedding_parameters(vocabulary, hidden):
    """Weights of the embedding, and of the output matrix where that is a second one: V D.

    vocabulary V: tokens; hidden D: values; scalars or arrays that broadcast. Returns weights. nan where either is
    negative.
    Source: Vaswani et al. (2017).
    """
    return where_not_negative(vocabulary * hidden, vocabulary, hidden)
