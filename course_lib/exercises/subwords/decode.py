"""decode: from ids back to text, by way of bytes."""

from course_lib.checks.exercise import Exercise
from course_lib.exercises.subwords.encode import NEW_WORDS, learned_merges
from course_lib.exercises.subwords.encode import reference as encoded

decode = Exercise(
    "decode",
    points=5,
    returns=("text",),
    hints=[
        "Which bytes belong to id 256, if its merge is (108, 111)? And to 257, if its merge is (256, 119)?",
        "Build a table from an id to its bytes: `bytes([i])` for 0 to 255. Then go over the merges in their "
        "order: the bytes of a new id are those of its two pieces, one after the other.",
        "Join the bytes of all ids first, then decode once, because a piece may end in the middle of a "
        'character: `b"".join(...).decode("utf-8", errors="replace")`.',
    ],
    examples=[
        "[decode([97], {})]",
        "[decode([97, 98], {})]",
        "[decode([256], {(97, 98): 256})]",
        "[decode([300], {(97, 98): 300})]",
        "[decode([256, 99], {(97, 98): 256})]",
        "[decode([257], {(97, 98): 256, (256, 99): 257})]",
        "[decode([230, 136, 145], {})]",
        "[decode([256, 145], {(230, 136): 256})]",
        "[decode([230], {})]",
        "[decode([97, 230, 98], {})]",
        "[decode([], {})]",
        "[decode([32, 97, 32], {})]",
        "[decode([257, 97], {(97, 98): 256, (256, 256): 257})]",
        "[decode([257], {(97, 98): 256, (99, 256): 257})]",
        "[decode(ids, {(97, 98): 256}) and ids for ids in [[256]]]",
        "[decode([256], merges) and list(merges) for merges in [{(97, 98): 256}]]",
    ],
)


@decode.reference
def reference(ids, merges):
    table = {i: bytes([i]) for i in range(256)}
    for (first, second), new in merges.items():
        table[new] = table[first] + table[second]
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@decode.part("bytes become text, Chinese and emoji too", points=1)
def plain_bytes(decode, inputs):
    texts = ["low", "naïve", "我们", "🙂 ok", " ", "\ufeffA\0e\u0301\r\n", "a\0"]  # all characters count
    return {f"text ({text!r})": [decode(list(text.encode()), {})] for text in texts}


@decode.part("pieces of pieces", points=1)
def pieces(decode, inputs):
    a, b, c = (97 + inputs.normal(3).argsort()).tolist()
    merges = {(a, b): 256, (256, c): 257, (257, 256): 258}
    gaps = {(a, b): 300, (300, c): 400, (400, 300): 401}
    return {
        "text": [decode([258, c, 256, 257], merges)],
        "text (ids with gaps between them)": [decode([401, c, 300, 400], gaps)],
    }


@decode.part("what was encoded comes back", points=1)
def round_trip(decode, inputs):
    merges = learned_merges(inputs)
    words = {word: encoded(word, merges) for word in NEW_WORDS.split()}
    found = {f"text ({word})": [decode(ids, merges)] for word, ids in words.items()}
    return {**found, "text (of no ids)": [decode([], merges)]}


@decode.part("a character that is cut off becomes the sign \ufffd", points=1)
def cut_off(decode, inputs):
    merges = {(230, 136): 256}
    letter = inputs.integer(97, 123)
    return {
        "text (two of three bytes)": [decode([letter, 256], merges)],
        "text (a byte that begins nothing)": [decode([145, letter], merges)],
    }


# Accepted: other ways to write the same


@decode.accept("a list of pieces")
def as_list(ids, merges):
    pieces = [bytes([i % 256]) for i in range(max(merges.values(), default=255) + 1)]
    for (first, second), new in merges.items():
        pieces[new] = pieces[first] + pieces[second]
    data = b""
    for i in ids:
        data += pieces[i]
    return data.decode("utf8", "replace")


@decode.accept("merges undone one after the other")
def undone(ids, merges):
    ids = list(ids)
    for pair, new in reversed(merges.items()):
        ids = [one for i in ids for one in (pair if i == new else (i,))]
    return bytes(ids).decode(errors="replace")


@decode.accept("recursion")
def recursion(ids, merges):
    parts = {new: pair for pair, new in merges.items()}

    def spell(i):
        return bytes([i]) if i < 256 else spell(parts[i][0]) + spell(parts[i][1])

    return str(b"".join(map(spell, ids)), "utf-8", "replace")


@decode.accept("a bytearray")
def with_bytearray(ids, merges):
    table = {i: [i] for i in range(256)}
    for pair, new in merges.items():
        table[new] = table[pair[0]] + table[pair[1]]
    data = bytearray()
    for i in ids:
        data.extend(table[i])
    return data.decode("utf-8", errors="replace")
