"""Which vector decides what "games" means: `python tests/bench/interventions.py [--steps 1000] [--seeds 4]`.

For all pairs of sentences that differ in the modifier of "games", some of the encoder's vectors of the first
are replaced by those of the second, or the modifier's by one from a sentence without games. Printed: how many
translations then have the second's sense of "games". Then: how often its sense follows where the decoder
reads the first's vectors, but has written the second's words (足球); and what is right with all encoder heads
off.
"""

import argparse
import itertools
from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

from course_lib.corpus import load_corpus
from course_lib.model.transformer import evaluating
from course_lib.text import BOS, EOS, PAD
from course_lib.training.trainer import Recipe
from course_lib.translation.ablations import ablated
from course_lib.translation.interventions import heads_off
from course_lib.translation.translator import Translator

SENSES = {"winter": "冬奥会", "asian": "亚运会", "london": "奥运会", "olympic": "奥运会"}
SENSES |= {"football": "比赛", "phone": "游戏", "video": "游戏"}
ALONE = {"winter": "you play football at school in winter", "london": "he is from london"}
ALONE |= {"football": "we play football in summer", "phone": "the phone is old"}
FRAMES = ("i like the {} games", "they watch the {} games", "we like the {} games", "she likes the {} games")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=4)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = load_corpus()
    for seed in range(arguments.seeds):
        recipe = Recipe(steps=arguments.steps, seed=seed)
        translator = ablated(corpus, "complete", recipe, progress=False)
        print(f"seed {seed}: {swaps(translator) | encoder_off(translator)}", flush=True)


def swaps(translator: Translator) -> dict[str, int]:
    counts = Counter()
    for frame, (first, second) in itertools.product(FRAMES, itertools.permutations(SENSES, 2)):
        ours, theirs = (memory(translator, frame.format(word)) for word in (first, second))
        right = all(SENSES[word] in read(translator, m) for word, m in ((first, ours), (second, theirs)))
        if SENSES[first] == SENSES[second] or not right:
            continue
        games = frame.split().index("games")
        places = {"games": [games], "modifier": [games - 1]}
        places["all others"] = [i for i in range(ours.shape[1]) if i not in (games - 1, games)]
        for name, rows in places.items():
            mixed = ours.clone()
            mixed[0, rows] = theirs[0, rows]
            counts[name] += SENSES[second] in read(translator, mixed)
        counts["pairs"] += 1
        words = read(translator, theirs)
        words = words[: words.index(SENSES[second])]
        if words != read(translator, ours)[: len(words)]:
            following = read(translator, ours, words)[len(words) :]
            counts["its words"] += following[:1] == [SENSES[second]]
            counts["of which differ"] += 1
        if second in ALONE:
            place = ALONE[second].split().index(second)
            mixed = ours.clone()
            mixed[0, games - 1] = memory(translator, ALONE[second])[0, place]
            counts["modifier that never met games"] += SENSES[second] in read(translator, mixed)
            counts["of"] += 1
    return dict(counts)


def encoder_off(translator: Translator) -> dict[str, int]:
    config = translator.model.config
    every = itertools.product(["encoder"], range(config.encoder_layers), range(config.heads))
    sentences = [(frame.format(word), sense) for frame in FRAMES for word, sense in SENSES.items()]
    with heads_off(translator.model, every):
        right = sum(sense in translator(sentence) for sentence, sense in sentences)
    return {"right without encoder heads": right, "sentences": len(sentences)}


def memory(translator: Translator, sentence: str) -> Tensor:
    """The encoder's vectors, `(1, source, d_model)`."""
    with evaluating(translator.model):
        return translator.model.encode(torch.tensor([translator.encode(sentence)]))[0]


def read(translator: Translator, memory: Tensor, written: Sequence[str] = ()) -> list[str]:
    """What the decoder writes, greedily, when it reads these vectors and has written these words."""
    ids = translator.target_words.encode(written, bos=True) if written else [BOS]
    with evaluating(translator.model):
        while len(ids) < 12 and ids[-1] != EOS:
            logits = translator.model.decode(torch.tensor([ids]), memory)[0][0, -1]
            logits[[PAD, BOS]] = -torch.inf
            ids.append(int(logits.argmax()))
    return translator.target_words.decode(ids)


if __name__ == "__main__":
    main()
