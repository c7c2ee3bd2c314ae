"""Wrong answers to wrong_lines: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.wrong_lines import right

mistake = Mistakes()


@mistake
def a_1():
    """Look at what each line divides by. Layer norm divides by d_model."""
    return right() | {"A": 1}


@mistake
def a_3():
    """A famous bug has eps outside the root, but this line is right. Look for a division by d_model - 1."""
    return right() | {"A": 3}


@mistake
def b_2():
    """Look for the line in which heads and sequence change places."""
    return right() | {"B": 2}


@mistake
def b_3():
    """Check which tokens a head holds after each line."""
    return right() | {"B": 3}


@mistake
def c_1():
    """Count the different layers in the list."""
    return right() | {"C": 1}


@mistake
def c_3():
    """The stack needs this norm. Count the parameters of the six layers."""
    return right() | {"C": 3}


@mistake
def d_2():
    """Check whether that row is still 0 at the end."""
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
def e_3():
    """This sum is right for batches of equal size. Find what stays behind for the next step."""
    return right() | {"E": 3}


@mistake
def f_1():
    """The residual connection must carry x itself, unchanged."""
    return right() | {"F": 1}


@mistake
def f_2():
    """Look at what the branch is added to."""
    return right() | {"F": 2}
