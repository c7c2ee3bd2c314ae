"""Translators that show in one search what beam search is for, and what goes wrong in it."""

from course_lib.exercises.translator.stand_ins import Tree


def decoy_tree() -> Tree:
    """Greedy takes 4 (0.6), but 5 and what follows it is likelier as a whole: 0.4 against 0.33."""
    return Tree(
        {
            (): {4: 0.6, 5: 0.4},
            (4,): {6: 0.55, 7: 0.45},
            (4, 6): {2: 1.0},
            (5,): {8: 1.0},
            (5, 8): {2: 1.0},
        }
    )


def long_tree() -> Tree:
    """A short one, 4 (0.5), and a longer one, 5 6 (0.375), which is likelier word by word."""
    return Tree({(): {4: 0.5, 5: 0.5}, (4,): {2: 1.0}, (5,): {6: 0.75, 7: 0.25}, (5, 6): {2: 1.0}})


def fair_tree() -> Tree:
    """Greedy is right: 4 6 has 0.33, and 5 8 only 0.32."""
    return Tree(
        {
            (): {4: 0.55, 5: 0.45},
            (4,): {6: 0.6, 7: 0.4},
            (4, 6): {2: 1.0},
            (5,): {8: 0.71, 9: 0.29},
            (5, 8): {2: 1.0},
        }
    )


def narrow_tree() -> Tree:
    """With a beam of 2 the way to 5 8 9 10 is lost behind 5 7; a wider one would find it."""
    return Tree(
        {
            (): {4: 0.52, 5: 0.48},
            (4,): {2: 0.88, 6: 0.12},
            (5,): {7: 0.6, 8: 0.4},
            (5, 7): {2: 0.5, 3: 0.5},
            (5, 8): {9: 1.0},
            (5, 8, 9): {10: 1.0},
            (5, 8, 9, 10): {2: 1.0},
        }
    )


def late_tree() -> Tree:
    """After three words 4 has ended, and 5 6 7, which has not, would look better, did it count."""
    return Tree({(): {4: 0.55, 5: 0.45}, (4,): {2: 1.0}, (5,): {6: 1.0}, (5, 6): {7: 1.0}})


def twin_tree() -> Tree:
    """4 and 5 go on with the same word, and 5, the second, is likelier in the end."""
    return Tree(
        {
            (): {4: 0.55, 5: 0.45},
            (4,): {6: 0.9, 7: 0.1},
            (5,): {6: 0.9, 7: 0.1},
            (4, 6): {2: 0.3, 3: 0.7},
            (5, 6): {2: 1.0},
        }
    )


def third_tree() -> Tree:
    """After two words the end after 5 is a candidate, but not among the best two."""
    return Tree({(): {4: 0.6, 5: 0.4}, (4,): {6: 0.55, 7: 0.45}, (5,): {8: 0.6, 2: 0.4}})


def crowded_tree() -> Tree:
    """4 ends first. If it keeps a place of two, the best, 5 6 8, loses its own."""
    return Tree(
        {
            (): {4: 0.5, 5: 0.5},
            (4,): {2: 0.9, 3: 0.1},
            (5,): {6: 1.0},
            (5, 6): {7: 0.55, 8: 0.45},
            (5, 6, 7): {9: 0.5, 10: 0.5},
            (5, 6, 8): {2: 1.0},
        }
    )


def endings_tree() -> Tree:
    """Nothing (0.3) ends first, then 5 (0.28), then 5 6 (0.42), which is the best."""
    return Tree({(): {5: 0.7, 2: 0.3}, (5,): {6: 0.6, 2: 0.4}, (5, 6): {2: 1.0}})


def patient_tree() -> Tree:
    """Nothing (0.6) and 4 (0.24) end first, but 4 5 6 7 8 (0.16) is likelier word by word in the end."""
    return Tree(
        {
            (): {2: 0.6, 4: 0.4},
            (4,): {2: 0.6, 5: 0.4},
            (4, 5): {6: 1.0},
            (4, 5, 6): {7: 1.0},
            (4, 5, 6, 7): {8: 1.0},
            (4, 5, 6, 7, 8): {2: 1.0},
        }
    )


TREES = decoy_tree, long_tree, fair_tree, narrow_tree, late_tree, third_tree, crowded_tree, endings_tree
TREES += patient_tree, twin_tree
