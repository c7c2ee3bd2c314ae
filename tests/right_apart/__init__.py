"""Wrong answers that each part by itself takes for right, a module a lesson: all functions and classes in it.

Each is named as its exercise, or as its exercise with "__" and what is wrong with it. All else that a module
needs it imports.
"""
