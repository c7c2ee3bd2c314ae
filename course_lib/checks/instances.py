"""Builds instances of a learner's class, fills their parameters by name, and watches calls of them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from course_lib.checks.exercise import Implementation, Interface
from course_lib.checks.guard import RaisedError, RejectedError, call_answer, watched
from course_lib.checks.inputs import Inputs

SHOWN = 4  # parameters that a message lists

Sizes = Mapping[str, tuple[int, ...]]  # of a module's parameters, by name


class Builder:
    """What a probe of a class gets: calling it gives an instance.

    Parameters of an nn.Module are filled by their names, so that nothing depends on the order of creation or
    on a seed. Where there is a single parameter its name does not matter. A parameter may have more names.

    expected: the sizes that the reference's parameters have, for each instance that the probe builds.
      Where there are none, as for the reference itself, an instance is taken as it is.
    built: the sizes that were expected, or found.
    """

    def __init__(
        self,
        interface: Interface,
        implementation: Implementation,
        inputs: Inputs,
        expected: Sequence[Sizes] = (),
    ):
        self.interface, self.implementation, self.inputs = interface, implementation, inputs
        self.expected = expected
        self.built: list[Sizes] = []

    def __call__(self, *args, **kwargs) -> "Instance":
        made = self._construct(args, kwargs)
        instance = Instance(self.interface, made)
        if isinstance(made, nn.Module):
            own = {name: tuple(leaf.shape) for name, leaf in made.named_parameters(remove_duplicate=False)}
            # A probe builds in one order whatever it is given: the third is held to the reference's third.
            number = len(self.built)
            self.built.append(self.expected[number] if number < len(self.expected) else own)
            instance.filled = _fill(made, self.built[number], self.inputs)
        return instance

    def fresh(self, *args, **kwargs) -> "Instance":
        """An instance with the weights that it gave itself, by torch's generator with a fixed seed."""
        return Instance(self.interface, self._construct(args, kwargs))

    def _construct(self, args: tuple, kwargs: dict) -> Any:
        torch.default_generator.manual_seed(0)
        made = call_answer(self.implementation, self.interface.signature, args, kwargs)
        if self.interface.builds == "module" and not isinstance(made, nn.Module):
            name = self.interface.name
            raise RejectedError(f"`{name}` must be a module: `class {name}(nn.Module)`.")
        return made


class Instance:
    """A learner's object as a probe sees it. What its methods raise is the learner's error."""

    def __init__(self, interface: Interface, made: Any):
        self._interface, self._made = interface, made
        self._call = None
        self.filled: dict[str, nn.Parameter] = {}  # by the names that are expected

    def __call__(self, *args, **kwargs) -> Any:
        if self._call is None:
            made = self._made
            method = "forward" if self._interface.builds == "module" else "__call__"
            own = inspect.signature(getattr(made, method)) if hasattr(made, method) else None
            self._call = watched(made, self._interface.method, self._interface.returns, own)
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(self._made, name)
        except AttributeError:
            raise RejectedError(f"Your {self._interface.name} has no `{name}`.") from None
        except Exception as error:
            raise RaisedError(error) from error
        return _method(value) if inspect.ismethod(value) else value

    def __len__(self) -> int:
        return _method(len)(self._made)


def _method(function: Callable) -> Callable:
    return lambda *args, **kwargs: call_answer(function, None, args, kwargs)


def _fill(made: nn.Module, expected: Sizes, inputs: Inputs) -> dict[str, nn.Parameter]:
    """Gives each parameter its numbers; returns them by the expected names, by both where it has two."""
    got = dict(made.named_parameters(remove_duplicate=False))
    if len(got) == len(expected) == 1:  # a single parameter may have any name
        got = dict(zip(expected, got.values(), strict=True))
    # One tensor may have several names, as tied weights do: an unexpected second name does no harm.
    known = {id(parameter) for name, parameter in got.items() if name in expected}
    got = {name: leaf for name, leaf in got.items() if name in expected or id(leaf) not in known}
    if got.keys() != expected.keys():
        raise RejectedError(_mismatch(got, expected))
    for name, parameter in got.items():
        if tuple(parameter.shape) != expected[name]:
            shapes = f"{tuple(parameter.shape)}, expected {expected[name]}"
            raise RejectedError(f"Your parameter `{name}` has shape {shapes}.")
    with torch.no_grad():
        for name in sorted(got):
            # in the order of names, so that of two names of one tensor the same one is written last
            got[name].copy_(inputs.named(name).normal(*got[name].shape) / 2)
    return {name: got[name] for name in expected}


def _mismatch(got: Mapping, expected: Mapping) -> str:
    """Which parameters are missing, and which are there and should not be."""
    missing = [name for name in expected if name not in got]
    extra = [name for name in got if name not in expected]
    told = [f"Your parameters lack {_listed(missing)}"] * bool(missing)
    if extra:
        whose = "" if missing else "Your parameter " if len(extra) == 1 else "Your parameters "
        told.append(f"{whose}{_listed(extra)} {'is' if len(extra) == 1 else 'are'} not expected")
    return "; ".join(told) + "."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:SHOWN])
    return shown + f" and {len(names) - SHOWN} more" * (len(names) > SHOWN)
