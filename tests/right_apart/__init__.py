"""Wrong answers that each part by itself takes for right, a module a lesson.

Each is named as its exercise, or as its exercise with "__" and what is wrong with it.
"""
