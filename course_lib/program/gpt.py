# The end of my_gpt.py: `program` writes the pieces and common.py above it.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false
import argparse
import sys

import torch
import torch.nn.functional as F
from torch import nn

SIZES = {"d_model": 96, "heads": 4, "kv_heads": 2, "d_ff": 256, "layers": 3}
PEAK, WARMUP, ROWS, EVERY = 4e-3, 100, 32, 200  # of the rate; steps; lines of a batch; steps between reports
LONGEST, MAX_LENGTH = 250, 512  # tokens of a line that is read, and of all that the model reads and writes
TO = "=>"  # between a sentence and its translation


# Lines


def tokens_of(text):
    """Words of a line without Chinese, else its words or characters."""
    return chinese_words(text) if HAN.search(text) else english_words(text)


def read_texts(path):
    """For each line its tokens; of a line `english TAB chinese` the pair, with a sign between the two."""
    texts = []
    for line, where in read_lines(path):
        if "\t" in line:
            source, target = pair_of(line, where)
            texts.append([*source, TO, *target])
        else:
            texts.append(tokens_of(line))
        if len(texts[-1]) > LONGEST:
            raise BadFileError(f"{where}: {len(texts[-1])} words; a line may have {LONGEST}")
    if not texts:
        raise BadFileError(f"{path} holds no text")
    return texts


# The model and its words


class CachedGPT(nn.Module):
    """The same GPT, but its attention keeps keys and values: ids to logits and the cache of all layers."""

    def __init__(self, gpt):
        super().__init__()
        self.gpt = gpt
        sizes = SIZES["d_model"], SIZES["heads"], SIZES["kv_heads"]
        self.attention = nn.ModuleList(CachedAttention(*sizes, MAX_LENGTH) for _ in gpt.blocks)
        for new, block in zip(self.attention, gpt.blocks, strict=True):
            new.load_state_dict(block.attention.state_dict())

    def forward(self, ids, cache=None, padding=None):
        x, kept = self.gpt.embedding(ids), []
        for index, (block, attention) in enumerate(zip(self.gpt.blocks, self.attention, strict=True)):
            attended, own = attention(block.norm1(x), None if cache is None else cache[index], padding)
            x = x + attended
            x = x + block.feed_forward(block.norm2(x))
            kept.append(own)
        return self.gpt.output(self.gpt.norm(x)), torch.stack(kept)


class Writer:
    """A model, the words that it reads and writes, and how far it is trained."""

    def __init__(self, words):
        self.words = words
        self.vocabulary = Vocabulary([words])
        self.model = GPT(len(self.vocabulary), **SIZES)
        # The table of words is the output's weight too, so it begins small.
        nn.init.normal_(self.model.embedding.weight, std=SIZES["d_model"] ** -0.5)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=PEAK, weight_decay=0.1)
        self.step, self.steps = 0, 0

    @classmethod
    def of(cls, texts):
        return cls(sorted({word for text in texts for word in text}))

    @classmethod
    def load(cls, path):
        return load_checkpoint(path, cls.restored)

    @classmethod
    def restored(cls, state):
        made = cls(state["words"])
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

    def train(self, texts):
        """One step on these texts; returns the loss."""
        ids = pad_batch([[BOS, *self.vocabulary.encode(text), EOS] for text in texts])
        logits = self.model.train()(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PAD)
        self.step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def prompt(self, words):
        unknown = [word for word in words if word not in (*self.words, TO)]
        if unknown:
            print(f"unknown words, read as <unk>: {', '.join(unknown)}", file=sys.stderr)
        if len(words) > LONGEST:
            raise BadFileError(f"{len(words)} words; a prompt may have {LONGEST}")
        return [BOS, *self.vocabulary.encode(words)]

    def decode(self, ids):
        """Words up to the end symbol."""
        return self.vocabulary.decode(ids[: ids.index(EOS)] if EOS in ids else ids)

    @torch.no_grad()
    def translate(self, sentences, steps):
        """All in one batch, with padding on the left."""
        rows = [self.prompt([*sentence, TO]) for sentence in sentences]
        longest = max(map(len, rows))
        padding = torch.tensor([longest - len(row) for row in rows])
        prompt = torch.tensor([[PAD] * (longest - len(row)) + row for row in rows])
        return [self.decode(ids) for ids in generate(CachedGPT(self.model), prompt, steps, padding).tolist()]

    @torch.no_grad()
    def sample(self, words, count, temperature, steps):
        """`count` texts that begin with these words; the prompt is read once, for all of them."""
        model = CachedGPT(self.model)
        logits, cache = model(torch.tensor([self.prompt(words)]))
        logits, cache = logits.expand(count, -1, -1), cache.expand(-1, -1, count, -1, -1, -1)
        written = torch.zeros(count, 0, dtype=torch.long)
        while written.shape[1] < steps and not (written == EOS).any(dim=1).all():
            ids = torch.multinomial((logits[:, -1] / temperature).softmax(dim=-1), 1)
            written = torch.cat([written, ids], dim=1)
            logits, cache = model(ids, cache)
        return [[*words, *self.decode(ids)] for ids in written.tolist()]


