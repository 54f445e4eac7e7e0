"""One figure, one module: start_or_finish.py holds the figure that a notebook calls "start-or-finish"."""
