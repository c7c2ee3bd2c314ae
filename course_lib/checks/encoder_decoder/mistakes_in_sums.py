"""What learners write for DecoderLayer when its residuals and norms go wrong."""

from course_lib.checks.encoder_decoder.mistakes_in_decoder import mistake


@mistake(
    "R1", advice="Nothing is carried past the sublayers: add each one's input, `x + ...`, before the norm."
)
def no_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.norm1(self.self_attention(x, x, x, mask)[0])
    x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm3(self.feed_forward(x))


@mistake("R1", advice="The cross-attention lacks its residual: add its input x before the second norm.")
def no_second_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    return self.transform(self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0]))


@mistake(
    "R3",
    advice="x + sublayer(norm(x)) is the pre-norm layer of lesson 05. The paper's, which is asked for, is "
    "post-norm: norm(x + sublayer(x)).",
)
def pre_norm(self, x, memory, mask=None, memory_mask=None):
    h = self.norm1(x)
    x = x + self.self_attention(h, h, h, mask)[0]
    x = x + self.cross_attention(self.norm2(x), memory, memory, memory_mask)[0]
    return x + self.feed_forward(self.norm3(x))


@mistake("R5", advice="You normalize the sublayer's result and then add: add first, then normalize the sum.")
def norm_of_branch(self, x, memory, mask=None, memory_mask=None):
    x = x + self.norm1(self.self_attention(x, x, x, mask)[0])
    x = x + self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
    return x + self.norm3(self.feed_forward(x))


@mistake("R11", advice="Memory is what cross-attention reads; what is added is its query, x: `x + attended`.")
def memory_normalized(self, x, memory, mask=None, memory_mask=None):
    x, memory = self.attend(x, mask), self.norm2(memory)
    return self.transform(x + self.cross_attention(x, memory, memory, memory_mask)[0])


@mistake("R9", advice="norm3 is never used: each of the three sublayers has a norm of its own.")
def second_norm_again(self, x, memory, mask=None, memory_mask=None):
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return self.norm2(x + self.feed_forward(x))


@mistake("R9", advice="norm2 and norm3 are never used: each of the three sublayers has a norm of its own.")
def first_norm_always(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm1(x + self.feed_forward(x))


@mistake("R12", advice="The last sublayer's sum is not normalized: `self.norm3(x + ...)` comes last.")
def no_last_norm(self, x, memory, mask=None, memory_mask=None):
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return x + self.feed_forward(x)


@mistake(
    "R10",
    "A20",
    advice="`x += ...` changes the tensor that the caller still holds: write `x = x + ...`, which makes a "
    "new one.",
)
def in_place(self, x, memory, mask=None, memory_mask=None):
    x += self.self_attention(x, x, x, mask)[0]
    return self.transform(self.cross(self.norm1(x), memory, memory_mask))


@mistake("R1", advice="The self-attention lacks its residual: add its input x before the first norm.")
def no_first_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.norm1(self.self_attention(x, x, x, mask)[0])
    return self.transform(self.cross(x, memory, memory_mask))


@mistake("R1", advice="The feed-forward layer lacks its residual: add its input before the third norm.")
def no_third_residual(self, x, memory, mask=None, memory_mask=None):
    x = self.cross(self.attend(x, mask), memory, memory_mask)
    return self.norm3(self.feed_forward(x))


@mistake(
    "R7",
    advice="Each residual starts from its own sublayer's input. Yours all start from the layer's input x, so "
    "that what the sublayers before found is lost.",
)
def residuals_from_the_start(self, x, memory, mask=None, memory_mask=None):
    first = self.attend(x, mask)
    second = self.norm2(x + self.cross_attention(first, memory, memory, memory_mask)[0])
    return self.norm3(x + self.feed_forward(second))


@mistake(
    "R13",
    advice="norm2 and norm3 changed places: norm2 stands after the cross-attention, norm3 after the "
    "feed-forward layer.",
)
def norms_swapped(self, x, memory, mask=None, memory_mask=None):
    x = self.attend(x, mask)
    x = self.norm3(x + self.cross_attention(x, memory, memory, memory_mask)[0])
    return self.norm2(x + self.feed_forward(x))
