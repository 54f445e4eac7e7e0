"""A continuous-batching serving engine, small enough to read."""
