"""Wrong answers to wrong_lines: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.wrong_lines import right

mistake = Mistakes()


@mistake
def a_1():
    """Count what each line divides by. Layer norm divides by d_model."""
    return right() | {"A": 1}


@mistake
def a_3():
    """eps outside the root was another famous bug. Here look for a division by d_model - 1."""
    return right() | {"A": 3}


@mistake
def b_2():
    """Look where head and sequence change places."""
    return right() | {"B": 2}


@mistake
def b_3():
    """Ask whether the rows are what they should be, and which tokens a head holds."""
    return right() | {"B": 3}


@mistake
def c_1():
    """Count the different layers in the list."""
    return right() | {"C": 1}


@mistake
def c_3():
    """The norm is wanted. Count the parameters of the six layers."""
    return right() | {"C": 3}


@mistake
def d_2():
    """Ask whether that row is still 0 at the end."""
    return right() | {"D": 2}


@mistake
def d_1():
    """0 is the id of padding here. Follow what happens to row 0."""
    return right() | {"D": 1}


@mistake
def e_1():
    """Find what changes the next training step."""
    return right() | {"E": 1}


@mistake
def e_4():
    """That sum is fine, for batches of equal size. Find what stays behind for the next step."""
    return right() | {"E": 4}


@mistake
def f_1():
    """What is carried past the sublayer should be x itself, untouched."""
    return right() | {"F": 1}


@mistake
def f_2():
    """Ask to what the branch should be added."""
    return right() | {"F": 2}
