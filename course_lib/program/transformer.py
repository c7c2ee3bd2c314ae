# The end of my_transformer.py: `program` writes the pieces and common.py above it.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false
import argparse
import sys
import warnings
from pathlib import Path

import torch
from torch import nn

SIZES = {"d_model": 64, "heads": 4, "d_ff": 128, "layers": 1}
PEAK, WARMUP, ROWS, EVERY = 5e-3, 150, 32, 200  # of the rate; steps; pairs of a batch; steps between reports
PAGE, EXAMPLES = "my_translator.html", 20
FONTS = "Noto Sans CJK SC", "Noto Sans SC", "Microsoft YaHei", "PingFang SC", "Heiti SC", "SimHei"
# The model with its two vocabularies


class Translator:
    """A model, the words that it reads and writes, and how far it is trained."""

    def __init__(self, english, chinese):
        self.words = english, chinese
        self.english, self.chinese = Vocabulary([english]), Vocabulary([chinese])
        self.model = Transformer(len(self.english), len(self.chinese), **SIZES)
        # Two changes that a short training likes: a table of its own for the output, and small word vectors.
        self.model.output = nn.Linear(SIZES["d_model"], len(self.chinese), bias=False)
        with torch.no_grad():
            for table in (self.model.source_embedding.table.weight, self.model.target_embedding.table.weight):
                table.mul_(0.5)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=PEAK, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.2
        )
        self.step, self.steps = 0, 0

    @classmethod
    def of(cls, pairs):
        """A new one with the words of these pairs."""
        return cls(*(sorted({word for pair in pairs for word in pair[side]}) for side in (0, 1)))

    @classmethod
    def load(cls, path):
        return load_checkpoint(path, cls.restored)

    @classmethod
    def restored(cls, state):
        made = cls(*state["words"])
        made.model.load_state_dict(state["model"])
        made.optimizer.load_state_dict(state["optimizer"])
        made.step, made.steps = state["step"], state["steps"]
        return made

    def save(self, path):
        state = {"words": self.words, "step": self.step, "steps": self.steps}
        state |= {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        save_checkpoint(state, path)

    def rate(self, step):
        """Up in a line, then down in a line to 0."""
        return PEAK * min(step / WARMUP, 1) * (1 - (step - 1) / self.steps)

    def ids(self, pairs):
        return [
            ([*self.english.encode(source), EOS], [BOS, *self.chinese.encode(target), EOS])
            for source, target in pairs
        ]

    def translate(self, sentences, rows=100):
        """Lists of English words to lists of Chinese words."""
        self.model.eval()
        order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
        found = [[]] * len(sentences)
        for start in range(0, len(order), rows):
            chosen = order[start : start + rows]
            source = pad_batch([[*self.english.encode(sentences[i]), EOS] for i in chosen])
            for i, ids in zip(chosen, greedy_decode(self.model, source, 100).tolist(), strict=True):
                words = ids[: ids.index(EOS)] if EOS in ids else [id for id in ids if id != PAD]
                found[i] = self.chinese.decode(words)
        return found


# The five commands


def train_command(options):
    pairs = read_pairs(options.pairs)
    translator = Translator.of(pairs)
    if Path(options.model).exists():
        earlier = Translator.load(options.model)
        if earlier.words != translator.words or earlier.steps != options.steps:
            raise BadFileError(
                f"{options.model} was started with other words or for {earlier.steps} steps: give the same"
                " file and --steps to continue it, or another --model to start again"
            )
        translator = earlier
        print(f"{options.model} has {translator.step} of {translator.steps} steps and continues from there")
    translator.steps = options.steps
    if translator.step == options.steps:
        print(f"{options.model} is already trained")
        return
    batches = make_batches(translator.ids(pairs), ROWS)
    print(f"{len(pairs)} pairs in {len(batches)} batches, on {torch.get_default_device()}")
    print("Ctrl-C stops it; the same command continues from the last step that was printed")
    while translator.step < options.steps:
        before = translator.step
        count = min(EVERY, options.steps - before)
        losses = train(
            translator.model.train(),
            batches,
            translator.optimizer,
            count,
            lambda step, before=before: translator.rate(before + step),
            report=lambda step, loss: None,
        )
        translator.step += count
        translator.save(options.model)
        print(f"step {translator.step} of {options.steps}, loss {sum(losses) / count:.3f}", flush=True)
    print(f"{options.model} is trained: translate, evaluate, show and page use it")


def translate_command(options):
    translator = Translator.load(options.model)
    for sentence in options.sentences:
        words = english_words(sentence)
        if not words:
            raise BadFileError(f"expected a sentence, got {sentence!r}")
        if unknown := [word for word in words if word not in translator.words[0]]:
            print(f"unknown words, read as <unk>: {', '.join(unknown)}", file=sys.stderr)
        print(" ".join(translator.translate([words])[0]))


def evaluate_command(options):
    translator, pairs = Translator.load(options.model), read_pairs(options.pairs)
    translations = translator.translate([source for source, _ in pairs])
    references = [target for _, target in pairs]
    exact = sum(ours == theirs for ours, theirs in zip(translations, references, strict=True)) / len(pairs)
    print(f"{len(pairs)} sentences: exact {100 * exact:.2f} %, BLEU {bleu(translations, references):.2f}")


def show_command(options):
    try:
        import matplotlib.pyplot as plt
        from matplotlib.font_manager import fontManager as font_manager
    except ModuleNotFoundError:
        raise BadFileError("show draws with matplotlib: pip install matplotlib") from None
    translator = Translator.load(options.model)
    source = english_words(options.sentence)
    target = translator.translate([source])[0]
    read = pad_batch([[BOS, *translator.chinese.encode(target)]])
    maps = attention_maps(translator.model, pad_batch([[*translator.english.encode(source), EOS]]), read)
    source, wrote, read = [*source, "<eos>"], [*target, "<eos>"], ["<bos>", *target]
    fonts = [name for name in FONTS if name in {font.name for font in font_manager.ttflist}]
    if not fonts:
        print(
            f"Chinese words are drawn as boxes: none of these fonts is here: {', '.join(FONTS)}",
            file=sys.stderr,
        )
        warnings.filterwarnings("ignore", message="Glyph")
    plt.rcParams["font.sans-serif"] = [*fonts, "DejaVu Sans"]
    for kind, rows, columns in (
        ("encoder", source, source),
        ("decoder", read, read),
        ("cross", wrote, source),
    ):
        weights = torch.stack(maps[kind]).cpu()  # (layers, heads, query, key)
        figure, axes = plt.subplots(*weights.shape[:2], squeeze=False, layout="constrained")
        figure.set_size_inches(
            0.35 * len(columns) * weights.shape[1] + 2, (0.35 * len(rows) + 1.2) * len(weights)
        )
        for layer, head in ((i, j) for i in range(weights.shape[0]) for j in range(weights.shape[1])):
            ax = axes[layer][head]
            ax.imshow(weights[layer, head], cmap="Blues", vmin=0, vmax=1)
            ax.set_xticks(range(len(columns)), columns, rotation=90)
            ax.set_yticks(range(len(rows)), rows)
            ax.set_title(f"layer {layer}, head {head}")
        figure.suptitle(f"{kind} attention: rows look at columns")
        path = f"{options.out}_{kind}.png"
        figure.savefig(path, dpi=150)
        print(path)


def page_command(options):
    translator, pairs = Translator.load(options.model), read_pairs(options.pairs)
    sentences = [source for source, _ in pairs[:EXAMPLES]]
    model = model_for_page(
        translator.model.state_dict(),
        heads_of(translator.model),
        *(words.decode(range(len(words))) for words in (translator.english, translator.chinese)),
        zip(sentences, translator.translate(sentences), strict=True),
    )
    page = Path(options.page)
    try:
        text = filled_page(page.read_text(encoding="utf-8"), model)
    except (OSError, UnicodeDecodeError, NoPageError) as error:
        raise BadFileError(f"{page} is no page for a model ({error}): `course program` writes one") from None
    page.write_text(text, encoding="utf-8", newline="\n")
    size = f"{len(text.encode()) / 1000:.0f} kB"
    print(f"{page} has the model ({size}): open it in a browser, or send it to a friend")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("--model", default="my_transformer.pt", metavar="FILE", help="the checkpoint")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser("train", parents=[model], help="learn from a file of pairs, or go on learning")
    add.add_argument("pairs", metavar="PAIRS.tsv", help="lines `english TAB chinese`, UTF-8")
    add.add_argument("--steps", type=steps_of, default=4000, help="4000 by default")
    add.set_defaults(run=train_command)
    add = commands.add_parser("translate", parents=[model], help="put English sentences into Chinese")
    add.add_argument("sentences", nargs="+", metavar="SENTENCE")
    add.set_defaults(run=translate_command)
    add = commands.add_parser("evaluate", parents=[model], help="exact match and BLEU on a file of pairs")
    add.add_argument("pairs", metavar="PAIRS.tsv")
    add.set_defaults(run=evaluate_command)
    add = commands.add_parser("show", parents=[model], help="draw the attention of a sentence as PNG files")
    add.add_argument("sentence", metavar="SENTENCE")
    add.add_argument("--out", default="attention", metavar="NAME", help="files NAME_encoder.png and so on")
    add.set_defaults(run=show_command)
    add = commands.add_parser("page", parents=[model], help=f"put the model into {PAGE}")
    add.add_argument("pairs", metavar="PAIRS.tsv", help=f"the first {EXAMPLES} sentences become examples")
    add.add_argument("--page", default=PAGE, metavar="FILE", help="the page that `course program` wrote")
    add.set_defaults(run=page_command)
    run_command(parser)


if __name__ == "__main__":
    main()
