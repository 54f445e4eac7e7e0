"""Which wait are you buying? Timing, speedup and capacity of AI answers: formulas, simulator, load-test reader, pages."""
