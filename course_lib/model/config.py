"""The shape of a Transformer, as data: what a checkpoint stores beside the weights."""

from dataclasses import dataclass

POSITIONS = ("sinusoidal", "learned", "rotary", "none")
TIES = ("none", "target", "all")


@dataclass(frozen=True)
class TransformerConfig:
    """The shape of a Transformer.

    tie: which tables are one parameter: "target" (target embedding = output), "all" (the source embedding
    too, which needs one vocabulary for both languages, as in the paper), or "none".
    final_norm: a LayerNorm after each stack; None means: in pre-norm only. nn.Transformer always has one.
    token_init: the standard deviation of fresh token vectors, once multiplied by sqrt(d_model).
    """

    source_vocab: int
    target_vocab: int
    d_model: int = 64
    heads: int = 4
    d_ff: int = 128
    encoder_layers: int = 2
    decoder_layers: int = 2
    norm_first: bool = True
    final_norm: bool | None = None
    activation: str = "relu"
    dropout: float = 0.0
    positions: str = "sinusoidal"
    tie: str = "target"
    max_length: int = 128
    token_init: float = 0.5

    def __post_init__(self) -> None:
        if self.positions not in POSITIONS:
            raise ValueError(f"positions: expected one of {POSITIONS}, got {self.positions!r}")
        if self.tie not in TIES:
            raise ValueError(f"tie: expected one of {TIES}, got {self.tie!r}")
        if self.tie == "all" and self.source_vocab != self.target_vocab:
            raise ValueError(
                'tie="all" needs one vocabulary for both languages, '
                f"got source_vocab={self.source_vocab} and target_vocab={self.target_vocab}"
            )

    @property
    def ends_with_norm(self) -> bool:
        return self.norm_first if self.final_norm is None else self.final_norm
