"""guard: what it lets through, what it refuses, and whose line it shows."""

import inspect
import math
import traceback

import numpy as np
import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from course_lib.checks.guard import RaisedError, call_answer, is_stub, own_line, raised_on_purpose, watched
from course_lib.checks.listeners import listening, unheard
from course_lib.checks.results import RejectedError, checked

ONE = inspect.signature(lambda x: None)
TWO = inspect.signature(lambda model, x: None)
OUTPUT = ("output: batch",)


def watch(function, **options):
    return watched(function, ONE, OUTPUT, **options)


def test_the_first_call_has_one_before_it_with_other_numbers_and_is_repeated():
    calls = []
    function = watch(lambda x: calls.append(x.tolist()) or 2 * x)
    x = torch.tensor([1.0, 2.0, 3.0])
    assert torch.equal(function(x), 2 * x)
    *before, first, again, with_gradients, without = calls
    assert first == again == with_gradients == without == x.tolist() and len(before) == 2
    assert all(one != first and sorted(one) == sorted(first) for one in before)
    function(x)
    assert len(calls) == 7


@pytest.mark.parametrize("is_other", [lambda x: x.requires_grad, lambda x: not torch.is_grad_enabled()])
def test_whether_gradients_are_computed_changes_no_number(is_other):
    with pytest.raises(RejectedError, match="where gradients are computed"):
        watch(lambda x: 3 * x if is_other(x) else 2 * x)(torch.ones(3))


def test_an_answer_without_gradients_is_no_other_answer():
    x = torch.tensor([1.0, 2.0, 3.0])
    assert torch.equal(watch(lambda x: torch.tensor(2 * x.numpy()))(x), 2 * x)


class Computing(inspect.Signature):
    def bind(self, *args, **kwargs):
        raise AssertionError("the check runs the answer's code where nothing watches it")


def test_a_signature_that_could_compute_is_not_asked():
    def function(x):
        return 2 * x

    function.__signature__ = Computing(inspect.signature(function).parameters.values())
    assert torch.equal(watch(function)(torch.ones(3)), 2 * torch.ones(3))


def test_what_is_kept_of_a_call_shows_in_the_next():
    kept = []

    def keeping(x):
        kept.append(x)
        return 2 * kept[0]

    x = torch.tensor([1.0, 2.0, 3.0])
    assert not torch.equal(watch(keeping)(x), 2 * x)


def test_what_is_kept_by_the_tensor_that_was_given_is_wrong_when_it_holds_other_numbers():
    kept = {}
    x, weight = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 5.0, 7.0])

    def keeping(x, weight):
        return kept.setdefault(id(x), x * weight)

    result = watched(keeping, inspect.signature(keeping), OUTPUT)(x, weight)
    assert not torch.equal(result, x * weight) and x.tolist() == [1, 2, 3] and weight.tolist() == [2, 5, 7]


def test_arguments_that_are_one_tensor_or_parts_of_one_are_as_given_afterwards():
    x = torch.arange(6.0)
    several = watched(lambda x, y, z: x.sum() + y + z[0], inspect.signature(lambda x, y, z: None), OUTPUT)
    assert torch.equal(several(x, x, x[2:4]), x.sum() + x + 2) and x.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_call_may_not_leave_torch_set_otherwise():
    with pytest.raises(RejectedError, match="leaves gradients switched off"):
        watch(lambda x: (torch.set_grad_enabled(False), x)[1])(torch.ones(3))
    with pytest.raises(RejectedError, match="changes PyTorch's default data type"):
        watch(lambda x: (torch.set_default_dtype(torch.float64), x)[1])(torch.ones(3))
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32


class Hears(TorchDispatchMode):
    heard = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.heard += 1
        return function(*args, **(kwargs or {}))


LISTENERS = {
    "functions": TorchFunctionMode,
    "operations": Hears,
    "kept tensors": lambda: saved_tensors_hooks(torch.clone, torch.clone),
}


@pytest.mark.parametrize("make", LISTENERS.values(), ids=LISTENERS)
def test_a_call_may_leave_nobody_listening(make):
    before = listening()
    with pytest.raises(RejectedError, match="switched on"):
        watch(lambda x: (make().__enter__(), x)[1])(torch.ones(3))
    assert listening() == before


def test_whom_a_session_has_left_on_does_not_hear_a_check():
    with TorchFunctionMode(), saved_tensors_hooks(torch.clone, torch.clone), Hears() as hears:
        before, heard = listening(), hears.heard
        with unheard():
            torch.ones(3, requires_grad=True).exp()
            assert not any(listening())
        assert hears.heard == heard and listening() == before


