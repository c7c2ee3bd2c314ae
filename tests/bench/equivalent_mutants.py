"""Slips that change nothing that an exercise asks for, each with the reason.

By exercise, or by exercise and variant: operator, what the change reads (`before -> after`, with … for
anything), the reason. An operator or an exercise may be "*", and "test_*" are the exercises whose answer is a
test.
"""

import re
from itertools import product

from mutation import Mutant

Entry = tuple[str, str, str]


def explained(exercise: str, mutant: Mutant, variant: str = "") -> Entry | None:
    """The entry that says why a slip may have full points; None where nothing is known of it."""
    for operator, change, why in [*EQUIVALENT.get(f"{exercise} [{variant}]", []), *entries(exercise)]:
        fits = operator in (mutant.operator, "*")
        if fits and re.fullmatch(".*".join(map(re.escape, change.split("…"))), mutant.change):
            return operator, change, why
    return None


def entries(exercise: str) -> list[Entry]:
    tests = EQUIVALENT["test_*"] if exercise.startswith("test_") else []
    return EQUIVALENT.get(exercise, []) + tests + EQUIVALENT["*"]


SHIFT = "A softmax does not feel what is subtracted from a whole row, and neither does its gradient."
FACTOR = "A factor in numerator and denominator cancels."
TINY = "The number is there only to prevent 0/0, and is far below the tolerance."
SQUARE = "A square or an absolute value does not feel the sign."
ONCE_MORE = "Doing it twice gives what doing it once gives."
SYMMETRIC = "The two operands may change places."
ALONE = "Here the axis has the size 1, or is summed or reshaped away later."
SAME_AXIS = "It is the same axis, counted from the other end."
LAST_OF_THREE = "There are three: the last is counted from either end."
SAME_DEFAULT = "That is the default."
SAME_NUMBER = "There it is this number, by the text of the exercise."
ANY_ORDER = "The text leaves the order, and the kind of sequence, open."
DRAWN = "It changes numbers that are drawn at random, which may be any."
IN_PLACE = "What is written in place needs no gradient."
SAME_LENGTH = "The two are equally long."
TIMES_ZERO = "It is multiplied by 0."
WEIGHTS_ONLY = "Gradients are asked of the output: the weights may be returned without."
MASK = "A mask counts as 0 and 1 in a product anyway."
EXACT = "Zeros, ones and infinities stay what they are, and what is huge stays huge."
COUNTED = "`len` makes a number of it."
FIRST_ONLY = "It is called once for each instance, or gets the same again."

NO_MASK = "Without a mask there is nothing to mask, and nothing to leave out."
BIG = "Any number far below all scores masks them."

OTHER_TEST = (
    "Another example or tolerance: the test passes right code and catches each broken piece as before."
)
TRAINS = "The model is in training mode by then."
SAME_KIND = "The check takes a number in either box."
MESSAGE = "It is in the text of an error that no right call raises."
INDEPENDENT = "Statements change places that do not depend on each other."
TIED = "Its weight is replaced by the other table, which has the right shape."
ANEW = "Both stacks are made anew afterwards."
EVEN = "d_model is even, so the last step ends at the same number."
CLOSE = "The numbers change by less than the tolerance."
FILLED = "Every number is written over."
ANY_START = "The text leaves open with which numbers it begins."
NORMALIZED = "The norm divides the factor out."
SMALL_EPS = "The text leaves the norm's eps open, and a small one is below the tolerance."
HERE = "On the CPU the default device is the same."
BROADCAST = "It broadcasts to the same."
SPARSE = "The gradient has the same numbers, in either layout."
TWO = "They are two, from either end."
BOUNDED = "Sines and cosines, and probabilities, stay below the bound."

