"""Build a Transformer by hand: what the lessons of a course import, and what authors and instructors run.

Lessons import  exercises (check, hint and progress of a lesson; the answers), plots and widgets (figures),
                corpus and text (sentence pairs, vocabularies), model, training and translation (what learners
                build, as a library), yours (a learner's own pieces), submission (a look before handing in)
Authors use     authoring (lesson texts to notebooks), exercises, corpus
Machinery       checks (runs and judges an answer), grading (submissions to the gradebook), command (`course`)
"""

__version__ = "0.1.0"
