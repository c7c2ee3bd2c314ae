"""Builds instances of a learner's class, fills their parameters by name, and watches calls of them."""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

from course_lib.checks.arguments import as_it_is, copies
from course_lib.checks.borrowed import refuse_tools
from course_lib.checks.exact import exact
from course_lib.checks.exercise import Implementation, Interface
from course_lib.checks.gradients import CALLED
from course_lib.checks.guard import (
    MODES,
    RaisedError,
    call_answer,
    call_watched,
    called_again,
    watched,
    why_another,
)
from course_lib.checks.inputs import Inputs
from course_lib.checks.meanings import meaning_of
from course_lib.checks.model_parts import answers_itself, own_kind_of_tensor
from course_lib.checks.other_numbers import call_with_other_weights
from course_lib.checks.other_parameters import lost_in_a_list, mismatch, other_shape
from course_lib.checks.own_weights import Made, told_of_first_weights, unwritten_as_nan
from course_lib.checks.remembered import note_built
from course_lib.checks.results import RejectedError, same
from course_lib.checks.surroundings import Draws, draws, evaluating, settings_kept

ANSWERS_ITSELF = (
    "Your module has its own `{0}`, in place of the method that every module inherits from PyTorch and that "
    "the check needs. Remove it, or give it another name."
)
OWN_KIND = (
    "`{0}` of your module is a tensor of a class of your own. Make it an `nn.Parameter`, or register a plain "
    "tensor as a buffer."
)
RAISES_IN_EVALUATION = "In evaluation mode (after `.eval()`), but not in training mode, your layer raises {0}"
EXAMPLE = "example"  # the seed of all examples

Sizes = Mapping[str, tuple[int, ...]]  # of a module's parameters, by name


@dataclass
class Built:
    """A module that a probe has made: the sizes of its parameters, and what tells its two modes apart.

    steady: whether all calls gave the same while training and in evaluation mode.
    """

    sizes: Sizes
    steady: bool = True


class Builder:
    """What a probe of a class gets: calling it gives an instance.

    Parameters of an nn.Module are filled by their names, so that nothing depends on the order of creation or
    on a seed. Where there is a single parameter its name does not matter. A parameter may have more names.

    expected: of the reference, what each instance is that the probe builds. Where there are none, as for the
      reference itself, an instance is taken as it is.
    built: what was expected, or found.
    slips: see `results.checked`.
    trusted: whether it is the reference, whose first call is not made again.
    """

    def __init__(
        self,
        interface: Interface,
        implementation: Implementation,
        inputs: Inputs,
        expected: Sequence[Built] = (),
        slips: list[str] | None = None,
        trusted: bool = False,
    ):
        self.interface, self.implementation, self.inputs = interface, implementation, inputs
        self.expected, self.slips, self.trusted = expected, slips, trusted
        self.built: list[Built] = []
        self.made = Made()
        self.seed = 0  # of what an instance draws while it is made
        self.training = True

    def __call__(self, *args, **kwargs) -> "Instance":
        made = self._construct(args, kwargs)
        if not isinstance(made, nn.Module):
            return Instance(self.interface, made, slips=self.slips, trusted=self.trusted)
        # A probe builds in one order whatever it is given: the third is held to the reference's third.
        number = len(self.built)
        known = number < len(self.expected)
        own = {name: tuple(leaf.shape) for name, leaf in made.named_parameters(remove_duplicate=False)}
        self.built.append(self.expected[number] if known else Built(own))
        instance = Instance(self.interface, made, self.built[number], known, self.slips, self.trusted)
        instance.filled = _fill(
            made, self.built[number].sizes, self.inputs, self.interface.optional_parameters
        )
        return instance

    def fresh(self, *args, **kwargs) -> "Instance":
        """An instance with the weights that it gave itself, by torch's generator with a fixed seed."""
        made = self._construct(args, kwargs)
        return Instance(self.interface, made, slips=self.slips, trusted=self.trusted)

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """Instances that are made in it are in evaluation mode."""
        self.training = False
        try:
            yield
        finally:
            self.training = True

    def ask_what_is_its_own(self) -> None:
        """Adds a slip where instances share weights, or begin with some that cannot be trained.

        Refuses one that holds what the course has ready.
        """
        if self.made.calls and not self.trusted and self.slips is not None:
            refuse_tools(self.made.modules[0], self.interface.given)
            for made in self.made.modules:  # a call may have put it there
                _refuse_own_kinds(made)
            args, kwargs = self.made.calls[0]
            with unwritten_as_nan():
                made = self._construct(args, kwargs)
            told = self.made.told_of_sharing(self.interface.name), told_of_first_weights(made)
            self.slips += filter(None, told)

    def _construct(self, args: Sequence, kwargs: dict) -> Any:
        torch.default_generator.manual_seed(self.seed)
        given, slips = copies(args, kwargs), None if self.trusted else self.slips
        made = call_watched(self.implementation, self.interface.signature, *given, slips)
        note_built(made)
        if self.interface.builds == "module" and not isinstance(made, nn.Module):
            name = self.interface.name
            raise RejectedError(f"`{name}` must be a module: `class {name}(nn.Module)`.")
        if isinstance(made, nn.Module):
            if name := answers_itself(made):
                raise RejectedError(ANSWERS_ITSELF.format(name))
            _refuse_own_kinds(made)
            self.made.add(made, args, kwargs)
            if not self.training:
                made.eval()
        return made


