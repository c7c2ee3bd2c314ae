"""Which vector decides what "games" means: `python tests/bench/interventions.py [--steps 4000] [--seeds 6]`.

In the learner's translator, as lesson 07 trains it. For all pairs of sentences that differ in the modifier
of "games", some of the memory's vectors of the first are replaced by those of the second, or the modifier's
by one from a sentence without games. Printed: how many translations then have the second's sense of "games";
how often its sense follows where the decoder reads the first's memory, but has written the second's words
(足球); what is right without the encoder's attention; and where the maps look.
"""

import argparse
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from program import Budget, learned, the_program
from torch import Tensor

from course_lib.corpus import load_corpus
from course_lib.text import BOS, EOS
from course_lib.training.trainer import set_seed

SENSES = {"winter": "冬奥会", "asian": "亚运会", "london": "奥运会", "olympic": "奥运会"}
SENSES |= {"football": "比赛", "phone": "游戏", "video": "游戏"}
ALONE = {"winter": "you play football at school in winter", "london": "he is from london"}
ALONE |= {"football": "we play football in summer", "phone": "the phone is old"}
FRAMES = ("i like the {} games", "they watch the {} games", "we like the {} games", "she likes the {} games")


class Reader:
    """A trained translator of the program, and what it writes when its memory is changed."""

    def __init__(self, module: Any, translator: Any):
        self.module, self.translator, self.model = module, translator, translator.model.eval()

    def ids(self, sentence: str) -> Tensor:
        return torch.tensor([[*self.translator.english.encode(sentence.split()), EOS]])

    def memory(self, sentence: str) -> Tensor:
        """The encoder's vectors, `(1, source, d_model)`."""
        with self.encoded() as kept:
            self.model(self.ids(sentence), torch.tensor([[BOS]]))
        return kept[0]

    @contextmanager
    def encoded(self, memory: Tensor | None = None) -> Iterator[list[Tensor]]:
        """What the encoder returns in the block; `memory`, if given, stands in its place."""
        kept = []

        def hook(layer: Any, arguments: Any, result: Tensor) -> Tensor | None:
            kept.append(result)
            return memory

        handle = self.model.encoder[-1].register_forward_hook(hook)
        try:
            yield kept
        finally:
            handle.remove()

    @torch.no_grad()
    def read(self, sentence: str, memory: Tensor | None = None, written: Sequence[str] = ()) -> list[str]:
        """What the decoder writes, greedily, when it reads this memory and has written these words."""
        ids = [BOS, *self.translator.chinese.encode(written)]
        with self.encoded(memory):
            while len(ids) < 12 and ids[-1] != EOS:
                ids.append(int(self.model(self.ids(sentence), torch.tensor([ids]))[0, -1].argmax()))
        return self.translator.chinese.decode(ids[1:])

    def looks(self, sentence: str, word: str, kind: str, at: str) -> float:
        """The weight, averaged over heads, of the source word `at` where `word` is written, or stands."""
        target = self.read(sentence)[:-1]
        read = torch.tensor([[BOS, *self.translator.chinese.encode(target)]])
        maps = self.module.attention_maps(self.model, self.ids(sentence), read)[kind][-1].mean(dim=0)
        source = [*sentence.split(), "<eos>"]
        rows = target if kind == "cross" else source
        return float(maps[rows.index(word), source.index(at)])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=6)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    module, corpus, sums = the_program(), load_corpus(), Counter()
    for seed in range(arguments.seeds):
        set_seed(seed)
        translator, _ = learned(module, "lesson 07", corpus, Budget(steps=arguments.steps))
        reader = Reader(module, translator)
        counts = swaps(reader) | without_encoder(reader)
        sums.update(counts)
        print(f"seed {seed}: {counts}\n        {weights(reader)}", flush=True)
    print(f"together: {dict(sums)}")


def swaps(reader: Reader) -> dict[str, int]:
    counts = Counter()
    for frame, (first, second) in itertools.product(FRAMES, itertools.permutations(SENSES, 2)):
        here, there = frame.format(first), frame.format(second)
        ours, theirs = reader.memory(here), reader.memory(there)
        right = SENSES[first] in reader.read(here) and SENSES[second] in reader.read(there)
        if SENSES[first] == SENSES[second] or not right:
            continue
        games = frame.split().index("games")
        places = {"games": [games], "modifier": [games - 1]}
        places["all others"] = [i for i in range(ours.shape[1]) if i not in (games - 1, games)]
        for name, rows in places.items():
            mixed = ours.clone()
            mixed[0, rows] = theirs[0, rows]
            counts[name] += SENSES[second] in reader.read(here, mixed)
        counts["pairs"] += 1
        words = reader.read(there)
        words = words[: words.index(SENSES[second])]
        if words != reader.read(here)[: len(words)]:
            counts["its words"] += reader.read(here, ours, words)[len(words) :][:1] == [SENSES[second]]
            counts["of which differ"] += 1
        if second in ALONE:
            mixed = ours.clone()
            mixed[0, games - 1] = reader.memory(ALONE[second])[0, ALONE[second].split().index(second)]
            counts["modifier that never met games"] += SENSES[second] in reader.read(here, mixed)
            counts["of"] += 1
    return dict(counts)


def without_encoder(reader: Reader) -> dict[str, int]:
    """Its attention adds nothing."""
    sentences = [(frame.format(word), sense) for frame in FRAMES for word, sense in SENSES.items()]
    handles = [
        part.register_forward_hook(lambda part, arguments, result: (torch.zeros_like(result[0]), result[1]))
        for name, part in reader.model.encoder.named_modules()
        if re.search("self_attention$", name)
    ]
    right = sum(sense in reader.read(sentence) for sentence, sense in sentences)
    for handle in handles:
        handle.remove()
    return {"right without the encoder's attention": right, "sentences": len(sentences)}


def weights(reader: Reader) -> str:
    told = []
    for modifier in ("winter", "football"):
        sentence, word = f"i like the {modifier} games", SENSES[modifier]
        for at in (modifier, "games", "<eos>"):
            if word in reader.read(sentence):
                told.append(f"{word} on {at} {reader.looks(sentence, word, 'cross', at):.2f}")
        told.append(
            f"encoder: games on {modifier} {reader.looks(sentence, 'games', 'encoder', modifier):.2f}"
        )
    return ", ".join(told)


if __name__ == "__main__":
    main()
