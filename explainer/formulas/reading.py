"""The reader's own pace in the unit of the stream: a person takes in words, a server sends tokens."""

from .domain import positive


def reading_rate(words_per_second, tokens_per_word):
    """Tokens a second that a person reads: r = w k.

    words_per_second w: words/s; tokens_per_word k: tokens, by language and tokenizer; scalars or arrays that broadcast.
    Returns tokens per s. nan where either is 0 or negative. Source: the definition.
    """
    return positive(words_per_second) * positive(tokens_per_word)


def reading_tpot(words_per_second, tokens_per_word):
    """Slowest TPOT that keeps pace with the reader: TPOT = 1 / (w k).

    Arguments as in reading_rate. Returns s per token. nan where either is 0 or negative. Source: 1 over reading_rate.
    """
    return 1 / reading_rate(words_per_second, tokens_per_word)
