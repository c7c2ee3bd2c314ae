"""Wrong answers to merge: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def _merged(ids, found, new, step=2, most=None, last=1):
    """ids, in which `new` takes the place of i and i + 1 where found(i), not asked of so many at the end."""
    out, i, done = [], 0, 0
    while i < len(ids):
        if i + last < len(ids) and found(i) and (most is None or done < most):
            out.append(new)
            i, done = i + step, done + 1
        else:
            out.append(ids[i])
            i += 1
    return out


def _is(ids, pair):
    return lambda i: (ids[i], ids[i + 1]) == tuple(pair)


@mistake
def nothing_merged(ids, pair, new):
    """You find no pair, so the ids stay as they are. A slice of a list is a list, and a list never equals a
    tuple: compare `tuple(ids[i : i + 2])` with `tuple(pair)`, or each piece by itself.
    """
    return list(ids)


@mistake
def nothing_merged_in_a_tuple(ids, pair, new):
    """In a tuple you find no pair: a slice of a tuple is a tuple, and it never equals a list. Compare
    `tuple(ids[i : i + 2])` with `tuple(pair)`, or each piece by itself.
    """
    return list(ids) if isinstance(ids, tuple) else _merged(ids, _is(ids, pair), new)


@mistake(mentions=r"str\b|join|replace|\bre\b")
def joined_as_text(ids, pair, new):
    """You replace in a text of the ids, and there 97 98 is also a part of 197 98. Compare the ids, which
    are whole numbers.
    """
    text = " ".join(map(str, ids)).replace(" ".join(map(str, pair)), str(new))
    return [int(number) for number in text.split()]


@mistake
def second_piece_stays(ids, pair, new):
    """After a merge you go on by one place, so the second piece of the pair stays. Go on by two."""
    return _merged(ids, _is(ids, pair), new, step=1)


@mistake
def first_only(ids, pair, new):
    """You merge only the first occurrence. Go on to the end of the list."""
    return _merged(ids, _is(ids, pair), new, most=1)


@mistake
def last_id_lost(ids, pair, new):
    """Your loop stops one place early, so the last id is lost if no merge takes it. Append it too."""
    out, i = [], 0
    while i < len(ids) - 1:
        if _is(ids, pair)(i):
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


@mistake
def last_pair_missed(ids, pair, new):
    """A pair at the very end is not merged. The last place where a pair can begin is `len(ids) - 2`."""
    return _merged(ids, lambda i: i + 2 < len(ids) and _is(ids, pair)(i), new)


@mistake
def from_the_right(ids, pair, new):
    """You merge from the right. In 1 1 1, the left pair is merged first, which gives `new` and then 1."""
    turned = _merged(ids[::-1], _is(ids[::-1], tuple(pair)[::-1]), new)
    return turned[::-1]


@mistake
def either_order(ids, pair, new):
    """You also merge the pair when it is turned around. The order belongs to the pair."""
    return _merged(ids, lambda i: {ids[i], ids[i + 1]} == {*pair}, new)


@mistake
def first_piece_suffices(ids, pair, new):
    """You merge wherever the first piece of the pair is, whatever follows. Compare both pieces."""
    return _merged(ids, lambda i: ids[i] == pair[0], new)


@mistake
def second_piece_suffices(ids, pair, new):
    """You look only at the second piece of the pair. Compare both pieces."""
    return _merged(ids, lambda i: ids[i + 1] == pair[1], new)


@mistake
def each_piece_replaced(ids, pair, new):
    """You replace each piece of the pair by itself, wherever it is. A merge takes two neighbors, and gives
    one id for both.
    """
    return [new if piece in pair else piece for piece in ids]


@mistake
def both_replaced(ids, pair, new):
    """You write the new id twice, once for each piece. A merged pair is one piece: the list gets shorter."""
    out, i = [], 0
    while i < len(ids):
        found = i + 1 < len(ids) and _is(ids, pair)(i)
        out += [new, new] if found else [ids[i]]
        i += 2 if found else 1
    return out


@mistake
def new_id_appended(ids, pair, new):
    """You keep the pair and put the new id behind it. The new id takes the place of both pieces."""
    out, i = [], 0
    while i < len(ids):
        found = i + 1 < len(ids) and _is(ids, pair)(i)
        out += [*pair, new] if found else [ids[i]]
        i += 2 if found else 1
    return out


@mistake
def overlapping(ids, pair, new):
    """Two merges of yours share a piece. In 1 1 1, the middle piece already belongs to the first merge."""
    hits = {i for i in range(len(ids) - 1) if _is(ids, pair)(i)}
    return [new if i in hits else piece for i, piece in enumerate(ids) if i in hits or i - 1 not in hits]


@mistake
def only_merged(ids, pair, new):
    """The ids that belong to no pair are lost. Append them as they are."""
    return [piece for piece in _merged(ids, _is(ids, pair), new) if piece == new]


@mistake
def in_place(ids, pair, new):
    """You change the list that you were given, so the caller loses it. Build a new list."""
    ids[:] = _merged(ids, _is(ids, pair), new)
    return ids


@mistake
def beyond_the_end(ids, pair, new):
    """The last id has no right neighbor, and there `ids[i + 1]` fails. Ask first: `i + 1 < len(ids)`."""
    return _merged(ids, lambda i: ids[i] == pair[0] and ids[i + 1] == pair[1], new, last=0)


@mistake
def always_beyond_the_end(ids, pair, new):
    """At the last id you ask for its right neighbor, `ids[i + 1]`, and it has none. Ask first whether
    `i + 1 < len(ids)`.
    """
    return _merged(ids, _is(ids, pair), new, last=0)
