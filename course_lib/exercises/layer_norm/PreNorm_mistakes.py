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
    """You do not add x, so nothing passes the sublayer unchanged. Add x to its result."""

    def forward(self, x):
        return self.sublayer(self.norm(x))


@mistake("R2")
class PreFromNormalized(Wrapper):
    """You add the sublayer's result to the normalized x. Add it to x itself; only the sublayer gets the
    normalized x.
    """

    def forward(self, x):
        x = self.norm(x)
        return x + self.sublayer(x)


@mistake("R6")
class PreNormalizedStream(Wrapper):
    """You normalize the x that you add. Give norm(x) to the sublayer instead, and add its result to
    x itself.
    """

    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@mistake("R6")
class PreTwice(Wrapper):
    """You add x twice. The sum contains x exactly once."""

    def forward(self, x):
        return x + x + self.sublayer(self.norm(x))


@mistake("A20", mentions=r"\+=|\.add_\(")
class PreInPlace(Wrapper):
    """`+=` and `add_` overwrite the caller's x. Make a new tensor: `x + ...`."""

    def forward(self, x):
        x += self.sublayer(self.norm(x))
        return x


@mistake("R4")
class PostInPlaceOfPre(Wrapper):
    """norm(x + sublayer(x)) is post-norm, which normalizes the sum. Pre-norm normalizes only what the
    sublayer gets: x + sublayer(norm(x)).
    """

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake("R5")
class PreOnBranch(Wrapper):
    """You normalize the sublayer's result. Normalize its input instead."""

    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@mistake
class PreNormedTwice(Wrapper):
    """You normalize twice before the sublayer. Normalize once."""

    def forward(self, x):
        return x + self.sublayer(self.norm(self.norm(x)))


@mistake
class PreWithoutNorm(Wrapper):
    """The norm is missing. Give norm(x) to the sublayer."""

    def forward(self, x):
        return x + self.sublayer(x)


@mistake
class PreBothPlaces(Wrapper):
    """You use the norm twice, before the sublayer and on the sum. Leave the sum alone, so that x passes
    unchanged.
    """

    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


@mistake
class PreAroundBranch(Wrapper):
    """You use the norm twice, before and after the sublayer. Normalize only what the sublayer gets."""

    def forward(self, x):
        return x + self.norm(self.sublayer(self.norm(x)))


@mistake
class PreWithoutSublayer(Wrapper):
    """You do not use the sublayer. Give norm(x) to it, and add its result to x."""

    def forward(self, x):
        return x + self.norm(x)


@mistake
class PreHiddenSublayer(Hidden):
    """Optimizers do not find a sublayer inside a list, so it never learns. Keep it as `self.sublayer`."""

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
    """Your module does not keep its norm. A norm that is made in `forward` is new at every call and never
    learns. Write `self.norm = LayerNorm(d_model)` in `__init__`.
    """

    def forward(self, x):
        return x + self.sublayer(nn.LayerNorm(self.d_model)(x))


@mistake("R8", mentions="[dD]ropout")
class PreDropsSum(Wrapper):
    """This exercise asks for no dropout. The paper applies it to the sublayer's result, never to x."""

    def forward(self, x):
        return nn.functional.dropout(x + self.sublayer(self.norm(x)), 0.5)


@mistake(mentions=r"(?<!\.)\bsublayer\(")
class PreSublayerOfSize(SublayerOfSize):
    """`sublayer` is a finished module, not a class. Keep it unchanged, and call it on a tensor in
    `forward`.
    """

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake(mentions=r"detach|\.data\b|no_grad|numpy")
class PreCutOff(Wrapper):
    """`.detach()` and similar calls cut the gradient. It must come back to x on both paths, through the
    sublayer and past it.
    """

    def forward(self, x):
        return x.detach() + self.sublayer(self.norm(x))


@mistake(lacks=r"super\(")
class PreWithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`. It prepares the module for its parts."""

    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