def test_a_call_with_other_numbers_may_fail_and_draws_nothing():
    def careful(x):
        if x[0] != 1:
            torch.rand(5)
            raise ValueError
        return x + torch.rand(1, generator=torch.Generator().manual_seed(0))

    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    watch(careful)(torch.tensor([1.0, 2.0]))
    assert torch.equal(torch.rand(1), expected)


def test_a_model_is_not_called_with_other_numbers():
    calls = []
    watched(lambda model, x: calls.append(1) or model(x), TWO, OUTPUT)(torch.relu, torch.ones(3))
    assert len(calls) == 4


def test_what_is_not_repeatable_is_called_once():
    calls = []
    watch(lambda x: calls.append(1) or x, repeatable=False)(torch.ones(3))
    assert len(calls) == 1


def test_an_argument_that_changes_is_named():
    with pytest.raises(RejectedError, match="changes its argument `x` in place"):
        watch(lambda x: x.add_(1))(torch.ones(3))
    with pytest.raises(RejectedError, match="changes its argument `x` in place"):
        watch(lambda x: x.add_(1))(x=torch.ones(3))
    nothing = torch.full((3,), torch.nan)
    assert watch(lambda x: x.isnan().float())(nothing).sum() == 3


@pytest.mark.parametrize(
    ("given", "change"),
    [
        ([1, 2], lambda x: x.append(3)),
        ([[1], [2]], lambda x: x[0].append(0)),
        ([2, 1], lambda x: x.sort()),
        ({"a": 1}, lambda x: x.pop("a", None)),
        ({"a": 1, "b": 2}, lambda x: x.update(a=x.pop("a"))),
        ({"a": [1]}, lambda x: x["a"].clear()),
        ({1, 2}, lambda x: x.discard(1)),
        ([torch.ones(2), torch.zeros(2)], lambda x: x.reverse()),
        ([1, 2], lambda x: x.insert(0, float(x.pop(0)))),
        ([[1, 2]], lambda x: x.append(tuple(x.pop()))),
        (([1],), lambda x: x[0].append(2)),
    ],
)
def test_a_list_or_dict_that_changes_is_a_slip(given, change):
    slips, before = [], str(given)
    unchanged = watched(lambda x: torch.ones(3), ONE, OUTPUT, slips=slips)
    assert torch.equal(unchanged(given), torch.ones(3)) and not slips
    changing = watched(lambda x: (change(x), torch.ones(3))[1], ONE, OUTPUT, slips=slips)
    assert torch.equal(changing(given), torch.ones(3))
    assert len(slips) == 1 and "changes its argument `x`" in slips[0]
    assert str(given) == before


def test_what_may_not_be_counted_is_left_alone():
    loop: list = [1]
    loop.append(loop)
    with torch.inference_mode():
        numbers = torch.ones(2)
    slips: list[str] = []
    for given in (loop, [numbers], [math.nan]):
        assert torch.equal(watch(lambda x: torch.ones(3), slips=slips)(given), torch.ones(3))
    assert not slips


def test_all_that_a_function_takes_is_watched():
    slips: list[str] = []
    several = inspect.signature(lambda *rows: None)
    function = watched(lambda *rows: rows[1].append(3) or torch.ones(3), several, OUTPUT, slips=slips)
    function([1], [2])
    assert len(slips) == 1 and "changes its argument `rows`" in slips[0]


@pytest.mark.parametrize(
    "reuse",
    [
        lambda kept, x: kept["tensor"].copy_(x),
        lambda kept, x: kept["list"].clear() or kept["list"].extend(x.tolist()) or kept["list"],
        lambda kept, x: kept["dict"].update(x=x[-1].item()) or kept["dict"],
        lambda kept, x: kept["nested"][0].__setitem__(0, x[-1].item()) or kept["nested"],
    ],
)
def test_a_result_that_the_next_call_changes_is_a_slip(reuse):
    kept, slips = {"tensor": torch.ones(3), "list": [], "dict": {}, "nested": [[0.0]]}, []
    function = watched(lambda x: reuse(kept, x), ONE, ("output",), slips=slips)
    had = function(torch.tensor([1.0, 2.0, 3.0]))
    first, before = function.itself(), str(had)
    assert len(slips) == 1 and "the same object in each call" in slips[0]
    slips.clear()
    function(torch.tensor([4.0, 5.0, 6.0]))
    assert function.itself() is first and len(slips) == 1
    assert str(had) == before  # a probe has its own


def test_a_result_that_the_caller_changes_is_no_slip():
    weight, slips = torch.ones(3), []
    function = watch(lambda x: weight, slips=slips)
    function(torch.ones(3)).add_(1)
    function(torch.ones(3))
    assert not slips


