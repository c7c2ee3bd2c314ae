"""What learners write for PostNorm and PreNorm."""

from torch import nn

from course_lib.checks.layer_norm.wrappers import PostNorm, PreNorm, Wrapper

post, pre = PostNorm.mistake, PreNorm.mistake

# The residual


@post("R1", advice="x is not added: nothing is carried past the sublayer.")
class PostWithoutResidual(Wrapper):
    def forward(self, x):
        return self.norm(self.sublayer(x))


@pre("R1", advice="x is not added: nothing is carried past the sublayer.")
class PreWithoutResidual(Wrapper):
    def forward(self, x):
        return self.sublayer(self.norm(x))


@post(
    "R2", advice="The residual comes from the normalized x. Here the sublayer and the sum both take x itself."
)
class PostFromNormalized(Wrapper):
    def forward(self, x):
        x = self.norm(x)
        return self.norm(x + self.sublayer(x))


@pre("R2", advice="The residual comes from the normalized x. Keep x itself: the norm only feeds the branch.")
class PreFromNormalized(Wrapper):
    def forward(self, x):
        x = self.norm(x)
        return x + self.sublayer(x)


@post("R6", advice="You normalize x and add the branch: it is their sum that is normalized, x + sublayer(x).")
class PostNormalizedStream(Wrapper):
    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@pre("R6", advice="The norm is on the wrong one: the branch gets norm(x), the stream stays x.")
class PreNormalizedStream(Wrapper):
    def forward(self, x):
        return self.norm(x) + self.sublayer(x)


@post("R6", advice="x is added twice: count the copies of x, there is exactly one.")
class PostTwice(Wrapper):
    def forward(self, x):
        return self.norm(x + x + self.sublayer(x))


@pre("R6", advice="x is added twice: count the copies of x, there is exactly one.")
class PreTwice(Wrapper):
    def forward(self, x):
        return x + x + self.sublayer(self.norm(x))


@post("R10", "A20", advice="`x += ...` changes the caller's tensor. Make a new one: `x + self.sublayer(x)`.")
class PostInPlace(Wrapper):
    def forward(self, x):
        x += self.sublayer(x)
        return self.norm(x)


@pre("R10", "A20", advice="`x += ...` changes the caller's tensor. Make a new one: `x + ...`.")
class PreInPlace(Wrapper):
    def forward(self, x):
        x += self.sublayer(self.norm(x))
        return x


# The place of the norm


@post("R3", advice="x + sublayer(norm(x)) is pre-norm. In post-norm the sum is normalized.")
class PreInPlaceOfPost(Wrapper):
    def forward(self, x):
        return x + self.sublayer(self.norm(x))


@pre(
    "R4",
    advice="norm(x + sublayer(x)) is post-norm: the stream itself is normalized. Here it stays as it is.",
)
class PostInPlaceOfPre(Wrapper):
    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@post("R5", advice="You normalize the sublayer's result: add x first, then normalize the sum.")
class PostOnBranch(Wrapper):
    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@pre("R5", advice="You normalize what the sublayer gives: normalize what it gets.")
class PreOnBranch(Wrapper):
    def forward(self, x):
        return x + self.norm(self.sublayer(x))


@post("R5", advice="You normalize x and the sublayer's result each: add them first, then normalize the sum.")
class PostEach(Wrapper):
    def forward(self, x):
        return self.norm(x) + self.norm(self.sublayer(x))


@post("R11", advice="The norm is missing: normalize the sum.")
class PostWithoutNorm(Wrapper):
    def forward(self, x):
        return x + self.sublayer(x)


@pre("R11", advice="The norm is missing: feed the sublayer norm(x).")
class PreWithoutNorm(Wrapper):
    def forward(self, x):
        return x + self.sublayer(x)


@post(
    "R9",
    advice="You use the norm twice. Post-norm has one, on the sum; a second would need weights of its own.",
)
class PostBothPlaces(Wrapper):
    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


@pre(
    "R9",
    advice="You use the norm twice, before the branch and on the sum: leave the sum alone, the path of x "
    "stays free.",
)
class PreBothPlaces(Wrapper):
    def forward(self, x):
        return self.norm(x + self.sublayer(self.norm(x)))


@pre(
    "R9",
    advice="You use the norm twice, before and after the sublayer: normalize only what the sublayer gets.",
)
class PreAroundBranch(Wrapper):
    def forward(self, x):
        return x + self.norm(self.sublayer(self.norm(x)))


# The sublayer


@post("R12", advice="The sublayer is not used: its result is added to x.")
class PostWithoutSublayer(Wrapper):
    def forward(self, x):
        return self.norm(x)


@pre("R12", advice="The sublayer is not used: it gets norm(x), and its result is added to x.")
class PreWithoutSublayer(Wrapper):
    def forward(self, x):
        return x + self.norm(x)


class Hidden(nn.Module):
    """A sublayer in a list, which modules do not look into."""

    def __init__(self, d_model, sublayer):
        super().__init__()
        self.norm, self.parts = nn.LayerNorm(d_model), [sublayer]


@post(
    "R13",
    advice="A sublayer inside a list is not found by optimizers, so it never learns. Keep it as "
    "`self.sublayer`.",
)
class PostHiddenSublayer(Hidden):
    def forward(self, x):
        return self.norm(x + self.parts[0](x))


@pre(
    "R13",
    advice="A sublayer inside a list is not found by optimizers, so it never learns. Keep it as "
    "`self.sublayer`.",
)
class PreHiddenSublayer(Hidden):
    def forward(self, x):
        return x + self.parts[0](self.norm(x))


class NormInForward(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.d_model, self.sublayer = d_model, sublayer


@post("R14", advice="The norm is made in forward, new at every call: it never learns. Make it in `__init__`.")
class PostNormInForward(NormInForward):
    def forward(self, x):
        return nn.LayerNorm(self.d_model)(x + self.sublayer(x))


@pre("R14", advice="The norm is made in forward, new at every call: it never learns. Make it in `__init__`.")
class PreNormInForward(NormInForward):
    def forward(self, x):
        return x + self.sublayer(nn.LayerNorm(self.d_model)(x))


@post(
    "R8",
    advice="Dropout on the sum drops x itself. The paper drops the sublayer's result; this exercise nothing.",
)
class PostDropsSum(Wrapper):
    def forward(self, x):
        return self.norm(nn.functional.dropout(x + self.sublayer(x), 0.5))


@pre(
    "R8",
    advice="Dropout on the sum drops x itself. The paper drops the sublayer's result; this exercise nothing.",
)
class PreDropsSum(Wrapper):
    def forward(self, x):
        return nn.functional.dropout(x + self.sublayer(self.norm(x)), 0.5)


class SublayerOfSize(Wrapper):
    def __init__(self, d_model, sublayer):
        super().__init__(d_model, sublayer(d_model))


CLASS = "`sublayer` is a finished module, no class: keep it as it is, and call it on a tensor in forward."


@post("R15", advice=CLASS)
class PostSublayerOfSize(SublayerOfSize):
    def forward(self, x):
        return self.norm(x + self.sublayer(x))


@pre("R15", advice=CLASS)
class PreSublayerOfSize(SublayerOfSize):
    def forward(self, x):
        return x + self.sublayer(self.norm(x))


SUPER = "Begin `__init__` with `super().__init__()`: it prepares the module for its parts."


@post("Z1", advice=SUPER)
class PostWithoutSuper(nn.Module):
    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)


@pre("Z1", advice=SUPER)
class PreWithoutSuper(nn.Module):
    def __init__(self, d_model, sublayer):
        self.norm = nn.LayerNorm(d_model)
