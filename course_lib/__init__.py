"""Build a Transformer by hand: helpers, checks and figures for the lessons. Importing it loads nothing else."""

__version__ = "0.1.0"
