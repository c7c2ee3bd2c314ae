"""Wrong answers that each part by itself would take for right, a module a lesson: all functions and classes there.

Each is named as its exercise, or as its exercise with "__" and what is wrong with it. All else that a module
needs it imports.
"""
