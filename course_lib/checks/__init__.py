"""Checks: for each exercise a right answer, the wrong ones that learners write, probes to tell them apart.

`exercise` holds the data, `observation` runs an answer, `judgement` compares and names, `score` shows,
`lesson` is what a notebook calls. The exercises of lesson NN_name are in `course_lib.exercises.name`.
"""
