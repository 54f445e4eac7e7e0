"""A continuous-batching serving engine, small enough to read.

Known limits: a pass takes the longer of its reading and its arithmetic, each at one efficiency, plus fixed overheads.
The engine knows no tiles of single kernels, no skewed routing to experts, no overlap of scheduling with work, no
preemption and no recomputation (memory for the whole answer is reserved on admission), no prefix cache, no network
jitter. A client learns of its answer when the pass ends. Between prefill and decode engines each sender's link carries
one cache at a time and knows no other traffic. Overheads per layer are an input: about 30-60 us for engines of 2026,
300-450 us for vLLM of 2023.
"""
