# What the ends of all programs share: `program` writes it below the pieces.
import argparse
import os
import re
import sys
import warnings
from pathlib import Path

import torch

HAN = re.compile("[\u3400-\u9fff]")


class BadFileError(Exception):
    """What is wrong with a file, and where."""


# Pairs


def english_words(sentence):
    """Small letters; marks such as the question mark are words of their own."""
    return re.findall(r"\w+(?:-\w+)*|'\w+|[^\w\s]", sentence.lower().replace("\u2019", "'"))


def chinese_words(sentence):
    """Words where spaces divide the sentence, else its characters."""
    words, characters = sentence.split(), re.findall(r"[A-Za-z0-9]+|\S", sentence)
    return words if len(words) > 1 and len(characters) <= 3 * len(words) else characters


def read_lines(path):
    """The lines of a UTF-8 file that are not empty, each with its place for messages."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise BadFileError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadFileError(
            f"{path}, line {line}: not UTF-8 ({error.reason}). Save the file as UTF-8."
        ) from None
    return [(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def read_pairs(path):
    """The pairs of a file with a line `english TAB chinese` for each."""
    pairs = [pair_of(line, where) for line, where in read_lines(path)]
    if not pairs:
        raise BadFileError(f"{path} holds no pair: expected lines `english TAB chinese`")
    return pairs


def pair_of(line, where):
    columns = line.rstrip("\r").split("\t")
    if len(columns) < 2:
        raise BadFileError(f"{where}: no tab between English and Chinese: {line.strip()!r:.60}")
    source, target = english_words(columns[0]), chinese_words(columns[1])
    if not source or not target:
        raise BadFileError(
            f"{where}: nothing {'before' if not source else 'after'} the tab: {line.strip()!r:.60}"
        )
    if HAN.search(columns[0]) and not HAN.search(columns[1]):
        raise BadFileError(f"{where}: Chinese is before the tab, where English is expected")
    if (longest := max(len(source), len(target))) > 126:
        raise BadFileError(f"{where}: a sentence of {longest} words; the positions go up to 126")
    return source, target


# Checkpoints


def save_checkpoint(state, path):
    """The old file stays whole until the new one is."""
    torch.save(state, f"{path}.part")
    os.replace(f"{path}.part", path)


def load_checkpoint(path, restore):
    """What `restore` makes of the saved state."""
    if not Path(path).exists():
        raise BadFileError(f"there is no {path}: `train` makes it")
    try:
        return restore(torch.load(path, map_location=torch.get_default_device(), weights_only=True))
    except Exception as error:
        raise BadFileError(
            f"{path} is no checkpoint of this program ({type(error).__name__}: {error})"
        ) from None


# The command line


def steps_of(text):
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a number of steps, got {text!r}")
    return int(text)


def run_command(parser):
    """Run the function that a command has set as `run`, with its options."""
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")  # torch's; nothing here needs it
    # Tensors are made where the model is: none of the pieces needs to know of a GPU.
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        options.run(options)
    except BadFileError as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        sys.exit("\nstopped")
