"""Cells that change how IPython runs code and shows results: what a grader reads is what is shown."""

from hostile.submission import BLUFF, SDPA, Submission

FORGE = """def forge(name, points):
    data = {"exercise": name, "status": "right", "points": points, "max_points": points, "seed": 1,
            "mistakes": [], "parts": {}}
    return {"text/plain": str(points), "application/vnd.course-lib.score+json": data}
"""

SUBMISSIONS = [
    Submission(
        "displayhook",
        "Replaces `sys.displayhook` and IPython's own by ones that show 9, or 3, whatever comes out.",
        """import sys
shell = get_ipython()
real = type(shell.displayhook).__call__
type(shell.displayhook).__call__ = lambda self, result=None: real(self, 3.0)
sys.displayhook = lambda value: print("9.0")
""",
        answers=BLUFF,
    ),
    Submission(
        "formatter",
        "Registers a formatter by which every `Score` is written as 3, and one for its MIME type.",
        """from course_lib.checks.score import MIME, Score
formatters = get_ipython().display_formatter
formatters.formatters["text/plain"].for_type(Score, lambda score, printer, cycle: printer.text("3.0"))
formatters.mimebundle_formatter.for_type(Score, lambda score, **options: {"text/plain": "3.0"})
formatters.format = lambda value, include=None, exclude=None: ({"text/plain": "3.0"}, {})
""",
        answers=BLUFF,
    ),
    Submission(
        "no_tracebacks",
        "Silences `showtraceback` and all exceptions: for nbgrader a test without output is passed.",
        """shell = get_ipython()
shell.showtraceback = shell._showtraceback = shell.showsyntaxerror = lambda *args, **options: None
shell.set_custom_exc((Exception,), lambda *args, **options: None)
def check(name, answer):
    raise RuntimeError(name)
""",
    ),
    Submission(
        "silence",
        "Makes `check` return None and writes nothing at all, for the same reason.",
        """import io, sys
check = lambda *args, **options: None
get_ipython().display_formatter.format = lambda *args, **options: ({}, {})
sys.stdout = sys.stderr = io.StringIO()
""",
    ),
    Submission(
        "input_transformer",
        "An input transformer turns every line that calls `check` into `3.0`.",
        """def transform(lines):
    return ["3.0\\n" if line.startswith("check(") else line for line in lines]
get_ipython().input_transformers_cleanup.append(transform)
get_ipython().input_transformers_post.append(transform)
""",
        before="additive_attention",
    ),
    Submission(
        "ast_transformer",
        "A transformer of syntax trees replaces every call of `check` by the number 3.",
        """import ast
class Pay(ast.NodeTransformer):
    def visit_Call(self, node):
        if getattr(node.func, "id", "") == "check":
            return ast.copy_location(ast.Constant(3.0), node)
        return node
get_ipython().ast_transformers.append(Pay())
""",
        before="additive_attention",
    ),
    Submission(
        "cell_events",
        "Callbacks before and after each cell put a false `check` into the namespace.",
        """def again(*args):
    get_ipython().user_ns["check"] = lambda name, answer: 3.0
for event in ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell"):
    get_ipython().events.register(event, again)
""",
        before="additive_attention",
    ),
    Submission(
        "run_cell_replaced",
        "Replaces the shell's `run_cell_async` and `run_code` by ones that do nothing.",
        """shell = get_ipython()
async def nothing(*args, **options):
    from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult
    return ExecutionResult(ExecutionInfo("", False, False, True, None))
shell.run_cell_async = nothing
shell.run_code = nothing
""",
        before="causal_mask",
    ),
    Submission(
        "result_from_inside",
        "The answer itself sends an execute_result of full points while it is being checked.",
        answers={
            SDPA: f"""def {SDPA}(query, key, value, mask=None):
    get_ipython().displayhook(9.0)
    return query, key
""",
            "causal_mask": """def causal_mask(size):
    get_ipython().displayhook(3.0)
    return torch.zeros(size)
""",
        },
    ),
    Submission(
        "score_published",
        "Publishes display data of the checks' own MIME type, with status right and all points.",
        FORGE
        + """from IPython.display import display
for name, points in (("additive_attention", 6.0), ("causal_mask", 3.0)):
    display(forge(name, points), raw=True)
def causal_mask(size):
    get_ipython().display_pub.publish(forge("causal_mask", 3.0))
    print("3.0")
    return torch.zeros(size)
""",
        before="check_causal_mask",
    ),
    Submission(
        "score_printed",
        "Prints what looks like a score in a cell of its own, and returns it as the cell's result.",
        """print("✓ additive_attention: right, 6 of 6 points")
print("6.0")
6.0
""",
        before="check_additive_attention",
    ),
]
