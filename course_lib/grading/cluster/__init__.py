"""Grading on more machines, with Dask."""
