"""Wrong answers to PostNorm: name, advice, code."""

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


# The residual


@mistake("R1")
class PostWithoutResidual(Wrapper):
    """You do not add x, so nothing passes the sublayer unchanged. Add x to its result, then normalize."""

    def forward(self, x):
        return self.norm(self.sublayer(x))


@mistake("R2")
class PostFromNormalized(Wrapper):
    """You normalize x before the sublayer, and the sum again. In post-norm the sublayer and the sum take x
    itself, and one norm comes last.
    """

    def forward(self, x):
        x = self.norm(x)
        return self.norm(x + self.sublayer(x))


@mistake("R6")
class PostNormalizedStream(Wrapper):
    """You normalize x, then add the sublayer's result. Normalize their sum: x + sublayer(x)."""

    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@mistake("R6")
class PostTwice(Wrapper):
    """You add x twice. The sum contains x exactly once."""

    def forward(self, x):
        return self.norm(x + x + self.sublayer(x))


@mistake("A20", mentions=r"\+=|\.add_\(")
class PostInPlace(Wrapper):
    """`+=` and `add_` overwrite the caller's x. Make a new tensor: `x + self.sublayer(x)`."""

    def forward(self, x):
        x += self.sublayer(x)
        return self.norm(x)


# The place of the norm


@mistake("R3")
class PreInPlaceOfPost(Wrapper):
    """x + sublayer(norm(x)) is pre-norm. Post-norm normalizes the sum: norm(x + sublayer(x))."""

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake("R5")
class PostOnBranch(Wrapper):
    """You normalize the sublayer's result. Add x first, then normalize the sum."""

    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@mistake
class PostEach(Wrapper):
    """You normalize x and the sublayer's result separately. Add them first, then normalize the sum."""

    def forward(self, x):
        return self.norm(x) + self.norm(self.sublayer(x))


@mistake
class PostNormedTwice(Wrapper):
    """You normalize the sum twice. Normalize it once."""

    def forward(self, x):
        return self.norm(self.norm(x + self.sublayer(x)))


@mistake
class PostWithoutNorm(Wrapper):
    """The norm is missing. Normalize the sum of x and the sublayer's result."""

    def forward(self, x):
        return x + self.sublayer(x)


@mistake
class PostBothPlaces(Wrapper):
    """You use the norm twice. Post-norm uses it once, on the sum."""

    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


# The sublayer


@mistake
class PostWithoutSublayer(Wrapper):
    """You do not use the sublayer. Add its result to x."""

    def forward(self, x):
        return self.norm(x)


@mistake
class PostHiddenSublayer(Hidden):
    """Optimizers do not find a sublayer inside a list, so it never learns. Keep it as `self.sublayer`."""

    def forward(self, x):
        return self.norm(x + self.parts[0](x))


@mistake(mentions=r"= layer_norm\b")
class PostNormIsFunction(NormIsFunction):
    __doc__ = NormIsFunction.__doc__

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake(mentions=r"= (nn\.)?LayerNorm(?!\()")
class PostNormIsClass(NormIsClass):
    __doc__ = NormIsClass.__doc__

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake("H10", mentions=r"LayerNorm\(", lacks=r"self\.\w+ = (nn\.)?LayerNorm\(")
class PostNormInForward(NormInForward):
    """Your module does not keep its norm. A norm that is made in `forward` is new at every call and never
    learns. Write `self.norm = LayerNorm(d_model)` in `__init__`.
    """

    def forward(self, x):
        return nn.LayerNorm(self.d_model)(x + self.sublayer(x))


@mistake("R8", mentions="[dD]ropout")
class PostDropsSum(Wrapper):
    """This exercise asks for no dropout. The paper applies it to the sublayer's result, never to x."""

    def forward(self, x):
        return self.norm(nn.functional.dropout(x + self.sublayer(x), 0.5))


@mistake(mentions=r"(?<!\.)\bsublayer\(")
class PostSublayerOfSize(SublayerOfSize):
    """`sublayer` is a finished module, not a class. Keep it unchanged, and call it on a tensor in
    `forward`.
    """

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake(mentions=r"detach|\.data\b|no_grad|numpy")
class PostCutOff(Wrapper):
    """`.detach()` and similar calls cut the gradient. It must come back to x on both paths, through the
    sublayer and past it.
    """

    def forward(self, x):
        return self.norm(x.detach() + self.sublayer(x))


@mistake(lacks=r"super\(")
class PostWithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`. It prepares the module for its parts."""

    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
