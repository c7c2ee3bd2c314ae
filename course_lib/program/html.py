"""`my_translator.html`: a page that translates in any browser, without a network and without Python."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from torch import Tensor

from course_lib.atomic import write_atomically
from course_lib.corpus import lexicon, notation, times_and_places, verb_phrases
from course_lib.language import listed, say, spoken
from course_lib.program.messages import ForeignFileError, page_is_written
from course_lib.program.page import STORED, filled_page, heads_of, model_for_page
from course_lib.program.page_text import TEXT

PAGE = "my_translator.html"
FIRST = "<!doctype html>\n<!-- A translator written by hand, in one file that needs no network. -->"
KINDS = {  # the categories of the corpus' grammar whose words the page lists together
    "people": "adult kid youngster friend name parent offspring",
    "animals": "animal cat dog bird horse",
    "food and drink": "food beverage",
    "things": "text matter clothes garment accessory car bike phone computer gadget key box map table seat"
    " chair lamp ticket photo film song",
    "languages and games": "language ball",
    "qualities": "size age seniority youth bargain cost interest thrill difficulty weight hardness firmness"
    " beauty charm mind virtue stature mood color",
    "times": "daily season often past-time future-time",
    "places": "city local",
}
SMALL = {"at", "in", "on", "the", "this", "more"}  # parts of the above that are no words of their kind
VERB = re.compile(r"(\w+/){2,}\w+")


def translator_page(
    model: Any,
    english: Any,
    chinese: Any,
    examples: Iterable[tuple[Sequence[str], Sequence[str]]],
    path: str | Path = PAGE,
) -> None:
    """Write a page that translates with this model, and say where it is.

    model: a trained `Transformer`, yours of lesson 06 or the library's; english, chinese: its vocabularies.
    examples: English sentences, each with the model's translation, as lists of words. The page offers them,
    and says for how many of them it writes the same. Raises ForeignFileError if another file has this name.
    """
    path = checked(path)
    read, write = (all_words(vocabulary) for vocabulary in (english, chinese))
    if hasattr(model, "config"):
        data = model_for_page(
            renamed_state(model), model.config.heads, read, write, examples, **settings(model.config)
        )
    else:
        data = model_for_page(model.state_dict(), heads_of(model), read, write, examples)
    text = filled_page(empty_page(), data).encode()
    with write_atomically(path) as file:
        file.write(text)
    print(page_is_written(path, len(text)))


def checked(path: str | Path) -> Path:
    """The path. Raises ForeignFileError if it is a file that is no translator page."""
    path = Path(path)
    if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(FIRST):
        raise ForeignFileError(path)
    return path


def write_empty_page(path: Path) -> None:
    """The page of this version; the model of an earlier one stays in it."""
    page = empty_page()
    if path.exists() and (kept := STORED.search(path.read_text(encoding="utf-8"))):
        page = STORED.sub(lambda found: found[1] + kept[2] + found[3], page, count=1)
    with write_atomically(path) as file:
        file.write(page.encode())


def empty_page() -> str:
    """The page without a model, in the language that is spoken now."""
    here = files("course_lib.program")
    page = (here / "page.html").read_text(encoding="utf-8")
    text = {name: say(english, of="pages") for name, english in TEXT.items()}
    parts = {name: html.escape(said) for name, said in text.items()} | {
        name: (here / name).read_text(encoding="utf-8") for name in ("page.css", "translator.js", "page.js")
    }
    parts["language"] = spoken().replace("_", "-")
    parts["text"] = _data(text | {"between": listed(("", ""))})
    parts["kinds-of-words"] = _data({text[kind]: words for kind, words in word_kinds().items()})
    return FIRST + re.sub("@@(.*?)@@", lambda found: parts[found[1]], page)


def _data(value: Any) -> str:
    """JSON that cannot end the script that it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def word_kinds() -> dict[str, list[str]]:
    """The English words of the corpus by kind; each word is in the first kind that has it."""
    categories = notation.parse(lexicon.LEXICON) | notation.parse(times_and_places.TIMES_AND_PLACES)
    verbs = notation.parse(verb_phrases.VERB_PHRASES).values()
    kinds = {
        kind: [w for name in names.split() for w in _words(categories[name.replace("-", " ")][1])]
        for kind, names in KINDS.items()
    }
    tokens = (token for _, rules in verbs for rule in rules for token in rule.english)
    forms = [form for token in tokens if VERB.fullmatch(token) for form in token.split("/")]
    seen = set(SMALL)
    found = {}
    for kind, words in {**kinds, "actions": forms}.items():
        found[kind] = sorted(set(words) - seen)
        seen |= set(words)
    return found


def _words(rules: Iterable[notation.WrittenRule]) -> Iterator[str]:
    for rule in rules:
        for token in rule.english:
            if not token.startswith("{"):
                yield from re.split("[/~]", re.sub(r"_\w+$", "", token))


def all_words(vocabulary: Any) -> list[str]:
    """The words by their ids, of the learner's `Vocabulary` or of the library's."""
    if hasattr(vocabulary, "to_list"):
        return vocabulary.to_list()
    return vocabulary.decode(range(len(vocabulary)))


def settings(config: Any) -> dict[str, Any]:
    """What of the library's config the page needs. Raises ValueError for what the page cannot compute."""
    if config.positions == "learned" or config.activation != "relu":
        raise ValueError(
            'the page computes relu, and positions "sinusoidal", "rotary" or "none"; '
            f"got {config.activation!r} and {config.positions!r}"
        )
    steps = [2, 10, config.max_length - 1]  # as translation.decoding limits them
    return {"norm_first": config.norm_first, "positions": config.positions, "steps": steps, "never": [0, 1]}


def renamed_state(model: Any) -> dict[str, Tensor]:
    """The library's tensors by the names of lessons 03 to 06."""
    state: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        for old, new in ((".layers.", "."), (".tokens.", ".table."), ("out_proj", "output")):
            name = name.replace(old, new)
        name = re.sub(r"residual(\d)\.norm", r"norm\1", name)
        if "in_proj" in name:
            for part, rows in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                state[name.replace("in_proj", part)] = rows
        else:
            state[name] = tensor
    return state