class Instance:
    """A learner's object as a probe sees it. What its methods raise is the learner's error.

    Each call of a module that trains is made in evaluation mode, too.
    built: what is known of it; held: whether that is the reference's, so that the answer is held to it.
    """

    def __init__(
        self,
        interface: Interface,
        made: Any,
        built: Built | None = None,
        held: bool = False,
        slips: list[str] | None = None,
        trusted: bool = False,
    ):
        self._interface, self._made, self._built, self._held = interface, made, built, held
        self._call, self._slips, self._trusted = None, None if trusted else slips, trusted
        self._given: dict[str, Any] = {}  # by method, what its last call gave
        self.filled: dict[str, nn.Parameter] = {}  # by the names that are expected

    def __call__(self, *args, **kwargs) -> Any:
        if self._call is None:
            made = self._made
            method = "forward" if self._interface.builds == "module" else "__call__"
            own = inspect.signature(getattr(made, method)) if hasattr(made, method) else None
            interface, begin = self._interface, partial(call_with_other_weights, made)
            self._call = watched(
                *(made, interface.method, interface.returns, own, not self._trusted, self._slips),
                begin if self.filled else None,
            )
        drawn = draws()
        result = self._call(*args, **kwargs)
        if self._built and self._built.steady and self._made.training:
            self._call_in_evaluation_mode(result, args, kwargs, drawn)
        return result

    def _call_in_evaluation_mode(self, result: Any, args: tuple, kwargs: dict, drawn: Draws) -> None:
        """Refuses another result than the one while training; of the reference it is noted."""
        call = partial(called_again, self._made, self._interface.returns, args, kwargs)
        try:
            with evaluating(self._made), torch.no_grad():  # as a model is mostly asked in this mode
                other = call()
        except RaisedError as raised:
            raise RejectedError(RAISES_IN_EVALUATION.format(meaning_of(raised.error))) from None
        if same(result, other):
            return
        if not same(result, call()):
            raise RejectedError(why_another(result, call, drawn))
        assert self._built
        if self._held:
            raise RejectedError(MODES)
        self._built.steady = False

    def __getattr__(self, name: str) -> Any:
        try:
            with settings_kept():  # it may be computed
                value = getattr(self._made, name)
            is_method = callable(value) and not isinstance(value, (nn.Module, type))
            value = value if is_method else exact(value, modules=True)
        except RejectedError:
            raise
        except AttributeError:
            raise RejectedError(f"Your {self._interface.name} has no `{name}`.") from None
        except Exception as error:
            raise RaisedError(error) from error
        return self._watched_method(name, value) if is_method else value

    def __len__(self) -> int:
        return call_answer(len, None, (self._made,), {})

    def _watched_method(self, name: str, method: Callable) -> Callable:
        def take(result):
            self._given[name] = exact(result, modules=True)
            return self._given[name]

        def call(*args, **kwargs):
            earlier = (last := self._given.get(name)), as_it_is(last)
            return call_watched(method, None, *copies(args, kwargs), self._slips, None, earlier, take)

        return call


def _refuse_own_kinds(made: nn.Module) -> None:
    if name := own_kind_of_tensor(made):
        raise RejectedError(OWN_KIND.format(name))


def filled(module: nn.Module) -> nn.Module:
    """The module, with the numbers in its parameters that it has in the smallest example of a check."""
    _write_numbers(dict(module.named_parameters(remove_duplicate=False)), Inputs(EXAMPLE))
    return module


def sharpen(*norms: nn.Module) -> None:
    """Make norms give numbers far above those of a new one, so that nothing may cut them off."""
    with torch.no_grad():
        for norm in norms:
            weight = norm.get_parameter("weight")
            weight.add_(weight.sign()).mul_(8)  # at least 8, whatever was drawn


def zeroed(instance: Instance, name: str) -> Instance:
    """The instance, its parameter of this name 0: then it gives what an instance without that one gives."""
    if name in instance.filled:
        instance.filled[name].data.zero_()
    return instance


def required(instance: Instance, name: str) -> nn.Parameter:
    """A parameter that instances may lack, in the part that asks for it."""
    if name not in instance.filled:
        raise RejectedError(f"Your parameters lack `{name}`.")
    return instance.filled[name]


def _fill(
    made: nn.Module, expected: Sizes, inputs: Inputs, optional: Sequence[str]
) -> dict[str, nn.Parameter]:
    """Gives each parameter its numbers; returns them by the expected names, by both where it has two."""
    got = dict(made.named_parameters(remove_duplicate=False))
    if len(got) == len(expected) == 1:  # a single parameter may have any name
        ((called, parameter),) = got.items()
        got = dict.fromkeys(expected, parameter)
        setattr(parameter, CALLED, called)
    # One tensor may have several names, as tied weights do: an unexpected second name does no harm.
    known = {id(parameter) for name, parameter in got.items() if name in expected}
    got = {name: leaf for name, leaf in got.items() if name in expected or id(leaf) not in known}
    # Beside one that is not expected, a missing one is told: it may be the same under another name.
    if got.keys() - expected.keys() or expected.keys() - got.keys() - set(optional):
        raise RejectedError(mismatch(got, expected) + lost_in_a_list(made))
    for name, parameter in got.items():
        if tuple(parameter.shape) != expected[name]:
            raise RejectedError(other_shape(made, name, parameter, expected[name]))
    _write_numbers(got, inputs)
    return {name: got[name] for name in expected if name in got}


def _write_numbers(parameters: Mapping[str, nn.Parameter], inputs: Inputs) -> None:
    with torch.no_grad():
        # In the order of names, so that of two names of one tensor the same one is written last.
        for name in sorted(parameters):
            source = name if len(parameters) > 1 else "the only one"
            parameters[name].copy_(inputs.named(source).normal(*parameters[name].shape) / 2)
