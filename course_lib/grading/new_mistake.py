"""`course mistake`: an answer that no listed mistake explains, as the beginning of one that does."""

import ast
import sys
from pathlib import Path

from course_lib import exercises
from course_lib.grading.nbgrader.answers import answers_of
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.plain_text import one_line

NAME = "name_it"
ADVICE = "What the code does. Why that is wrong. What to change."


def print_mistake(lesson: str, exercise: str, student: str) -> int:
    """The exit code of `course mistake`."""
    known = exercises.load(lesson).exercises
    try:
        if exercise not in known:
            raise CourseError(f"no exercise {exercise} in {lesson}; there are {', '.join(known)}")
        file = Course(Path.cwd(), lesson).autograded(student)
        if not file.is_file():
            raise CourseError(f"no graded submission of {one_line(student)}: expected it at {file}")
        text = skeleton(answers_of(file).get(exercise, ""), exercise)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    table = f"{exercises.package(lesson)}.{exercise}_mistakes".replace(".", "/")
    print(f"# At the end of {table}.py. Give it a name and an advice, then run:")
    print(f"#   .venv/bin/pytest tests/test_checks.py -k {exercise}\n")
    print(text)
    return 0


def skeleton(source: str, exercise: str) -> str:
    """The cell as an entry for a table of mistakes (see checks.exercise.Mistakes); nothing of it is run.

    Raises CourseError where the cell does not define the exercise.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CourseError(f"the answer cannot be read: {one_line(str(error))}") from None
    definitions = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in tree.body if isinstance(node, definitions) and node.name == exercise]
    if not found:
        raise CourseError(f"the answer does not define {exercise}")
    answer = found[-1]  # what a cell defines last is what counts
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == exercise:
            node.id = NAME
    answer.name, answer.decorator_list = NAME, [ast.Name("mistake"), *answer.decorator_list]
    body = answer.body[1:] if ast.get_docstring(answer) is not None else answer.body
    answer.body = [ast.Expr(ast.Constant(ADVICE)), *body]
    return ast.unparse(tree)
