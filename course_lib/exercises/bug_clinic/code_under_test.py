"""Exercises whose answer is a test: probes run it on right and on broken code, and judge what it says.

As in pytest a test fails when it raises, whatever it raises, and passes when it does not. What a learner is
told of his test was observed: what it calls, with which arguments, which numbers it draws and compares.
"""

from collections.abc import Mapping, Sequence

from course_lib.checks.exercise import Implementation, Probe
from course_lib.checks.guard import RaisedError, raised_on_purpose
from course_lib.checks.inputs import Inputs
from course_lib.checks.results import RejectedError
from course_lib.exercises.bug_clinic.forked import can_fork, no_more_processes, tried_alone
from course_lib.exercises.bug_clinic.pieces import Broken, Piece
from course_lib.exercises.bug_clinic.trials import (
    Call,
    Rounding,
    Trial,
    after,
    same,
    tried,
    undropped,
)

UNUSED = (
    "Your test never calls its argument `{0}`, so it says nothing about it. The check passes many "
    "pieces to it under this name, one after another. Call `{0}`, whatever the name of your own "
    "function is."
)
EARLY = (
    "Your test fails before any call of its argument `{0}`, so it says nothing about it. The check "
    "passes many pieces to it under this name, one after another. Call `{0}`, whatever the name of your "
    "own function is."
)
NEVER = (
    "Your test refuses none of many broken pieces. Does it reach an `assert` that can fail? `assert (a, "
    "b)` cannot fail, because a pair is true, and an `except` catches the error of an `assert`. "
    "`other = x` is no copy: it is x itself under a second name, so write `x.clone()`."
)
ONLY_NOTHING = (
    "Your test refuses none of many broken pieces. It fails only where nothing is returned, or something "
    "of another type. Compare what is in the result."
)
RETURNS = "Your test returns a value, but nobody reads it. Write `assert` instead of `return`."
FICKLE = (
    "Your test passes once and fails once on the same code, with the same random numbers. Its result must "
    "depend on its argument alone, not on anything that it has counted or kept."
)
UNSOUND = "your test fails on right code, where it must pass"
ALARM = "False alarm: your test fails ({error}) on right code: {name}. {why}"
ROUNDING = (
    "It compares floats that differ by rounding alone, and finds them different. Allow for rounding: "
    "`torch.allclose(a, b, atol=1e-5)`."
)
ONE_TRUTH = (
    "`assert` needs a single True or False, and `==` compares each number for itself. Write "
    "`assert torch.allclose(a, b, atol=1e-5)`."
)
NAN = "Right code gives NaN on your inputs, and NaN is not equal to anything, not even to NaN."
UNLUCKY = (
    "It does so with some random numbers only. Choose the numbers by hand, or begin with "
    "`torch.manual_seed(0)`."
)
DROPOUT = (
    "It passes as soon as nothing is dropped. In training mode, dropout draws other numbers at every "
    "call. Compare outputs after `decoder.eval()`, or call `torch.manual_seed(0)` before each of the "
    "two calls."
)
ONE_WAY = "Does it demand one way of writing, or more than the docstring promises?"
SLIPPED = "Broken code passes your test. It {what}. {shown_by}"
HIDDEN = "On your inputs it gives the result of right code, so you need other inputs."
OVERLOOKED = "On your inputs its result is already wrong, but your test does not notice it."
LUCKY = (
    "Your test catches this broken code with some random numbers only. It {what}. "
    "Choose the numbers by hand, or begin with `torch.manual_seed(0)`."
)


def accepts(piece: Piece) -> Probe:
    """Probe of a test: right code passes, however it is written."""
    return judges(piece, piece.right)


def catches(piece: Piece, *broken: Broken) -> Probe:
    """Probe of a test: it fails on each of these."""
    return judges(piece, {}, *broken)


def judges(piece: Piece, right: Mapping[str, Implementation], *broken: Broken) -> Probe:
    """Probe of a test: it passes on this right code, and fails on each of the broken."""

    def probe(test: Implementation, inputs) -> dict[str, str]:
        examined = Examined(piece, test, [*right.values()], [one.code for one in broken], inputs)
        alarms = {name: examined.alarm(name, code) for name, code in right.items()}
        return alarms | {one.what: examined.slip(one) for one in broken}

    return probe


