"""Grading with nbgrader: its gradebook, file layout and formgrader stay the interface."""
