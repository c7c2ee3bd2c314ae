"""A made class for `course similar`: learners who work alone, and some who hand in another's work."""

import ast
import inspect
import random
import textwrap

from course_lib import exercises


def honest(lesson, count, seed, right=0.7):
    """By student and exercise: one of the accepted variants, or one of the mistakes, in own words."""
    draw = random.Random(seed)
    tables = exercises.load(lesson).exercises
    pools = {
        name: (
            [source(one) for one in (table.reference_implementation, *table.accepted.values())],
            [source(mistake.implementation) for mistake in table.mistakes],
        )
        for name, table in tables.items()
    }
    return {
        f"student{number:03}": {
            name: disguised(draw.choice(good if draw.random() < right else bad), draw)
            for name, (good, bad) in pools.items()
        }
        for number in range(count)
    }


def with_copies(answers, count, seed):
    """The class, in which `count` students have another's answers in disguise; and these pairs."""
    draw = random.Random(seed)
    names = draw.sample(sorted(answers), 2 * count)
    pairs = {tuple(sorted(pair)) for pair in zip(names[:count], names[count:], strict=True)}
    for copier, author in zip(names[:count], names[count:], strict=True):
        answers[copier] = {name: disguised(text, draw) for name, text in answers[author].items()}
    return answers, pairs


def source(implementation):
    """Its text; an empty function where it was made by a program."""
    try:
        return textwrap.dedent(inspect.getsource(implementation))
    except OSError:
        return "def unknown():\n    pass\n"


def disguised(text, draw):
    """The same program: other names, other order of what commutes, some temporaries, no comments."""
    tree = ast.parse(text)
    for step in (_Names(tree, draw), _Order(draw), _Temporaries(draw)):
        tree = step.visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


class _Names(ast.NodeTransformer):
    def __init__(self, tree, draw):
        written = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.new = {name: f"{draw.choice('abcxyz')}{draw.randrange(1000)}" for name in sorted(written)}

    def visit_Name(self, node):
        node.id = self.new.get(node.id, node.id)
        return node


class _Order(ast.NodeTransformer):
    def __init__(self, draw):
        self.draw = draw

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr) and self.draw.random() < 0.5:
            node.left, node.right = node.right, node.left
        return node


class _Temporaries(ast.NodeTransformer):
    """Half of what is returned or assigned gets a name first."""

    def __init__(self, draw):
        self.draw = draw

    def visit_Return(self, node):
        if node.value is None or self.draw.random() < 0.5:
            return node
        name = f"t{self.draw.randrange(10_000)}"
        first = ast.Assign([ast.Name(name, ast.Store())], node.value)
        return [first, ast.Return(ast.Name(name, ast.Load()))]
