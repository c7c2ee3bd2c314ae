"""Wrong answers to decode: name, advice, code."""

from functools import reduce

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def _table(merges, join=lambda first, second: first + second):
    table = {i: bytes([i]) for i in range(256)}
    for (first, second), new in merges.items():
        table[new] = join(table[first], table[second])
    return table


@mistake
def each_piece_by_itself(ids, merges):
    """You decode each piece by itself. A piece may hold a part of a character: join the bytes of all pieces
    first, and decode once.
    """
    table = _table(merges)
    return "".join(table[i].decode("utf-8", errors="replace") for i in ids)


@mistake
def each_byte_by_itself(ids, merges):
    """You decode each byte by itself. 我 is three bytes, and none of them is a character: join the bytes of
    all pieces first, and decode once.
    """
    table = _table(merges)
    return "".join(bytes([byte]).decode("utf-8", errors="replace") for i in ids for byte in table[i])


@mistake
def character_for_each_byte(ids, merges):
    """You make a character of each byte. In UTF-8, 我 is three bytes: decode them together, as UTF-8."""
    table = _table(merges)
    return "".join(chr(byte) for i in ids for byte in table[i])


@mistake
def zero_bytes(ids, merges):
    """Your text has only zero bytes: `bytes(97)` makes 97 of them. The byte with the number 97 is
    `bytes([97])`.
    """
    table = {i: bytes(i) for i in range(256)}
    for (first, second), new in merges.items():
        table[new] = table[first] + table[second]
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def ignored(ids, merges):
    """You leave out bytes that make no character. Then nobody sees that something was cut off: use
    `errors="replace"`.
    """
    table = _table(merges)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="ignore")


@mistake
def strict(ids, merges):
    """Without `errors="replace"`, a cut character raises UnicodeDecodeError. A model can write such bytes, so
    its output must not fail.
    """
    table = _table(merges)
    return b"".join(table[i] for i in ids).decode("utf-8")


@mistake
def fails_for_no_ids(ids, merges):
    """Your code raises an error for an empty list. Its text is empty too: begin with the empty bytes
    `b""`.
    """
    table = _table(merges)
    return reduce(lambda first, second: first + second, [table[i] for i in ids]).decode(errors="replace")


@mistake
def with_spaces(ids, merges):
    """You put spaces between the pieces. Spaces are bytes of the text, and pieces of one word have none
    between them.
    """
    table = _table(merges)
    return b" ".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def stripped(ids, merges):
    """You strip the spaces at the ends. They belong to the text, so the round trip is no longer exact."""
    table = _table(merges)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace").strip()


@mistake
def turned_pair(ids, merges):
    """The two pieces of a merge are in the wrong order. The first piece of the pair comes first."""
    table = _table(merges, lambda first, second: second + first)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def first_piece_only(ids, merges):
    """Of a merged piece you keep only the first part. Its bytes are those of both parts."""
    table = _table(merges, lambda first, second: first)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def second_piece_only(ids, merges):
    """Of a merged piece you keep only the second part. Its bytes are those of both parts."""
    table = _table(merges, lambda first, second: second)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def one_level(ids, merges):
    """You undo one merge of each piece only. The parts may be merged pieces themselves: build the table in
    the order of the merges.
    """
    parts = {new: pair for pair, new in merges.items()}
    data = [byte for i in ids for byte in parts.get(i, (i,)) if byte < 256]
    return bytes(data).decode("utf-8", errors="replace")


@mistake
def merges_dropped(ids, merges):
    """You leave out all ids above 255. They are merged pieces, and their bytes are text."""
    return bytes(i for i in ids if i < 256).decode("utf-8", errors="replace")


@mistake
def opens_the_given_list(ids, merges):
    """You change the list of ids that you were given, so the caller loses it. Work on a copy, `list(ids)`."""
    parts, i = {new: pair for pair, new in merges.items()}, 0
    while i < len(ids):
        if ids[i] in parts:
            ids[i : i + 1] = parts[ids[i]]
        else:
            i += 1
    return bytes(ids).decode("utf-8", errors="replace")


@mistake
def adds_to_the_merges(ids, merges):
    """You write into the merges that you were given, and the caller needs them for the next text. Make a dict
    of your own.
    """
    for i in range(256):
        merges.setdefault((i,), i)
    table = {i: bytes([i]) for i in range(256)}
    for pair, new in merges.items():
        table[new] = b"".join(table[one] for one in pair)
    return b"".join(table[i] for i in ids).decode("utf-8", errors="replace")


@mistake
def parts_of_the_piece(ids, merges):
    """You take a piece apart only once. Its two parts may be pieces too, with ids above 255: take these apart
    in the same way, until only bytes are left.
    """
    pairs = {new: pair for pair, new in merges.items()}
    return bytes([part for i in ids for part in pairs.get(i, (i,))]).decode("utf-8", errors="replace")


@mistake
def ids_by_counting(ids, merges):
    """You count the new ids yourself, but there may be gaps between them. Take the id of each pair from
    `merges.items()`.
    """
    pieces = [bytes([i]) for i in range(256)]
    for first, second in merges:
        pieces.append(pieces[first] + pieces[second])
    return b"".join(pieces[i] for i in ids).decode("utf-8", errors="replace")
