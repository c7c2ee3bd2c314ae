"""Wrong answers to PreNorm: name, advice, code."""

from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.residual import (
    Hidden,
    NormInForward,
    NormIsClass,
    NormIsFunction,
    SublayerOfSize,
    Wrapper,
)

mistake = Mistakes()


@mistake("R1")
class PreWithoutResidual(Wrapper):
    """x is not added: nothing is carried past the sublayer."""

    def forward(self, x):
        return self.sublayer(self.norm(x))


@mistake("R2")
class PreFromNormalized(Wrapper):
    """The residual comes from the normalized x. Keep x itself: the norm only feeds the branch."""

    def forward(self, x):
        x = self.norm(x)
        return x + self.sublayer(x)


@mistake("R6")
class PreNormalizedStream(Wrapper):
    """The norm is on the wrong one: the branch gets norm(x), the stream stays x."""

    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@mistake("R6")
class PreTwice(Wrapper):
    """x is added twice: count the copies of x, there is exactly one."""

    def forward(self, x):
        return x + x + self.sublayer(self.norm(x))


@mistake("A20", mentions=r"\+=|\.add_\(")
class PreInPlace(Wrapper):
    """`+=` and `add_` write into the caller's x. Make a new tensor: `x + ...`."""

    def forward(self, x):
        x += self.sublayer(self.norm(x))
        return x


@mistake("R4")
class PostInPlaceOfPre(Wrapper):
    """norm(x + sublayer(x)) is post-norm: the stream itself is normalized. Here it stays as it is."""

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake("R5")
class PreOnBranch(Wrapper):
    """You normalize what the sublayer gives: normalize what it gets."""

    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@mistake
class PreNormedTwice(Wrapper):
    """You normalize twice before the sublayer, one time after the other: once is enough."""

    def forward(self, x):
        return x + self.sublayer(self.norm(self.norm(x)))


@mistake
class PreWithoutNorm(Wrapper):
    """The norm is missing: feed the sublayer norm(x)."""

    def forward(self, x):
        return x + self.sublayer(x)


@mistake
class PreBothPlaces(Wrapper):
    """You use the norm twice, before the branch and on the sum: leave the sum alone, the path of x stays
    free.
    """

    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


@mistake
class PreAroundBranch(Wrapper):
    """You use the norm twice, before and after the sublayer: normalize only what the sublayer gets."""

    def forward(self, x):
        return x + self.norm(self.sublayer(self.norm(x)))


@mistake
class PreWithoutSublayer(Wrapper):
    """The sublayer is not used: it gets norm(x), and its result is added to x."""

    def forward(self, x):
        return x + self.norm(x)


@mistake
class PreHiddenSublayer(Hidden):
    """A sublayer inside a list is not found by optimizers, so it never learns. Keep it as `self.sublayer`."""

    def forward(self, x):
        return x + self.parts[0](self.norm(x))


@mistake(mentions=r"= layer_norm\b")
class PreNormIsFunction(NormIsFunction):
    __doc__ = NormIsFunction.__doc__

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake(mentions=r"= (nn\.)?LayerNorm(?!\()")
class PreNormIsClass(NormIsClass):
    __doc__ = NormIsClass.__doc__

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake("H10", mentions=r"LayerNorm\(", lacks=r"self\.\w+ = (nn\.)?LayerNorm\(")
class PreNormInForward(NormInForward):
    """Your norm is not kept in the module: a norm that is made in `forward` is new at every call and never
    learns. Say `self.norm = LayerNorm(d_model)` in `__init__`.
    """

    def forward(self, x):
        return x + self.sublayer(nn.LayerNorm(self.d_model)(x))


@mistake("R8", mentions="[dD]ropout")
class PreDropsSum(Wrapper):
    """This exercise asks for no dropout. In the paper it acts on the sublayer's result, never on x."""

    def forward(self, x):
        return nn.functional.dropout(x + self.sublayer(self.norm(x)), 0.5)


@mistake(mentions=r"(?<!\.)\bsublayer\(")
class PreSublayerOfSize(SublayerOfSize):
    """`sublayer` is a finished module, no class: keep it as it is, and call it on a tensor in forward."""

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake(mentions=r"detach|\.data\b|no_grad|numpy")
class PreCutOff(Wrapper):
    """`.detach()` and its like cut the gradient: it must come back to x on both ways, through the sublayer
    and past it.
    """

    def forward(self, x):
        return x.detach() + self.sublayer(self.norm(x))


@mistake(lacks=r"super\(")
class PreWithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`: it prepares the module for its parts."""

    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
