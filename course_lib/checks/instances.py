"""Instances of a learner's class: built, their weights filled by name, and watched like functions."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import Raised, Rejected, calling, watched
from course_lib.checks.inputs import Inputs

SHOWN = 4  # parameters that a message lists


class Builder:
    """What a probe of a class gets: calling it gives an instance.

    Parameters of an nn.Module are filled by their names, so that nothing depends on the order of creation or
    on a seed. Where there is a single parameter its name does not matter. A parameter may have more names.
    """

    def __init__(self, exercise: Exercise, implementation: type, inputs: Inputs):
        self.exercise, self.implementation, self.inputs = exercise, implementation, inputs

    def __call__(self, *args, **kwargs) -> "Instance":
        made = self._construct(self.implementation, args, kwargs)
        instance = Instance(self.exercise, made)
        if isinstance(made, nn.Module):
            like = self._construct(self.exercise.reference_implementation, args, kwargs)
            instance.filled = _fill(made, like, self.inputs)
        return instance

    def fresh(self, *args, **kwargs) -> "Instance":
        """An instance with the weights that it gave itself, by torch's generator with a fixed seed."""
        return Instance(self.exercise, self._construct(self.implementation, args, kwargs))

    def _construct(self, cls: type, args: tuple, kwargs: dict) -> Any:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            made = calling(cls, inspect.signature(self.exercise.reference_implementation), args, kwargs)
        if issubclass(self.exercise.reference_implementation, nn.Module) and not isinstance(made, nn.Module):
            name = self.exercise.name
            raise Rejected(f"`{name}` must be a module: `class {name}(nn.Module)`.")
        return made


class Instance:
    """A learner's object as a probe sees it. What its methods raise is the learner's error."""

    def __init__(self, exercise: Exercise, made: Any):
        self._exercise, self._made = exercise, made
        self._call = None
        self.filled: dict[str, nn.Parameter] = {}  # by the names that are expected, each once

    def __call__(self, *args, **kwargs) -> Any:
        if self._call is None:
            reference, made = self._exercise.reference_implementation, self._made
            method = "forward" if issubclass(reference, nn.Module) else "__call__"
            signature = _without_self(inspect.signature(getattr(reference, method)))
            own = inspect.signature(getattr(made, method)) if hasattr(made, method) else None
            self._call = watched(made, signature, self._exercise.returns, own)
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(self._made, name)
        except AttributeError:
            raise Rejected(f"Your {self._exercise.name} has no `{name}`.") from None
        except Exception as error:
            raise Raised(error) from error
        return _method(value) if inspect.ismethod(value) else value

    def __len__(self) -> int:
        return _method(len)(self._made)


def _method(function: Callable) -> Callable:
    return lambda *args, **kwargs: calling(function, None, args, kwargs)


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _fill(made: nn.Module, like: nn.Module, inputs: Inputs) -> dict[str, nn.Parameter]:
    """Gives each parameter its numbers; returns them by the expected names, each parameter once."""
    got, expected = (dict(module.named_parameters(remove_duplicate=False)) for module in (made, like))
    if len(got) == len(expected) == 1:
        got = dict(zip(expected, got.values(), strict=True))
    known = {id(parameter) for name, parameter in got.items() if name in expected}
    got = {name: leaf for name, leaf in got.items() if name in expected or id(leaf) not in known}
    if got.keys() != expected.keys():
        raise Rejected(f"Your parameters are {_listed(got, expected)}; expected {_listed(expected, got)}.")
    for name, parameter in got.items():
        if parameter.shape != expected[name].shape:
            shapes = f"{tuple(parameter.shape)}, expected {tuple(expected[name].shape)}"
            raise Rejected(f"Your parameter `{name}` has shape {shapes}.")
    with torch.no_grad():
        for name in sorted(got):
            got[name].copy_(inputs.named(name).normal(*got[name].shape) / 2)
    once = {id(got[name]): name for name in sorted(got, reverse=True)}
    return {name: got[name] for name in expected if name in once.values()}


def _listed(names: dict, others: dict) -> str:
    """The parameters of one side, those that the other side lacks before the rest."""
    ordered = sorted(names, key=lambda name: name in others)
    shown = [f"`{name}`" for name in ordered[:SHOWN]] + ["..."] * (len(ordered) > SHOWN)
    return ", ".join(shown) or "none"
