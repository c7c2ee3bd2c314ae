"""Wrong answers to PreNorm: name, advice, code."""

from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.residual import Hidden, NormInForward, SublayerOfSize, Wrapper

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


@mistake("A20")
class PreInPlace(Wrapper):
    """`x += ...` changes the caller's tensor. Make a new one: `x + ...`."""

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


@mistake("H10")
class PreNormInForward(NormInForward):
    """The norm is made in forward, new at every call: it never learns. Make it in `__init__`."""

    def forward(self, x):
        return x + self.sublayer(nn.LayerNorm(self.d_model)(x))


@mistake("R8")
class PreDropsSum(Wrapper):
    """Dropout on the sum drops x itself. The paper drops the sublayer's result; this exercise nothing."""

    def forward(self, x):
        return nn.functional.dropout(x + self.sublayer(self.norm(x)), 0.5)


@mistake
class PreSublayerOfSize(SublayerOfSize):
    """`sublayer` is a finished module, no class: keep it as it is, and call it on a tensor in forward."""

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake
class PreWithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`: it prepares the module for its parts."""

    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
