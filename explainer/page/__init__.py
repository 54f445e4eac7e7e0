"""Everything a reader sees: parameters, the trace, figures and their compiler, theme, templates, the static build."""