# The three commands


def train_command(options):
    texts = read_texts(options.texts)
    writer = Writer.of(texts)
    if Path(options.model).exists():
        earlier = Writer.load(options.model)
        if earlier.words != writer.words or earlier.steps != options.steps:
            raise BadFileError(
                f"{options.model} was started with other words or for {earlier.steps} steps: give the same"
                " file and --steps to continue it, or another --model to start again"
            )
        writer = earlier
        print(f"{options.model} has {writer.step} of {writer.steps} steps and continues from there")
    writer.steps = options.steps
    print(f"{len(texts)} texts, {len(writer.words)} words, on {torch.get_default_device()}")
    print("Ctrl-C stops it; the same command continues from the last step that was printed")
    losses = []
    while writer.step < options.steps:
        chosen = torch.randint(len(texts), (ROWS,)).tolist()
        losses.append(writer.train([texts[index] for index in chosen]))
        if len(losses) == EVERY or writer.step == options.steps:
            writer.save(options.model)
            mean = sum(losses) / len(losses)
            print(f"step {writer.step} of {options.steps}, loss {mean:.3f}", flush=True)
            losses = []
    print(f"{options.model} is trained: sample and translate use it")


def sample_command(options):
    if options.seed is not None:
        torch.manual_seed(options.seed)
    words = tokens_of(options.text)
    for text in Writer.load(options.model).sample(words, options.count, options.temperature, options.words):
        print(" ".join(text))


def translate_command(options):
    writer = Writer.load(options.model)
    if TO not in writer.words:
        raise BadFileError(f"{options.model} has read no pairs: train it with lines `english TAB chinese`")
    for translation in writer.translate(list(map(english_words, options.sentences)), options.words):
        print(" ".join(translation))


def positive(text):
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1000:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return number


def words_of(text):
    if not text.isdecimal() or not 0 < int(text) <= LONGEST:
        raise argparse.ArgumentTypeError(f"expected a number of words from 1 to {LONGEST}, got {text!r}")
    return int(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("--model", default="my_gpt.pt", metavar="FILE", help="the checkpoint")
    words = argparse.ArgumentParser(add_help=False)
    words.add_argument(
        "--words", type=words_of, default=60, metavar="N", help="write N at most, 60 by default"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser("train", parents=[model], help="learn from a file, or go on learning")
    add.add_argument("texts", metavar="FILE", help="a text a line, or lines `english TAB chinese`, UTF-8")
    add.add_argument("--steps", type=steps_of, default=2000, help="2000 by default")
    add.set_defaults(run=train_command)
    add = commands.add_parser("sample", parents=[model, words], help="write texts that begin with some words")
    add.add_argument("text", nargs="?", default="", metavar="TEXT", help="how they begin; nothing by default")
    add.add_argument("--count", type=words_of, default=3, metavar="N", help="3 by default")
    add.add_argument("--temperature", type=positive, default=0.8, help="0.8 by default")
    add.add_argument("--seed", type=int, help="the same number gives the same texts")
    add.set_defaults(run=sample_command)
    add = commands.add_parser("translate", parents=[model, words], help="put English sentences into Chinese")
    add.add_argument("sentences", nargs="+", metavar="SENTENCE")
    add.set_defaults(run=translate_command)
    run_command(parser)


if __name__ == "__main__":
    main()
