"""Service-level objectives: one stated definition, one verdict, an interval."""
