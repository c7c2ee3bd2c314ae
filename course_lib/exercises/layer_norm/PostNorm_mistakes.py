"""Wrong answers to PostNorm: name, advice, code."""

from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.layer_norm.residual import Hidden, NormInForward, SublayerOfSize, Wrapper

mistake = Mistakes()


# The residual


@mistake("R1")
class PostWithoutResidual(Wrapper):
    """x is not added: nothing is carried past the sublayer."""

    def forward(self, x):
        return self.norm(self.sublayer(x))


@mistake("R2")
class PostFromNormalized(Wrapper):
    """The residual comes from the normalized x. Here the sublayer and the sum both take x itself."""

    def forward(self, x):
        x = self.norm(x)
        return self.norm(x + self.sublayer(x))


@mistake("R6")
class PostNormalizedStream(Wrapper):
    """You normalize x and add the branch: it is their sum that is normalized, x + sublayer(x)."""

    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@mistake("R6")
class PostTwice(Wrapper):
    """x is added twice: count the copies of x, there is exactly one."""

    def forward(self, x):
        return self.norm(x + x + self.sublayer(x))


@mistake("A20")
class PostInPlace(Wrapper):
    """`x += ...` changes the caller's tensor. Make a new one: `x + self.sublayer(x)`."""

    def forward(self, x):
        x += self.sublayer(x)
        return self.norm(x)


# The place of the norm


@mistake("R3")
class PreInPlaceOfPost(Wrapper):
    """x + sublayer(norm(x)) is pre-norm. In post-norm the sum is normalized."""

    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@mistake("R5")
class PostOnBranch(Wrapper):
    """You normalize the sublayer's result: add x first, then normalize the sum."""

    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@mistake
class PostEach(Wrapper):
    """You normalize x and the sublayer's result each: add them first, then normalize the sum."""

    def forward(self, x):
        return self.norm(x) + self.norm(self.sublayer(x))


@mistake
class PostWithoutNorm(Wrapper):
    """The norm is missing: normalize the sum."""

    def forward(self, x):
        return x + self.sublayer(x)


@mistake
class PostBothPlaces(Wrapper):
    """You use the norm twice. Post-norm has one, on the sum; a second would need weights of its own."""

    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


# The sublayer


@mistake
class PostWithoutSublayer(Wrapper):
    """The sublayer is not used: its result is added to x."""

    def forward(self, x):
        return self.norm(x)


@mistake
class PostHiddenSublayer(Hidden):
    """A sublayer inside a list is not found by optimizers, so it never learns. Keep it as `self.sublayer`."""

    def forward(self, x):
        return self.norm(x + self.parts[0](x))


@mistake("H10")
class PostNormInForward(NormInForward):
    """The norm is made in forward, new at every call: it never learns. Make it in `__init__`."""

    def forward(self, x):
        return nn.LayerNorm(self.d_model)(x + self.sublayer(x))


@mistake("R8")
class PostDropsSum(Wrapper):
    """Dropout on the sum drops x itself. The paper drops the sublayer's result; this exercise nothing."""

    def forward(self, x):
        return self.norm(nn.functional.dropout(x + self.sublayer(x), 0.5))


@mistake
class PostSublayerOfSize(SublayerOfSize):
    """`sublayer` is a finished module, no class: keep it as it is, and call it on a tensor in forward."""

    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@mistake
class PostWithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`: it prepares the module for its parts."""

    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
