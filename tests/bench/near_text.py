"""Pretraining on text close to the task, or far: python tests/bench/near_text.py [--seeds 5] [--steps 750].

Near text is the sentences that name a thing of the task's topics, far text is the others. Each body sees as
many sentences, and is fine-tuned on 30 labels; accuracy on new words.
"""

import argparse
import statistics

from transfer import Classifier, MaskedModel, accuracy, encode, fine_tune, split

from course_lib.corpus.topics import TOPICS, draw_examples, load_topics
from course_lib.text import Vocabulary
from course_lib.training.pretraining import TextModel, train_on_sentences
from course_lib.training.trainer import set_seed

STAGES = {
    "none": (),
    "far": ("far",),
    "near": ("near",),
    "far, as long again": ("far", "far"),
    "far, then near": ("far", "near"),
    "near, then far": ("near", "far"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=750, help="of pretraining, in each stage")
    parser.add_argument("--labels", type=int, default=5, help="for every topic")
    arguments = parser.parse_args()
    task = load_topics()
    words = Vocabulary(task.plain)
    texts = near_and_far(task.plain)
    print({name: len(sentences) for name, sentences in texts.items()}, "sentences", flush=True)
    ids = {name: [words.encode(s, eos=True) for s in sentences] for name, sentences in texts.items()}
    test = encode(words, draw_examples(task.new, 100, 0))
    rows = {stages: [] for stages in STAGES}
    for seed in range(arguments.seeds):
        labelled = encode(words, draw_examples(split(task.known)[0], arguments.labels, seed))
        for name, stages in STAGES.items():
            body = pretrained(stages, ids, len(words) + 1, arguments.steps, seed)
            set_seed(seed)
            classifier = Classifier(body)
            fine_tune(classifier, *labelled, steps=100, body_rate=3e-3, head_rate=1e-2)
            rows[name].append(100 * accuracy(classifier, *test))
            print(f"seed {seed}: {name:20} {rows[name][-1]:.0f}", flush=True)
    print(f"\naccuracy on new words in percent, {arguments.seeds} seeds: median [worst..best]")
    for name, values in rows.items():
        print(f"{name:20} {statistics.median(values):4.0f} [{min(values):.0f}..{max(values):.0f}]")


def near_and_far(sentences):
    """The sentences that name a thing of some topic, and as many of those that name none."""
    things = {word for sides in TOPICS.values() for side in sides for word in side.split()}
    near = [sentence for sentence in sentences if things & set(sentence)]
    far = [sentence for sentence in sentences if not things & set(sentence)]
    size = min(len(near), len(far))
    return {"near": near[:size], "far": far[:size]}


def pretrained(stages, ids, rows, steps, seed) -> TextModel:
    """A new body, trained to fill gaps in one text after the other."""
    set_seed(seed)
    model = MaskedModel(TextModel(rows), 0.3, seed)
    for text in stages:
        train_on_sentences(model, model.loss, ids[text], steps, seed=seed, progress=False)
    return model.body


if __name__ == "__main__":
    main()