EQUIVALENT: dict[str, list[Entry]] = {
    "chunk_mask": [
        ("twice", " -> seen = seen & …", ONCE_MORE),
        ("in_place", "rows = past + … -> past += …; rows = past", SAME_NUMBER),
    ],
    "chunk_mask [two pieces side by side]": [
        ("other_comparison", "… == 1 -> … >= 1", MASK),
        ("dropped_argument", "own = torch.zeros(…, dtype=torch.bool) -> own = torch.zeros(…)", MASK),
        ("dropped_argument", "hidden = …expand(len(padding), -1)… -> hidden = …expand(-1)…", ALONE),
        ("dropped_call", "hidden = …expand(len(padding), -1)… -> hidden = …", ALONE),
    ],
    "chunk_mask [loops in plain Python]": [
        ("another_kind", "return […] -> return tuple([…])", ANY_ORDER),
        ("other_number", "…row(i, 0)… -> …row(i, -…)…", "No column is below 0."),
    ],
    "CachedAttention": [
        (
            "off_by_one",
            "angle = torch.arange(max_length)… -> …[:-1, None]…",
            "No text of a check is so long.",
        ),
        ("off_by_one", "angle = …torch.arange(0, d_k, 2)… -> …torch.arange(0, d_k - 1, 2)…", SAME_LENGTH),
        ("almost", "whole = new.new_empty(…) -> …", "All of it is written afterwards."),
        ("other_comparison", "…mask == 0… -> …mask <= 0…", MASK),
        ("swapped_arguments", "…mask[:, :, None] -> …mask[:, None, :]", ALONE),
    ],
    "beam_step [sorted in plain Python]": [
        ("twice", " -> found = sorted(…", ONCE_MORE),
        ("dropped_argument", "found = sorted(…key=…) … -> found = sorted(…", SAME_DEFAULT),
        (
            "dropped_argument",
            "found = sorted(found, key=… -> found = sorted(found, reverse=True)…",
            SAME_DEFAULT,
        ),
    ],
    "beam_step": [
        ("dropped_argument", "….topk(each, dim=-1) -> ….topk(each)", SAME_DEFAULT),
        ("dropped_argument", "…log_softmax(logits, dim=1) -> …log_softmax(logits)", SAME_DEFAULT),
        ("dropped_call", "….clone()) -> …", "The check does not write into a result."),
    ],
    "blockwise_attention": [
        ("sibling", "new = torch.maximum(…amax(…)) -> new = torch.maximum(…logsumexp(…))", SHIFT),
        ("sibling", "highest, total, output, place = … -> highest, total, output, place = …", TIMES_ZERO),
        (
            "other_number",
            "maximum, total, output, place = … -> maximum, total, output, place = …",
            TIMES_ZERO,
        ),
        ("almost", "weights = (scores - highest).exp() -> … * 1.001", FACTOR),
        ("dropped_call", "scores[later.expand_as(scores)] = … -> scores[later] = …", ALONE),
        ("swapped_statements", "… -> …", "Neither line reads what the other writes."),
    ],
    "*": [
        ("detached", "nn.init.… -> nn.init.…", IN_PLACE),
        ("almost", "… = torch.zeros…(…) -> … * 1.001", EXACT),
        ("almost", "…torch.exp(scores - …max(…)…) -> … * 1.001", FACTOR),
        ("*", "…torch.exp(scores - …max(…)…) -> …torch.exp(scores - …max(…).detach())", SHIFT),
        ("*", "…torch.exp(scores - …max(…)…) -> …torch.exp(scores - …max(…).values.detach())", SHIFT),
        ("*", "…torch.exp(scores - …max(…)…) -> …torch.exp(scores - scores.detach()…max(…)…)", SHIFT),
        ("twice", " -> weights = weights / weights.sum(…)", ONCE_MORE),
        ("sibling", "…torch.exp(scores - scores.amax(…)) -> …torch.exp(scores - scores.logsumexp(…))", SHIFT),
        ("only_sometimes", "scores = scores.masked_fill(… -> if mask is not None:; …", NO_MASK),
        ("only_sometimes", "scores = torch.where(mask, … -> if mask is not None:; …", NO_MASK),
        ("only_sometimes", "mask = mask… -> if mask is not None:; …", NO_MASK),
        ("sometimes_without_mask", "… -> …mask if mask is not None else None…", NO_MASK),
        ("sometimes_without_mask", "… -> …mask == 0 if mask is not None else None…", NO_MASK),
        ("sometimes_without_mask", "… -> …mask.logical_not() if mask is not None else None…", NO_MASK),
        ("twice", " -> scores = scores.masked_fill(…)", ONCE_MORE),
        ("twice", " -> scores = torch.where(mask, …", ONCE_MORE),
        ("*", "…torch.finfo(… -> …", BIG),
        ("detached", "… -> …torch.exp(scores - scores.max(…)[0].detach())", SHIFT),
    ],
    "scaled_dot_product_attention": [
        ("other_comparison", "…mask == 0… -> …mask <= 0…", "A mask has no negative numbers."),
        (
            "almost",
            "bias = … -> bias = …",
            "Without a mask the bias is 0, and a row of equal bias is not felt.",
        ),
        (
            "sibling",
            "bias = … -> bias = …",
            "Without a mask the bias is 0, and a row of equal bias is not felt.",
        ),
        ("dropped_operand_sometimes", "… + bias… -> … + bias if mask is not None else …", NO_MASK),
        (
            "other_number",
            "…scores.max(dim=-1, keepdim=True)[0]… -> …scores.max(dim=-1, keepdim=True)[-2]…",
            "Of two results the first is the last but one.",
        ),
    ],
    "padding_mask": [
        (
            "other_number",
            "….view(ids.shape[0], 1, … -> ….view(ids.shape[0], -1, …",
            "The size left over is 1.",
        ),
        ("swapped_operands", "…(ids - pad)… -> …(pad - ids)…", "Only whether they are equal counts."),
    ],
    "softmax": [
        ("*", "… -> …(scores - scores.max(dim=-1).values.detach().unsqueeze(-1)).exp()", SHIFT),
        ("*", "… -> …(scores - scores.max(dim=-1).values.unsqueeze(-1).detach()).exp()", SHIFT),
        ("*", "… -> …(scores - scores.detach().max(dim=-1).values.unsqueeze(-1)).exp()", SHIFT),
        ("almost", "exponentials = … -> exponentials = … * 1.001", FACTOR),
        ("almost", "powers = … -> powers = … * 1.001", FACTOR),
        ("detached", "… -> …row.max().detach()…", SHIFT),
        ("detached", "… -> …row.detach().max()…", SHIFT),
        ("detached", "… -> largest, _ = torch.max(scores.detach(), -1, keepdim=True)", SHIFT),
        ("detached", "… -> …scores.amax(-1, keepdim=True).detach()…", SHIFT),
        ("detached", "… -> …scores.detach().amax(-1, keepdim=True)…", SHIFT),
        ("*", "… -> exponentials = torch.exp(scores - largest)", SHIFT),
        ("*", "… -> exponentials = torch.exp(scores - largest.detach().detach())", SHIFT),
        ("sibling", "… -> …scores.logsumexp(…", SHIFT),
        (
            "sibling",
            "…torch.stack(…).reshape(… -> …torch.cat(…).reshape(…",
            "Rows in a row or stacked are reshaped to the same.",
        ),
        ("*", "… + 1e-09) -> …", TINY),
        ("dropped_argument", "…, nan=0.0) -> …)", SAME_DEFAULT),
        (
            "swapped_arguments",
            "…scores[..., :, None] -> …scores[:, ..., None]",
            "Both add an axis after the last.",
        ),
    ],
    "masked_mean": [
        ("*", "…words[0] * 0… -> …words[…] * 0…", TIMES_ZERO),
        ("detached", "…words[0] * 0… -> …words[0].detach() * 0…", TIMES_ZERO),
        ("dropped_call", "…mask.float()… -> …mask…", MASK),
        ("almost", "weights = … -> … * 1.001", FACTOR),
        ("almost", "scores = … -> … * 1.001", "The scores of words stay equal, at 0."),
        ("sibling", "… -> scores = torch.ones(…", "All scores are equal, whatever they are."),
        ("sibling", "….squeeze(1) -> ….flatten(1)", ALONE),
        ("other_operation", "… + 1e-09) -> …", TINY),
    ],
    "Vocabulary": [
        ("another_kind", "return len(…) -> return torch.tensor(len(…))", COUNTED),
        (
            "another_kind",
            "return sorted(…) -> return …(sorted(…))",
            "The words are listed in the same order.",
        ),
        ("hard_coded", "… -> ….get(word, 3)…", SAME_NUMBER),
        ("hard_coded", "… -> …else 3 for word in words]", SAME_NUMBER),
        (
            "sibling",
            "…self.ids.get(word, UNK)… -> …self.ids.setdefault(word, UNK)…",
            "The words are counted elsewhere, so an entry more is not seen.",
        ),
        (
            "sibling",
            "…self.ids.get(word, 3)… -> …self.ids.setdefault(word, 3)…",
            "The words are counted elsewhere, so an entry more is not seen.",
        ),
        (
            "sibling",
            "…self.word_to_id.get(word, …)… -> …self.word_to_id.setdefault(word, …)…",
            "The words are counted elsewhere, so an entry more is not seen.",
        ),
        (
            "sibling",
            "counts = Counter(…) -> counts = set(…)",
            "Only the words are used, not how often they come.",
        ),
        ("kept", "return sorted(…", FIRST_ONLY),
        ("kept", "self.…", FIRST_ONLY),
        ("kept", "words = {i: word for word, i in self.ids.items()} -> …", FIRST_ONLY),
    ],
    "TokenEmbedding": [
        ("almost", "rows = torch.randn(… -> …", DRAWN),
        ("*", "self.table = nn.Embedding(vocab, d_model) -> …", "Its weight is replaced by another."),
        ("dropped_argument", "…, sparse=True) -> …padding_idx=pad)", SPARSE),
        ("other_number", "…sparse=True) -> …sparse=False)", SPARSE),
        ("detached", "self.table.weight.normal_(…) -> self.table.weight.detach().normal_(…)", IN_PLACE),
    ],
    "skipgram_pairs": [
        ("another_kind", "return … -> return tuple(…)", ANY_ORDER),
        ("another_kind", "return … -> return …[::-1]", ANY_ORDER),
        ("another_kind", "return … -> return sorted(…)", ANY_ORDER),
        (
            "swapped_arguments",
            "…",
            "If one word is near another, the other is near it: all pairs come both ways.",
        ),
        ("swapped_operands", "…abs(i - j)… -> …abs(j - i)…", SQUARE),
    ],
    "negative_sampling_loss": [
        ("swapped_arguments", "…'pd,pd->p', center, context) -> …", SYMMETRIC),
        ("swapped_arguments", "…torch.logaddexp(…", SYMMETRIC),
        ("swapped_operands", "…(c @ o… -> …(o… @ c)…", SYMMETRIC),
        ("*", "….squeeze(-1)… -> …", ALONE),
        ("other_name", "…len(center) -> …", SAME_LENGTH),
        ("other_number", "…dim=1) -> …dim=-2)", SAME_AXIS),
        ("kept", "… = 0 -> …", "It is the same in every call."),
        ("kept", "… = 1 -> …", "It is the same in every call."),
        ("kept", "zero = … -> …", "It is the same in every call."),
    ],
    "nearest": [
        ("dropped_argument", "…F.normalize(table, dim=-1)… -> …F.normalize(table)…", SAME_DEFAULT),
        ("dropped_argument", "…F.cosine_similarity(…, dim=1)… -> …", SAME_DEFAULT),
        ("swapped_arguments", "…F.cosine_similarity(… -> …", SYMMETRIC),
        ("other_operation", "… + 1e-09) -> …", TINY),
        ("other_name", "…range(len(cosine))… -> …range(len(table))…", SAME_LENGTH),
    ],
    "attention_pooling": [
        ("swapped_operands", "…query…key… -> …key…query…", SQUARE),
        ("swapped_operands", "…(q - k) ** 2… -> …(k - q) ** 2…", SQUARE),
        ("dropped_call", "….abs()… -> …", SQUARE),
    ],
    "additive_attention": [
        ("other_number", "… = torch.stack(rows, dim=1) -> …dim=-2)", SAME_AXIS),
        ("other_number", "…torch.stack(scores, dim=-1)… -> …dim=1)…", SAME_AXIS),
    ],
    "gru_cell": [
        ("other_number", "…[2]… -> …[-1]…", LAST_OF_THREE),
        ("other_number", "…:2]… -> …:-1]…", LAST_OF_THREE),
        ("other_number", "…2 * hidden… -> …-1 * hidden…", LAST_OF_THREE),
        ("other_number", "…(2, hidden)… -> …(-1, hidden)…", "What is left over has that size."),
        ("other_number", "cut = …range(3)] -> cut = …range(4)]", "Nothing reads the fourth."),
        ("swapped_arguments", "…zip(words[:2], states[:2]… -> …zip(states[:2], words[:2]…", SYMMETRIC),
        (
            "swapped_arguments",
            "…linear(old, U.T)… -> …linear(U.T, old)…",
            "Both are the product with a vector.",
        ),
    ],
    "decoder_step": [
        ("other_number", "…[:, 0]… -> …[:, -1]…", ALONE),
        ("other_number", "…weights[:, 0, :]… -> …weights[:, -1, :]…", ALONE),
        ("other_number", "…, memory, memory)[1] -> …, memory, memory)[-1]", "There are two."),
        ("other_number", "…(word, context), 1)… -> …(word, context), -1)…", SAME_AXIS),
        ("other_number", "…reshape(len(state), 1, … -> …reshape(len(state), -1, …", "One is left over."),
        ("sibling", "….squeeze(1)… -> ….flatten(1)…", ALONE),
        ("sibling", "….flatten(1)… -> ….squeeze(1)…", ALONE),
        ("sibling", "….flatten()… -> ….squeeze()…", ALONE),
        ("swapped_statements", "rows.append(weights.flatten()) -> …", INDEPENDENT),
        ("other_name", "…len(…)… -> …len(…)…", SAME_LENGTH),
        ("*", "…state[i:i + 1])[0]… -> …state[i:…])[0]…", "Only the first row of the result is kept."),
        ("other_number", "…state[i:i + 1])[0]… -> …state[i:i + 1])[-1]…", ALONE),
        ("twice", " -> weights = weights.flatten(1)", ONCE_MORE),
    ],
    "split_heads": [
        ("*", "raise ValueError(… -> raise ValueError(…", MESSAGE),
        ("other_comparison", "assert … == 0… -> assert … <= 0…", "A remainder is never below 0."),
        ("swapped_statements", "d_k = …", INDEPENDENT),
        ("dropped_call", "….contiguous() -> …", "Only the layout in memory differs."),
        ("other_number", "…swapaxes(1, 2)… -> …swapaxes(1, -2)…", SAME_AXIS),
        ("other_number", "…x.shape[:2]… -> …x.shape[:-1]…", SAME_AXIS),
    ],
    "merge_heads": [("other_number", "…, dim=1) -> …, dim=-2)", SAME_AXIS)],
    "MultiHeadAttention": [
        ("another_kind", "return (… -> return list((…", "A tuple or a list of two does."),
        ("other_number", "….transpose(1, 2) -> ….transpose(-2, 2)", SAME_AXIS),
        ("other_name", "mask = mask.expand(len(scores) // …", "Query, key and value have one batch size."),
        ("sometimes_without_mask", "… -> …mask… if mask is not None else None…", NO_MASK),
        ("other_comparison", "…mask.unsqueeze(-3) == 0… -> …mask.unsqueeze(-3) <= 0…", "A mask is 0 or 1."),
        ("other_comparison", "…mask.dim() == 2 … -> …mask.dim() <= 2 …", "A mask has two axes or three."),
        ("twice", " -> mask = mask.expand(…", ONCE_MORE),
        ("other_number", "…scores.shape[1:]) -> …scores.shape[-2:])", SAME_AXIS),
        ("*", "identity = torch.eye(…).expand(… -> identity = torch.eye(…", BROADCAST),
        ("detached", "return (… -> return (…detach()…, identity, mask))", WEIGHTS_ONLY),
        ("only_sometimes", "mask = None if mask is None else … -> if mask is not None:; …", NO_MASK),
        ("detached", "return (… -> return (…, weights.detach()…", WEIGHTS_ONLY),
    ],
    "attention_cost": [
        ("other_operation", "…d_model // heads… -> …d_model / heads…", "The heads divide d_model."),
        ("swapped_statements", "d_k = …", INDEPENDENT),
        ("almost", "d_k = … -> …", "The heads divide d_model."),
        ("another_kind", "return … -> …int(…", SAME_KIND),
        ("another_kind", "return … -> …round(…", SAME_KIND),
        ("another_kind", "return [… -> return tuple([…", "A tuple or a list of two does."),
        ("another_kind", "… -> …float(…", SAME_KIND),
        ("another_kind", "… -> …torch.tensor(…", SAME_KIND),
        (
            "swapped_arguments",
            "…product(target, source, d_k)… -> …",
            "The cost is the product of the three sizes.",
        ),
        ("swapped_arguments", "…product(… -> …product(…", "The cost is the product of the three sizes."),
    ],
    "sinusoidal_encoding": [
        ("sibling", "…torch.zeros(… -> …", FILLED),
        ("dropped_argument", "…dtype=torch.float64)… -> …", CLOSE),
        ("other_number", "…10000 … -> …", CLOSE),
        ("other_number", "…(10000, … -> …", CLOSE),
        ("sibling", "…math.log(… -> …math.log1p(…", CLOSE),
        ("other_number", "…(start_dim=1)… -> …(start_dim=-2)…", SAME_AXIS),
        ("other_number", "…% 2… -> …% -2…", "Only whether it is 0 counts."),
        ("other_comparison", "…% 2 == 0… -> …% 2 <= 0…", "A remainder is never below 0."),
        ("off_by_one", "…(0, d_model, 2… -> …(0, d_model + 1, 2…", "A column too many is cut off."),
        ("*", "pairs = (d_model + 1) // 2 -> …", "A column too many is cut off."),
        ("dropped_argument", "…torch.ones(length, pairs)… -> …torch.ones(pairs)…", BROADCAST),
        (
            "swapped_statements",
            "rows.append(row) -> rows.append(row)",
            "It is the same list, before or after it is filled.",
        ),
        ("off_by_one", "…0::2… -> …::2…", "The same columns."),
        ("almost", "… -> ….clamp(-3, 3)", BOUNDED),
    ],
    "shift_matrix": [
        ("in_place", "…", "k is a number: nobody else sees that it changes."),
        ("dropped_argument", "…, dtype=torch.float64) … -> …", CLOSE),
        ("other_number", "…10000 ** … -> …", CLOSE),
        ("other_comparison", "…k > 0 … -> …k >= 0 …", "The sine of 0 has no sign."),
        ("other_number", "sine = … if k > 0 … -> … if k > -1 …", "The sine of 0 has no sign."),
        (
            "*",
            "table = encoding_of(2000, d_model)… -> table = …",
            "Any table long enough gives the same matrix.",
        ),
        ("hard_coded", "…len(table)… -> …2000…", "The table has this length always."),
        ("almost", "matrix = torch.eye(d_model) -> …", FILLED),
        ("off_by_one", "…(0, d_model, 2… -> …(0, d_model - 1, 2…", EVEN),
        ("another_kind", "… -> ….float().unsqueeze(0)", "The angles broadcast."),
    ],
    "add_positions": [
        ("off_by_one", "… -> …- 1, 2)…", EVEN),
        ("other_number", "….flatten(1)… -> ….flatten(-2)…", SAME_AXIS),
        ("almost", "exponents = … -> ….clamp(-3, 3)", "Exponents lie between 0 and 1."),
    ],
    "LayerNorm": [
        ("almost", "self.…eps… -> … * 1.001…", CLOSE),
        ("almost", "self.smallest = eps -> …", CLOSE),
        ("almost", "rows = … -> … * 1.001", NORMALIZED),
        (
            "other_name",
            "…torch.ones(size)… -> …(d_model)…",
            "`torch.ones` takes a size, alone or in a tuple.",
        ),
        ("swapped_arguments", "…torch.addcmul(… -> …", SYMMETRIC),
        ("swapped_statements", "nn.init… -> …", INDEPENDENT),
        ("swapped_statements", "size = …", INDEPENDENT),
        ("swapped_statements", "self.register_parameter(… -> …", INDEPENDENT),
        ("kept", "size = x.shape[-1] -> …", "A layer serves one width."),
    ],
    "layer_norm": [
        ("swapped_operands", "…(x - mean) ** 2… -> …(mean - x) ** 2…", SQUARE),
        ("swapped_operands", "…(feature - mean) ** 2… -> …(mean - feature) ** 2…", SQUARE),
        (
            "detached",
            "variance = … -> variance = …- mean.detach()) ** 2…",
            "Deviations sum to 0, so the variance does not feel the mean.",
        ),
        ("swapped_arguments", "…torch.addcmul(… -> …", SYMMETRIC),
        ("in_place", "… -> x @= …; deviations = x", "`@=` makes a new tensor."),
        ("almost", "deviations = … -> … * 1.001", NORMALIZED),
        (
            "other_name",
            "length = … -> …",
            "Deviations sum to 0, so their product with x is that with themselves.",
        ),
        (
            "sibling",
            "tokens.append(… -> tokens.extend(…",
            "The numbers are stacked and reshaped to the same.",
        ),
        (
            "sibling",
            "…torch.stack(tokens)… -> …torch.cat(tokens)…",
            "The numbers are stacked and reshaped to the same.",
        ),
        ("other_name", "…len(token)… -> …len(…", SAME_LENGTH),
        ("swapped_statements", "size = …", INDEPENDENT),
    ],
    "PreNorm": [
        ("almost", "branch = x -> branch = x * 1.001", NORMALIZED),
        ("other_number", "…eps=1e-05) -> …", SMALL_EPS),
        ("dropped_call", "….clone() -> …", "The sublayer's result is a tensor of its own."),
        ("dropped_argument", "…eps=1e-05) -> …", SAME_DEFAULT),
    ],
    "PostNorm": [
        ("almost", "total = … -> … * 1.001", NORMALIZED),
        ("sibling", "….sum(dim=0) -> ….mean(dim=0)", NORMALIZED),
        ("other_number", "…eps=1e-05) -> …", SMALL_EPS),
        ("dropped_call", "….clone() -> …", "The sublayer's result is a tensor of its own."),
        ("dropped_argument", "…eps=1e-05) -> …", SAME_DEFAULT),
    ],
    "EncoderLayer": [
        ("almost", "added = … -> … * 1.001", NORMALIZED),
        ("swapped_arguments", "…self.add_and_norm(x, … -> …self.add_and_norm(…, x, …", SYMMETRIC),
        ("other_number", "…[0]… -> …[-2]…", "Of two the first is the second from the end."),
    ],
    "DecoderLayer": [("other_number", "…[0]… -> …[-2]…", "Of two the first is the second from the end.")],
    "Transformer": [
        ("swapped_statements", "…self.decoder…", INDEPENDENT),
        ("swapped_statements", "x = self.…", INDEPENDENT),
        ("swapped_statements", "encoder, decoder = …", INDEPENDENT),
        ("*", "self.output = nn.Linear(… -> self.output = nn.Linear(…, bias=False)", TIED),
        (
            "other_name",
            "self.target_embedding = … -> self.target_embedding = TokenEmbedding(…, d_model)",
            TIED,
        ),
        (
            "other_number",
            "… = PositionalEncoding(… -> … = PositionalEncoding(d_model, 129)",
            "128 fit all the same.",
        ),
        (
            "dropped_operand",
            "…padding(target) & causal(target.shape[1])… -> …causal(target.shape[1])…",
            "Padding stands on the right: the causal mask hides it from every word that counts.",
        ),
        ("sometimes_without_mask", "…if memory_mask is not None else None…", "It is never None."),
        ("twice", "… -> x = reduce(…, self.decoder, start)", ONCE_MORE),
    ],
    "DecoderLayer [parts made in another order, as nn.LayerNorm]": [
        ("swapped_arguments", "for name in (… -> for name in (…", ANY_ORDER),
    ],
    "parameter_count": [
        ("swapped_arguments", "…feed_forward(d_model, d_ff)… -> …feed_forward(d_ff, d_model)…", SYMMETRIC),
        ("swapped_arguments", "table = nn.Embedding(… -> …", SYMMETRIC),
        ("in_place", "total = vocab * d_model -> …", "The vocabulary is not asked for again."),
        ("*", "…, batch_first=True) -> …", "It changes no weight."),
        ("another_kind", "return … -> return torch.tensor(…)", "NumPy's number is made of it."),
    ],
    "Transformer [copies of one layer (X7: they begin alike, and training moves each its own way)]": [
        ("*", "super().__init__(… -> super().__init__(source_vocab, target_vocab, d_model, …", ANEW),
        ("deleted", "self.…coder = nn.ModuleList(… -> …", "The base class has made a stack."),
    ],
    "smoothed_loss": [
        ("*", "…torch.full((int(real.sum()), … -> …torch.full((real.sum(), …", SAME_KIND),
        ("other_number", "…scatter_add_(1, … -> …scatter_add_(-1, …", SAME_AXIS),
        (
            "*",
            "wanted.scatter_add_(1, …torch.full((len(wanted), 1)… -> wanted.scatter_add_(1, …torch.full((…",
            "More rows or columns than ids are not read.",
        ),
        ("other_number", "…, dim=1).mean() -> …, dim=-1).mean()", SAME_AXIS),
        ("swapped_arguments", "total, count, vocab = (0.0, 0, … -> …", SAME_KIND),
        ("swapped_statements", "log_probs = …", INDEPENDENT),
        ("swapped_operands", "… @ … -> … @ …", SYMMETRIC),
        (
            "dropped_call",
            "….log_softmax(dim=-1), wanted) -> …",
            "`cross_entropy` takes the log-softmax itself.",
        ),
        ("other_number", "….transpose(1, 2)… -> ….transpose(1, -1)…", SAME_AXIS),
    ],
    "train_step": [
        ("swapped_statements", "optimizer.zero_grad(…", INDEPENDENT),
        ("swapped_statements", "read, answer = …", INDEPENDENT),
        ("swapped_statements", "loss = …", INDEPENDENT),
        ("only_sometimes", "model.train() -> …", ONCE_MORE),
        (
            "*",
            "optimizer.zero_grad(set_to_none=False) -> optimizer.zero_grad(…",
            "None or zeros: the next gradient is added to nothing.",
        ),
        ("dropped_call", "….detach().item() -> ….item()", "`item` detaches."),
        (
            "sibling",
            "…list(model.parameters()) -> …set(model.parameters())",
            "Each parameter gets its own gradient, in any order.",
        ),
        ("swapped_statements", "loss = …", INDEPENDENT),
    ],
    "attention_maps": [
        (
            "other_rows",
            "…model.named_modules()… -> …",
            "The first is the model itself, the last its output layer.",
        ),
        ("almost", "…name… -> …name….lower()…", "Names of modules are in small letters."),
        ("almost", "…name… -> ….lower()", "Names of modules are in small letters."),
        ("almost", "…name… -> ….strip()", "Names of modules have no spaces."),
        ("other_number", "…result[1]… -> …result[-1]…", "An attention returns a pair."),
    ],
    "transplant [a layer around the last one, for a while]": [
        ("only_sometimes", "… -> …self.training:…", "The new layer is in training mode."),
        ("twice", " -> result = result.index_copy(…", ONCE_MORE),
        ("other_number", "….index_copy(1, … -> ….index_copy(-2, …", SAME_AXIS),
        ("other_number", "…memory[0]… -> …memory[-1]…", ALONE),
    ],
    "transplant": [
        ("swapped_statements", "; def keep(… -> …", INDEPENDENT),
        ("swapped_statements", "; def put(… -> …", INDEPENDENT),
        ("swapped_statements", "h…register_forward_hook(keep) -> …", INDEPENDENT),
        ("swapped_statements", "try:; model(other, … -> …", INDEPENDENT),
        ("swapped_statements", "handle.remove() -> handle.remove()", INDEPENDENT),
        ("detached", "…", "Ids have no gradient."),
        ("sibling", "with torch.no_grad(): -> with torch.enable_grad():", "Ids have no gradient."),
        ("dropped_call", "….detach()… -> …", "Ids have no gradient, and what is kept is not written into."),
        ("dropped_call", "changed = ….clone() -> …", "What a layer returns is new: it may be written into."),
        ("deleted", "return None -> ", "That is what a function without it returns."),
        (
            "*",
            "model(other, torch.full(… -> model(other, torch.full(…",
            "The memory knows nothing of the target.",
        ),
        ("other_number", "…memories[0]… -> …memories[-1]…", ALONE),
        ("other_number", "…kept[0]… -> …kept[-1]…", ALONE),
        ("other_number", "…result[0, … -> …result[-1, …", ALONE),
        ("other_number", "…['memory'][0, … -> …['memory'][-1, …", ALONE),
    ],
    "greedy_decode": [
        ("only_sometimes", "model.eval() -> if model.training:; model.eval()", ONCE_MORE),
        (
            "off_by_one",
            "best = model(source, target[:, :t + 1])…[:, t]… -> best = model(source, target[:, :t + 1 + 1])…",
            "Row t is about the word after `target[:, t]`: it does not depend on what comes after that.",
        ),
        (
            "off_by_one",
            "done = (target[:, :t + 1] == EOS)… -> done = (target[:, :t + 1 + 1] == EOS)…",
            "What is not written yet is padding.",
        ),
    ],
    "make_batches": [
        *(
            ("other_number", f"…{pair}[{place}]… -> …{pair}[{place - 2}]…", TWO)
            for pair in ("pair", "pairs[i]")
            for place in (0, 1)
        ),
        ("other_name", "…len(in_order)… -> …len(pairs)…", SAME_LENGTH),
        ("other_name", "…len(order)… -> …len(pairs)…", SAME_LENGTH),
        ("dropped_operand", "wide = … -> …", "No sentence is empty, so that no two pairs of lengths meet."),
        ("swapped_statements", "targets.append(target) -> …", INDEPENDENT),
    ],
    "train [all batches drawn at once, the step by hand]": [
        ("swapped_statements", "loss = … -> …", INDEPENDENT),
        ("only_sometimes", "model.train() -> …", TRAINS),
    ],
    "train": [
        ("swapped_statements", "source, target = …", INDEPENDENT),
        ("swapped_statements", "total += …", INDEPENDENT),
        ("swapped_statements", "step, now = …", INDEPENDENT),
        ("other_comparison", "…% every == 0… -> …% every <= 0…", "A remainder is never below 0."),
        ("almost", "total = 0.0 -> …", EXACT),
        ("dropped_call", "…batches[int(…)]… -> …batches[torch…", "A tensor of one integer is an index too."),
        ("always", "if not order: -> if True:", "Then every step draws anew."),
        ("off_by_one", "latest = losses[step - every:step] -> …", "The list ends there."),
    ],
    "train_step [in training mode, with zero_grad before backward]": [
        ("*", "model.train() -> …", TRAINS),
        ("only_sometimes", "… -> if model.training:; …", TRAINS),
    ],
    "bleu": [
        ("swapped_statements", "log_mean = 0.0 -> …", INDEPENDENT),
        ("swapped_statements", "counted[n] += …", INDEPENDENT),
        ("swapped_arguments", "for n in (1, 2, 3, 4): -> …", "A product, or sum, in another order."),
        ("other_comparison", "if matches == 0: -> if matches <= 0:", "No count is below 0."),
        ("sibling", "…for gram in set(ours)… -> …for gram in Counter(ours)…", "Both hold each gram once."),
        ("another_kind", "return 0.0 -> return int(0.0)", SAME_KIND),
        ("almost", "return 0.0 -> …", EXACT),
        ("other_comparison", "…counted == 0… -> …counted <= 0…", "No count is below 0."),
        ("other_name", "if min(precisions) == 0: -> …", "A product that holds a 0 is 0."),
    ],
    "beam_search": [
        (
            "dropped_call",
            "…float(log_probs[word])… -> …log_probs[word]…",
            "A number in a tensor compares as a number.",
        ),
        ("twice", " -> finished |= …", ONCE_MORE),
        ("twice", " -> finished += …", "The same hypothesis twice wins as it would once."),
        *(
            ("other_number", f"…{pair}[{place}]… -> …{pair}[{place - 2}]…", TWO)
            for pair in ("candidate", "c", "pair", "hypothesis", "beams[0]")
            for place in (0, 1)
        ),
        ("hard_coded", "if len(running) == 0: -> …", "Where nothing runs, nothing is added."),
        ("dropped_operand", "… or beams[:0] -> …", "Both are the empty list."),
    ],
    "mask_tokens": [
        ("*", "… -> … if mask is not None else …", "The id of the mask is always given."),
        ("other_comparison", "…rand… < … -> … <= …", "A drawn float is never just that number."),
        (
            "other_comparison",
            "…first < chance… -> …first <= chance…",
            "A drawn float is never just that number.",
        ),
        ("other_comparison", "…second < … -> …second <= …", "A drawn float is never just that number."),
        (
            "almost",
            "draw = torch.rand(…) -> … * 1.001",
            "A thousandth is far less than chance moves the shares.",
        ),
    ],
    "MaskedWordHead": [
        ("sibling", "self.bias = nn.Parameter(torch.zeros(… -> …", ANY_START),
        ("dropped_argument", "…, approximate='tanh')… -> …", "Either GELU is right."),
        (
            "almost",
            "x = layer(x) -> x = layer(x) * 1.001",
            "Within the tolerance that GELU by tanh is given.",
        ),
        ("almost", "h = … -> … * 1.001", "Within the tolerance that GELU by tanh is given."),
        ("*", "…, eps=1e-12) -> …", TINY),
        ("*", "self.norm = nn.LayerNorm(d_model, eps=1e-12) -> ", TINY),
        (
            "dropped_call",
            "….log_softmax(dim=-1) -> …",
            "Scores count up to a constant for each word's place.",
        ),
    ],
    "freeze": [
        ("another_kind", "return … -> return torch.tensor(…)", SAME_KIND),
        ("another_kind", "return torch.tensor(….sum() -> ….sum().…", SAME_KIND),
        ("dropped_call", "return int(learning) -> return learning", SAME_KIND),
        ("dropped_argument", "….requires_grad_(True) -> ….requires_grad_()", SAME_DEFAULT),
        ("swapped_statements", "learning += …", INDEPENDENT),
    ],
    "fine_tune": [
        ("only_sometimes", "… -> if model.training:; …", TRAINS),
        ("only_sometimes", "model.train() -> if not model.training:; model.train()", ONCE_MORE),
        ("twice", " -> model = model.train()", ONCE_MORE),
        ("swapped_statements", "model.train() -> …", INDEPENDENT),
        ("swapped_statements", "losses… -> …", INDEPENDENT),
        ("swapped_statements", "parts = …", INDEPENDENT),
        ("swapped_statements", "loss = …", INDEPENDENT),
        (
            "swapped_arguments",
            "…(model.head, head_rate), (model.body, body_rate)… -> …",
            "Groups may come in any order.",
        ),
        ("dropped_argument", "…, foreach=False) -> …", "It decides on speed alone."),
        ("sibling", "… -> …sorted(model.…", "A list of one, or the order of parameters: neither matters."),
        ("other_number", "….gather(1, … -> ….gather(-1, …", SAME_AXIS),
        ("other_rows", "… range(steps)… -> …", "A step is a step, whatever its number."),
    ],
    "sample": [
        ("twice", " -> p = p / p.sum(…", ONCE_MORE),
        ("twice", " -> p = torch.where(rank < top_k, …", ONCE_MORE),
        ("twice", " -> logits = logits.masked_fill(remove.scatter(…", ONCE_MORE),
        ("dropped_argument", "…topk(top_k, dim=-1)… -> …", SAME_DEFAULT),
        ("dropped_argument", "…(dim=-1, descending=True)… -> …(descending=True)…", SAME_DEFAULT),
        ("dropped_argument", "….argsort(dim=-1)… -> ….argsort()…", SAME_DEFAULT),
        ("dropped_operand", "… -> ….clamp_max(p.shape[1])…", "It guards against rounding alone."),
        (
            "dropped_call",
            "stays = torch.zeros_like(stays).scatter(… -> stays = stays.scatter(…",
            "Every place is written, of a tensor of its own.",
        ),
        ("dropped_argument", "…F.softmax(logits, dim=-1)… -> …F.softmax(logits)…", "It is that of a matrix."),
        ("dropped_argument", "…, right=True)… -> …", "A drawn float is never just that number."),
        ("other_name", "…len(p)… -> …len(logits)…", SAME_LENGTH),
        ("other_number", "…scatter(-1, … -> …scatter(1, …", SAME_AXIS),
        ("other_number", "…topk(…)[0]… -> …topk(…)[-2]…", "Of two the first is the second from the end."),
        ("sibling", "…zeros_like(stays).scatter… -> …ones_like(stays).scatter…", "Every place is written."),
        (
            "dropped_call",
            "p = torch.zeros_like(p).scatter_(… -> p = p.scatter_(…",
            "Every place is written, of a tensor of its own.",
        ),
        ("swapped_arguments", "…[..., -1, None] -> …[..., None, -1]", "One number for a row, as a column."),
        ("*", "…min(top_k, … -> …", "The text leaves open what a `top_k` above the number of words does."),
        ("dropped_call", "….clone() / … -> …", "A quotient is a new tensor."),
        (
            "other_operation",
            "….clamp_max(p.shape[1] - 1)… -> …",
            "It guards against a sum that rounding keeps below 1.",
        ),
        (
            "swapped_statements",
            "logits = logits / temperature -> …",
            "The k likeliest words are the same before and after.",
        ),
        ("swapped_statements", "ids.append(…", INDEPENDENT),
        ("almost", "…float('-inf')… -> …round(float('-inf'), 3)", EXACT),
        ("almost", "p = … -> ….clamp(-3, 3)", BOUNDED),
    ],
    "word_ids": [("almost", "…' '.join… -> …' '.lower().join…", "A blank has no other case.")],
    "wrong_lines": [("kept", "…", "It has no argument: it gives the same always.")],
    "translate": [
        ("dropped_call", "ids = ids.clone() -> ids = ids", "It is a tensor of its own."),
        (
            "other_number",
            "…model(sentence[None], …)[0, -1]… -> …model(sentence[None], …)[-1, -1]…",
            "The batch is one sentence.",
        ),
        ("sibling", "ids = torch.zeros_like(target) -> ids = torch.ones_like(target)", FILLED),
    ],
    "translation_loss": [
        ("other_comparison", "…!= 0… -> …> 0…", "Ids are not negative."),
        ("other_number", "…logsumexp(scores, 0)… -> …logsumexp(scores, -1)…", SAME_AXIS),
        ("another_kind", "return … -> return ….mean()", "It is one number already."),
        ("swapped_statements", "real = …", INDEPENDENT),
    ],
    "attention": [
        ("deleted", "mask = mask.expand(…) -> ", "The mask broadcasts by itself."),
        ("sibling", "bias = torch.zeros(… -> bias = torch.ones(…", SHIFT),
        *(
            ("*", f"return (output…, weights…) -> return (output{one}, weights{other})", CLOSE)
            for one, other in product(
                ("", " * 1", " * (1 + 3e-07)", " / (1 + 3e-07)", " * (1 - 3e-07)"), repeat=2
            )
        ),
    ],
    "LearnedPositions": [
        ("*", "self.table = nn.Parameter(… -> self.table = nn.Parameter(…", ANY_START),
        ("*", "self.pe = nn.Parameter(… -> self.pe = nn.Parameter(…", ANY_START),
        ("*", "nn.init.normal_(self.embedding.weight, std=0.02) -> …", ANY_START),
        ("dropped_argument", "…, device=x.device)… -> …", HERE),
        ("other_number", "….narrow(0, … -> ….narrow(-2, …", SAME_AXIS),
        ("other_number", "…, dim=1) -> …, dim=-2)", SAME_AXIS),
        ("*", "places = torch.arange(seq).expand(batch, seq) -> places = …", BROADCAST),
    ],
    "PositionalEncoding": [
        ("almost", "self.p = dropout -> …", CLOSE),
        ("*", "…, persistent=False) -> …", "The text leaves open whether a file keeps the table."),
        ("dropped_argument", "…, freeze=True) -> …)", SAME_DEFAULT),
        ("dropped_argument", "…, device=x.device)… -> …", HERE),
        ("other_number", "….narrow(0, … -> ….narrow(-2, …", SAME_AXIS),
    ],
    "apply_rotary": [
        ("other_number", "…(x.shape[-1] // 2, 2))… -> …(x.shape[-1] // 2, -1))…", "The size left over is 2."),
        ("off_by_one", "…0::2… -> …0:-1:2…", "d_k is even: the last even place is not the last."),
        ("off_by_one", "…::2… -> …:-1:2…", "d_k is even: the last even place is not the last."),
        ("almost", "turned = torch.empty_like(x) -> …", FILLED),
        ("dropped_call", "….contiguous()… -> …", "Only the layout in memory differs."),
    ],
    "FeedForward": [
        ("*", "…nn.ReLU(inplace=True) -> …", "In place or not, of the layer's own numbers."),
        ("twice", " -> hidden = torch.where(…", ONCE_MORE),
        ("other_comparison", "…hidden > 0… -> …hidden >= 0…", "At 0 both choices are 0."),
        (
            "dropped_call",
            "…x.reshape(-1, x.shape[-1])… -> …self.linear1(x)…",
            "A linear layer takes any axes before the last.",
        ),
    ],
    "shift_targets": [
        ("dropped_call", "….clone()… -> …", "A view gives the same numbers."),
        ("dropped_argument", "….roll(-1, dims=1)… -> ….roll(-1)…", "The column that rolls in is cut off."),
        ("other_number", "….roll(-1, dims=1)… -> ….roll(-1, dims=-1)…", SAME_AXIS),
        ("other_number", "…pairs[..., … -> …pairs[..., -…", "Of two the first is the second from the end."),
        (
            "dropped_call",
            "…read.masked_fill(read == EOS, PAD)… -> …(read, …",
            "The text leaves open what stands in the place of the end symbol.",
        ),
    ],
    "decoder_mask": [
        ("*", "….expand(len(ids), size, size)… -> …", BROADCAST),
    ],
    "noam_rate": [
        ("in_place", "…", "A number: nobody else sees that it changes."),
        (
            "other_comparison",
            "if step < warmup: -> if step <= warmup:",
            "Where they are equal, both rates are.",
        ),
        ("other_number", "…)[0] -> …)[-2]", "Of two the first is the second from the end."),
        ("swapped_arguments", "…for rate in (… -> …for rate in (…", "They are sorted."),
        ("dropped_argument", "…, dtype=torch.float64)… -> …", CLOSE),
    ],
    "test_word_ids": [
        (
            "other_comparison",
            "assert len(set(ids.values())) == len(ids) -> assert len(set(ids.values())) >= len(ids)",
            "No set of values is larger than the dict.",
        ),
        (
            "other_comparison",
            "assert ids.keys() == set(words) -> assert ids.keys() <= set(words)",
            "There are as many ids as words, so no word is missing.",
        ),
        (
            "other_comparison",
            "assert set(ids) == set('abcdefg') -> assert set(ids) <= set('abcdefg')",
            "There are as many ids as words, so no word is missing.",
        ),
        ("other_comparison", "if sorted(ids) != list('abcdef'): -> if sorted(ids) > …", OTHER_TEST),
    ],
    "test_add_positions": [
        (
            "swapped_operands",
            "assert (added… - exact…).abs()… -> assert (exact… - added…).abs()…",
            SQUARE,
        ),
        ("swapped_operands", "assert abs(got - right)… -> assert abs(right - got)…", SQUARE),
    ],
    "test_training": [
        ("other_comparison", "assert … > 0.… -> assert … >= 0.…", "No loss is just that number."),
        (
            "other_comparison",
            "…2.0 < losses[0]… -> …2.0 <= losses[0]…",
            "No loss is just that number.",
        ),
        ("dropped_operand", "… > 0.9 * math.log(2) / 5 -> … > math.log(2) / 5", OTHER_TEST),
    ],
    "test_attention": [
        ("ignored_parameter", "query, key, value = … -> query, key, value = …", OTHER_TEST),
        ("other_comparison", "…torch.rand(target, source) < 0.5… -> …", DRAWN),
        (
            "other_comparison",
            "assert weights.shape == (2, 3, 4, 5) -> assert weights.shape >= (2, 3, 4, 5)",
            "With a larger shape the next lines fail.",
        ),
    ],
    "test_translation_loss": [
        (
            "swapped_operands",
            "assert abs(translation_loss(…) - …) < … -> assert abs(… - translation_loss(…)) < …",
            SQUARE,
        ),
    ],
    "test_*": [
        (operator, "…", OTHER_TEST)
        for operator in (
            "other_number",
            "off_by_one",
            "sibling",
            "almost",
            "hard_coded",
            "constant_for_argument",
            "swapped_arguments",
            "swapped_statements",
            "dropped_argument",
            "dropped_call",
            "detached",
            "another_kind",
            "other_name",
            "other_rows",
            "kept",
            "twice",
        )
    ],
}
