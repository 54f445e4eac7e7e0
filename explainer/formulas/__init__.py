"""Formulas: numbers in, numbers out, in SI units. NumPy only; nothing here imports anything else of ours."""