class Examined:
    """A test that judges the piece: it calls it, passes on some right code, and fails on some wrong code.

    Its first trials come in a random order, right and wrong code among each other, and each twice: so nothing
    but what the code does can tell a test which it has before it. right, broken: what a part asks for;
    inputs: where order, number and seeds of the trials are drawn. Raises where the test does not judge.
    """

    def __init__(
        self,
        piece: Piece,
        test: Implementation,
        right: Sequence[Implementation],
        broken: Sequence[Implementation],
        inputs: Inputs,
    ):
        self.piece, self.test = piece, test
        self._kept: dict[tuple[Implementation, int], Trial] = {}
        self._alone: dict[tuple[Implementation, int], bool] = {}  # in a grader: whether a copy has passed
        self._all_seeds = inputs.integers(0, 2**31, len(piece.seeds)).tolist()
        self._run_mixed([*right, *broken], inputs)
        self.seeds = self._sound_seeds()
        if not self.seeds:
            self._refuse(next(iter(piece.right.values())))
        if not self._trial(next(iter(piece.right.values())), self.seeds[0]).calls:
            raise RejectedError(UNUSED.format(piece.name))
        self._require_failing(broken)

    def _run_mixed(self, codes: Sequence[Implementation], inputs: Inputs) -> None:
        """The trials that the part needs, in a random order, with others among them."""
        plainest, *rights = self.piece.right.values()
        others = [*rights, *self.piece.wrong]
        most = 5 if self.piece.builds else 9  # modules take longer
        chosen = [others[i] for i in inputs.integers(0, len(others), inputs.integer(most - 3, most))]
        order = dict.fromkeys([plainest, *codes, *chosen])
        if can_fork():
            self._run_alone([*order, *rights], codes)
        for seed in self._all_seeds:
            twice = [*order, *order]
            drew = False
            for place in inputs.normal(len(twice)).argsort().tolist():
                trial = self._trial(twice[place], seed, fresh=True)
                drew = drew or trial.drew
            if not drew:  # the other seeds would give the same
                break

    def _run_alone(self, first: Sequence[Implementation], later: Sequence[Implementation]) -> None:
        """Each in a copy, before the test has seen anything in this part. later: with all seeds but one."""
        builds, drew = self.piece.builds, False
        plainest = next(iter(self.piece.right.values()))
        for seed in self._all_seeds:
            for code in dict.fromkeys(first if seed == self._all_seeds[0] else [plainest, *later]):
                self._alone[code, seed], draws = tried_alone(
                    self.test, self.piece.name, self.piece.bare(code), builds, seed
                )
                drew = drew or draws
            if not drew:
                break
        no_more_processes()

    def _sound_seeds(self) -> list[int]:
        """Those with which some right code passes: with others a failure says nothing about broken code."""
        found = []
        for seed in self._all_seeds:
            trials = (self._trial(code, seed) for code in self.piece.right.values())
            passed = next((trial for trial in trials if trial.error is None), None)
            if passed:
                found.append(seed)
                if not passed.drew:  # the others would give the same
                    break
        return found

    def alarm(self, name: str, code: Implementation) -> str:
        """A sentence where right code fails."""
        trials = self._trials(code, self._all_seeds)
        failed = [
            (seed, trial)
            for seed, trial in zip(self._all_seeds, trials, strict=False)
            if trial.error is not None
        ]
        if not failed:
            return ""
        why = self._cause(code, *failed[0]) or (UNLUCKY if len(failed) < len(trials) else ONE_WAY)
        return ALARM.format(error=type(failed[0][1].error).__name__, name=name, why=why)

    def slip(self, broken: Broken) -> str:
        """A sentence where broken code passes."""
        trials = self._trials(broken.code, self.seeds)
        passed = [trial for trial in trials if trial.error is None]
        if not passed:
            return ""
        if len(passed) < len(trials):
            return LUCKY.format(what=broken.what)
        text = SLIPPED.format(what=broken.what, shown_by=broken.shown_by)
        return f"{text} {self._observed(broken, passed[0].calls)}".strip()

    def _observed(self, broken: Broken, calls: Sequence[Call]) -> str:
        if broken.seen is not None:
            return broken.seen(calls)
        if self.piece.builds:
            return ""
        return HIDDEN if all(self._hides(broken.code, call) for call in calls) else OVERLOOKED

    def _hides(self, broken: Implementation, call: Call) -> bool:
        """Whether broken code gives what right code gives for these arguments, and leaves them alike."""
        right = next(iter(self.piece.right.values()))
        (one, left), (other, kept) = (after(code, call) for code in (broken, right))
        return self.piece.alike(one, other) and same(left, kept)

    def _refuse(self, code: Implementation) -> None:
        """Raise as the test does on right code, with its own line, and the cause where it was seen."""
        trial = self._trial(code, self._all_seeds[0])
        error, text = trial.error, UNSOUND
        if not trial.calls:
            if isinstance(error, AssertionError):
                raise RejectedError(EARLY.format(self.piece.name))
            text = f"before any call of `{self.piece.name}`"
        if not isinstance(error, AssertionError):
            text = f"{error} ({text})"
        cause = self._cause(code, self._all_seeds[0], trial)
        same_name = type(type(error).__name__, (Exception,), {})
        raise RaisedError(
            same_name(f"{text}. {cause}" if cause else text).with_traceback(
                getattr(error, "__traceback__", None)
            )
        )

    def _cause(self, code: Implementation, seed: int, failed: Trial) -> str:
        """Why the test fails on right code, where that can be seen."""
        if told := next(filter(None, map(self.piece.misuse, failed.calls)), ""):
            return told
        if failed.nan:
            return f"{NAN} {self.piece.nan}".strip()
        if str(failed.error).startswith("Boolean"):  # "Boolean value of Tensor ... is ambiguous"
            return ONE_TRUTH
        with Rounding() as rounding:
            self._fresh_trial(code, seed)
        if rounding.seen:
            return ROUNDING
        if self.piece.builds and self._fresh_trial(undropped(code), seed).error is None:
            return DROPOUT
        return ""

    def _require_failing(self, broken: Sequence[Implementation]) -> None:
        """Errors that happen to a test judge nothing: some wrong code must make it raise on purpose."""
        trials = []
        for code in (*self.piece.wrong, *broken):
            trials.append(self._trial(code, self.seeds[0]))
            if _fails_on_purpose(trials[-1]):
                return
        if any(trial.result is not None for trial in trials):
            raise RejectedError(RETURNS)
        of_nothing = self._fresh_trial(lambda *args, **kwargs: None, self.seeds[0])
        raise RejectedError(ONLY_NOTHING if _fails_on_purpose(of_nothing) else NEVER)

    def _trials(self, code: Implementation, seeds: Sequence[int]) -> list[Trial]:
        """One for each seed; a single one where no random numbers are drawn."""
        trials: list[Trial] = []
        for seed in seeds:
            trials.append(self._trial(code, seed))
            if not trials[-1].drew:
                break
        return trials

    def _trial(self, code: Implementation, seed: int, fresh: bool = False) -> Trial:
        """fresh: once more, to compare. Raises where the test has judged the same code differently."""
        kept = self._kept.get((code, seed))
        if kept and not fresh:
            return kept
        trial = self._kept[code, seed] = self._fresh_trial(code, seed)
        passed = trial.error is None
        if (kept and (kept.error is None) != passed) or self._alone.get((code, seed), passed) != passed:
            raise RejectedError(FICKLE)
        return trial

    def _fresh_trial(self, code: Implementation, seed: int) -> Trial:
        return tried(self.test, self.piece.name, self.piece.bare(code), self.piece.builds, seed)


def _fails_on_purpose(trial: Trial) -> bool:
    """Whether the test itself has raised, and not the code that it was given."""
    is_its_own = trial.error is not None and trial.error is not trial.of_code
    return is_its_own and raised_on_purpose(trial.error)
