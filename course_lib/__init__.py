"""Build a Transformer by hand: what the lessons of the course import, and what authors and instructors run.

Lessons import    exercises (check, hint and progress of a lesson; the answers), plots and widgets (figures),
                  corpus and text (sentence pairs, vocabularies), model, training and translation (what
                  learners build, as a library), yours (a learner's own pieces)
Learners run      submission (a look at a file before it is handed in)
Authors use       authoring (lesson texts to notebooks), exercises, corpus
Instructors use   grading (submissions to the gradebook); the command `course` runs it, and much of the above
Machinery         checks (runs and judges an answer), command, atomic
"""

__version__ = "0.1.0"
