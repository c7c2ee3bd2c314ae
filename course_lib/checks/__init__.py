"""Checks: an exercise has a right answer, the wrong ones that learners write, and probes to tell them apart.

`exercise` holds the data, `observation` runs an answer, `judgement` compares it and names the mistake,
`score` shows the result, and `lesson` is what a notebook calls. The exercises of lesson NN_name are in
`course_lib.exercises.name`.
"""