@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_kept_by_some_of_the_arguments_shows(place):
    """A memory whose key leaves one argument out."""
    memory = {}

    def total(*given):
        key = str([value for i, value in enumerate(given) if i != place])
        return memory.setdefault(key, torch.tensor([sum(given[0]), given[1], *given[2].values()]))

    three = inspect.signature(lambda rows, number, table: None)
    got = watched(total, three, OUTPUT)([1.5, 2.0, 4.0][:2], 5, {"a": 1, "b": 2})
    right = torch.tensor([3.5, 5, 1, 2])
    # The sum of a list is the same in any order.
    assert torch.equal(got, right) is (place == 0)


@pytest.mark.parametrize(
    "result", [math.nan, [math.nan, "a"], {"a": torch.ones(2)}, [np.ones(2)], object(), {1: {2: math.nan}}]
)
def test_a_result_that_does_not_compare_is_not_random(result):
    watched(lambda x: result, ONE, ("output",))(torch.ones(3))


def test_a_write_into_a_tensor_in_a_list_is_a_slip():
    slips = []
    writing = watched(lambda x: (x[0].add_(1), torch.ones(3))[1], ONE, OUTPUT, slips=slips)
    assert torch.equal(writing([torch.ones(2)]), torch.ones(3))
    assert len(slips) == 1 and "changes its argument `x`" in slips[0]


def test_what_a_call_uses_up_is_there_for_the_next():
    slips = []
    total = watched(
        lambda x: torch.tensor([sum(x.pop() for _ in range(len(x)))] * 3), ONE, OUTPUT, slips=slips
    )
    given = [[1.0, 2.0], [3.0]]
    assert torch.equal(total(given[0]), torch.full((3,), 3.0))
    assert torch.equal(total(given[1]), torch.full((3,), 3.0))
    assert given == [[1.0, 2.0], [3.0]] and len(slips) == 2


def test_two_calls_may_differ_in_their_last_bits_only():
    def function(error):
        noise = iter([0.0, 0.0, error, 0.0])
        return watch(lambda x: x + next(noise))

    function(1e-5)(torch.ones(3))
    with pytest.raises(RejectedError, match="give different results"):
        function(1e-2)(torch.ones(3))


def test_what_an_answer_raises_is_marked_as_its_own():
    with pytest.raises(RaisedError) as raised:
        call_answer(lambda x: x[5], ONE, ([],), {})
    assert isinstance(raised.value.error, IndexError)
    with pytest.raises(RaisedError):
        call_answer(lambda x: exit(), ONE, (1,), {})


def test_a_function_that_cannot_be_called_so_is_refused():
    with pytest.raises(RejectedError, match=r"must take \(x\), but it takes \(x, y\)\."):
        call_answer(lambda x, y: x, ONE, (1,), {})


def stub(x):
    raise NotImplementedError()


def test_a_stub_passes_and_is_told_from_pytorchs_own_errors():
    with pytest.raises(NotImplementedError) as raised:
        call_answer(stub, ONE, (1,), {})
    assert is_stub(raised.value)
    with pytest.raises(NotImplementedError) as raised:
        torch.nn.Module()(1)
    assert not is_stub(raised.value)


def test_an_error_with_a_text_of_its_own_is_an_answer():
    def refusing(x):
        raise NotImplementedError("an odd size")

    with pytest.raises(RaisedError):
        call_answer(refusing, ONE, (1,), {})


@pytest.mark.parametrize(("code", "purpose"), [("assert False", True), ("1 / 0", False), ("[][0]", False)])
def test_an_error_on_purpose(code, purpose):
    with pytest.raises(Exception) as raised:
        exec(code)
    assert raised_on_purpose(raised.value) == purpose
    assert not raised_on_purpose(ValueError("never raised"))


def test_the_last_own_line_is_shown():
    with pytest.raises(RuntimeError) as raised:
        torch.nn.functional.linear(torch.ones(2), torch.ones(3, 3))  # mine
    assert own_line(traceback.extract_tb(raised.value.__traceback__)).endswith("# mine")
    assert own_line(traceback.StackSummary()) == ""


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "returned None.*Did you forget `return`"),
        (torch.ones(2), r"one tensor of shape \(2,\); expected a tuple of tensors: output, weights"),
        ((torch.ones(2), ["one"]), "`weights` is a list of 1 value;"),
        ((torch.ones(2), "a"), "returned the text 'a'"),
        ((torch.ones(2), iter([])), "returned an iterator"),
        ((torch.ones(2), torch.ones(2)), r"`weights` \(2,\); expected .*\(batch, source\)\.$"),
        ((torch.ones(2, 3), torch.ones(2)), "Are they in the right order"),
    ],
)
def test_what_is_returned_must_be_what_was_asked_for(result, message):
    returns = ("output: batch", "weights: batch source")
    checked((torch.ones(2), torch.ones(2, 3)), returns, [])
    checked((torch.ones(4, 2), torch.ones(4, 2, 3)), returns, [])
    with pytest.raises(RejectedError, match=message):
        checked(result, returns, [])
