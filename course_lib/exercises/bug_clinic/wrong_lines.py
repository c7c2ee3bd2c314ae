"""wrong_lines: in each of six short pieces the number of the line that is wrong."""

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError, describe

ANSWERS = {"A": 2, "B": 1, "C": 2, "D": 3, "E": 4, "F": 3}
INNOCENT = {  # what can be said for each other line
    "A1": "Line 1 of A is right: it subtracts from every token its own mean over the features.",
    "A3": "Line 3 of A is right: eps belongs inside the root, and gamma and beta come after it.",
    "B2": "Line 2 of B is right: it computes dot products and divides them by the root of d_k.",
    "B3": "Line 3 of B is right: a query shares its attention among the keys, which are the last axis.",
    "C1": "Line 1 of C is right: it makes one layer.",
    "C3": "Line 3 of C is right: a pre-norm stack ends with a norm.",
    "D1": "Line 1 of D is right: every module begins like this.",
    "D2": "Line 2 of D is right: with `padding_idx`, the row of padding starts at 0 and gets no gradient.",
    "E1": "Line 1 of E is right: it switches dropout off.",
    "E2": "Line 2 of E is right: it computes the loss of a validation batch.",
    "E3": "Line 3 of E is right: it adds a number to a number.",
    "F1": "Line 1 of F is right: pre-norm normalizes the input of the sublayer.",
    "F2": "Line 2 of F is right: the sublayer reads the normalized input.",
}

wrong_lines = Exercise(
    "wrong_lines",
    points=7,
    returns=("lines",),
    hints=[
        "Which line makes one object where several are needed? And which line undoes what an earlier line "
        "did?",
        "A: what does `var` divide by? B: what does `view` do to the order of numbers? C: how many "
        "different layers are there?",
        "D: which row should stay 0? E: what does `backward` leave behind in the gradients? F: which x "
        "should be added?",
    ],
    examples=["found(wrong_lines())", "sorted(wrong_lines())"],
)


@wrong_lines.reference
def right():
    return {"A": 2, "B": 1, "C": 2, "D": 3, "E": 4, "F": 3}


def finding(number, piece):
    lines = number()
    if not isinstance(lines, dict):
        raise RejectedError(f"`lines` is {describe(lines)}; expected a dict from letters to line numbers.")
    line = lines.get(piece)
    if isinstance(line, str) and line.strip().isdigit():
        line = int(line)
    if line == ANSWERS[piece]:
        return ""
    if line is None:
        return f"{piece} has no line number yet."
    return INNOCENT.get(f"{piece}{line}", f"{piece} has no line {line!r}: write a number such as 1.")


def found(lines) -> str:
    """In which pieces the wrong line is found, without the answers."""
    return {piece: "found" if not finding(lambda: lines, piece) else "not yet" for piece in ANSWERS}


wrong_lines.names = {"found": found}

TITLES = {
    "A": "layer norm",
    "B": "attention by heads",
    "C": "a stack of layers",
    "D": "an embedding with padding",
    "E": "validation",
    "F": "a residual connection",
}
for letter, title in TITLES.items():
    wrong_lines.part(f"{letter}: {title}", points=1)(
        lambda number, inputs, letter=letter: {"line": finding(number, letter)}
    )


@wrong_lines.accept("keywords")
def keywords():
    return dict(A=2, B=1, C=2, D=3, E=4, F=3)  # noqa: C408


@wrong_lines.accept("numbers as text")
def as_text():
    return {letter: str(line) for letter, line in right().items()}


@wrong_lines.accept("zipped")
def zipped():
    return dict(zip("ABCDEF", (2, 1, 2, 3, 4, 3), strict=True))


@wrong_lines.accept("step by step")
def step_by_step():
    lines = {}
    lines["F"] = lines["D"] = 3
    lines["E"] = 4
    lines["A"] = lines["C"] = 2
    lines["B"] = 1
    return lines


@wrong_lines.accept("grouped")
def grouped():
    return {letter: number for number, letters in enumerate(("B", "AC", "DF", "E"), 1) for letter in letters}
