"""A real pretrained translator, English to Chinese, with the attention maps that this course draws.

Marian models (Junczys-Dowmunt et al. 2018) of the OPUS-MT project (Tiedemann and Thottingal 2020), by the
libraries transformers and sentencepiece, an optional extra: pip install "transformer-by-hand[transfer]".
"""

from os import PathLike
from typing import Any

import torch

from course_lib.model.transformer import AttentionMaps, evaluating
from course_lib.translation.translator import Translation

ENGLISH_CHINESE = "Helsinki-NLP/opus-mt-en-zh"  # about 300 MB to download, 77 million parameters
SIMPLIFIED = ">>cmn_Hans<<"  # models with several target languages want this word first


class MarianTranslator:
    """`translator("I am a student.")` gives the translation; `explain` its attention."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model.eval(), tokenizer
        self.prefix = f"{SIMPLIFIED} " if SIMPLIFIED in tokenizer.get_vocab() else ""

    @classmethod
    def load(cls, name: str | PathLike = ENGLISH_CHINESE) -> "MarianTranslator":
        """A model by its name on the Hugging Face Hub, or from a folder; ImportError without transformers."""
        try:
            import sentencepiece  # noqa: F401  # pyright: ignore[reportMissingImports]  # the tokenizer needs it
            from transformers import (  # pyright: ignore[reportMissingImports]  # an optional extra
                MarianMTModel,
                MarianTokenizer,
            )
        except ImportError as error:
            raise ImportError(
                f"{error.name} is not installed. This section needs two more libraries: run\n"
                "    %pip install transformers sentencepiece\n"
                "in a cell, restart the kernel, and run the setup cell again."
            ) from error
        # only plain ("eager") attention gives its weights away
        model = MarianMTModel.from_pretrained(name, attn_implementation="eager")
        return cls(model, MarianTokenizer.from_pretrained(name))

    def __call__(self, sentence: str, beam: int = 1) -> str:
        return self.tokenizer.decode(self._translate(sentence, beam), skip_special_tokens=True)

    def explain(self, sentence: str) -> Translation:
        """The translation in word pieces, with all attention weights, from one pass over it."""
        source, written = self._encode(sentence), self._translate(sentence)[None]
        read = written[:, :-1]
        with evaluating(self.model):
            output = self.model(**source, decoder_input_ids=read, output_attentions=True)
        layers = (output.encoder_attentions, output.decoder_attentions, output.cross_attentions)
        pieces = lambda ids: self.tokenizer.convert_ids_to_tokens(ids.tolist())  # noqa: E731
        names = pieces(written[0])
        return Translation(
            pieces(source["input_ids"][0]), names[1:], names[:-1], AttentionMaps(*map(torch.stack, layers))
        )

    def _encode(self, sentence: str):
        if not sentence.strip():
            raise ValueError("the sentence is empty: expected at least one word")
        return self.tokenizer(self.prefix + sentence, return_tensors="pt")

    def _translate(self, sentence: str, beam: int = 1) -> torch.Tensor:
        """Ids of the translation, with the start symbol before it and the end symbol after it."""
        with evaluating(self.model):
            ids = self.model.generate(
                **self._encode(sentence), num_beams=beam, do_sample=False, max_new_tokens=60
            )
        return ids[0]
