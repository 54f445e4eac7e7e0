"""Load-test result files of many tools, read into one table: a row per attempted request."""
