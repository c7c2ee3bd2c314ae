"""Figures: right data, labels, hatching, alt text, and a font for every character."""

import io
import warnings

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch
from matplotlib.font_manager import findfont, get_font
from test_plots_decoding import decoding
from test_plots_loss import run

from course_lib import plots
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.fonts import hanzi
from course_lib.corpus import characters
from course_lib.plots import fonts
from course_lib.plots.positions import SIGNED

WEIGHTS = torch.tensor([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]])
SEEN = torch.tensor([[True, True, False], [True, True, True]])


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def draw(**options):
    return plots.attention_map(WEIGHTS, ["我", "是"], ["i", "am", "late"], SEEN, **options)


def test_attention_map():
    ax = draw()
    image = ax.images[0]
    assert image.get_clim() == (0, 1)
    assert image.get_array().mask.tolist() == (~SEEN).tolist()
    assert ax.patch.get_hatch() == "///"  # the background, seen through masked cells
    assert plots.attention_map(WEIGHTS, ["我", "是"], ["i", "am", "late"]).patch.get_hatch() is None
    assert [text.get_text() for text in ax.get_xticklabels()] == ["i", "am", "late"]
    assert [text.get_text() for text in ax.texts] == [".25", ".75", ".50", ".25", ".25"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key (attended to)", "query (attending)")


def test_alt_text_tells_the_main_fact():
    picture = plots.show(draw(title="self"))
    assert picture.alt == (
        "self. Attention map of 2 queries by 3 keys. 我 looks most at am (0.75). 是 looks most at i (0.50). "
        "1 of 6 cells are masked."
    )
    bundle = picture._repr_mimebundle_()
    assert bundle["text/html"].startswith(f'<img alt="{picture.alt}"')
    assert bundle["text/plain"] == picture.alt


def test_a_figure_that_is_not_shown_is_not_left_behind():
    plots.panels(2)
    assert plt.get_fignums() == []


def test_alt_text_of_even_weights_is_short():
    even, mask = torch.tensor([[0.25] * 4, [0.5, 0.5, 0.0, 0.0]]), torch.arange(4) < torch.tensor([[4], [2]])
    alt = plots.attention_map(even, ["a", "b"], ["i", "am", "too", "late"], mask).alt
    assert "a looks equally at all 4 keys (0.25). b looks most at i and am (0.50)." in alt


def test_alt_text_is_escaped():
    assert (
        '<img alt="&lt;b&gt; &amp; &quot;c&quot;"'
        in plots.show(draw(), '<b> & "c"')._repr_mimebundle_()["text/html"]
    )


def test_large_maps_have_no_numbers():
    words = [str(i) for i in range(9)]
    assert len(plots.attention_map(torch.full((9, 9), 1 / 9), words, words).texts) == 0


def test_labels_must_fit():
    with pytest.raises(
        ValueError, match=r"shape \(2, 3\).* 1 query labels and 3 key labels: expected \(1, 3\)"
    ):
        plots.attention_map(WEIGHTS, ["我"], ["i", "am", "late"])


def test_weights_may_need_gradients():
    plots.attention_map(WEIGHTS.clone().requires_grad_(), ["我", "是"], ["i", "am", "late"])


def test_a_mask_is_boolean_and_fits():
    with pytest.raises(TypeError, match=r"mask: expected booleans, True where .* got float32"):
        plots.attention_map(WEIGHTS, ["我", "是"], ["i", "am", "late"], SEEN.float())
    with pytest.raises(ValueError, match=r"mask has shape \(3, 3\): .* \(target, source\) = \(2, 3\)"):
        plots.attention_map(WEIGHTS, ["我", "是"], ["i", "am", "late"], torch.ones(3, 3).bool())


def pixels(ax):
    return plt.imread(io.BytesIO(plots.show(ax).png))


def test_nan_is_written_in_black_on_white_and_not_hatched():
    weights = torch.tensor([[torch.nan, torch.nan, 0.0], [0.5, 0.25, 0.25]])
    ax = plots.attention_map(weights, ["我", "是"], ["i", "am", "late"], SEEN)
    texts = {text.get_text(): text.get_color() for text in ax.texts}
    assert texts["nan"] == "black"
    ax.figure.canvas.draw()
    assert ax.alt.endswith("1 of 6 cells are masked. 2 of 6 cells are nan.")
    x, y = ax.transData.transform((0, 0.4)).astype(int)  # in the nan cell, below its text
    assert np.asarray(ax.figure.canvas.buffer_rgba())[-y, x].tolist() == [255] * 4


LAYERS = torch.stack([torch.stack([WEIGHTS, torch.full((2, 3), 1 / 3)]), torch.stack([WEIGHTS, WEIGHTS])])


def draw_grid(**options):
    return plots.attention_grid(LAYERS, ["我", "是"], ["i", "am", "late"], SEEN, **options)


def test_attention_grid():
    axes = draw_grid()
    assert axes.shape == (2, 2)
    for (layer, head), ax in np.ndenumerate(axes):
        image = ax.images[0]
        assert image.get_clim() == (0, 1)
        assert np.allclose(image.get_array().filled(0), (LAYERS[layer, head] * SEEN).numpy())
        assert ax.patch.get_hatch() == "///"
        assert ax.get_title() == f"layer {layer}, head {head}"
        assert [text.get_text() for text in ax.get_yticklabels()] == (["我", "是"] if head == 0 else [])
        assert [text.get_text() for text in ax.get_xticklabels()] == (["i", "am", "late"] if layer else [])


def test_the_grid_names_its_sharpest_and_most_even_map():
    assert plots.show(draw_grid(title="cross")).alt == (
        "cross. Attention maps of 2 layers by 2 heads. A query's largest weight is on average 0.62 in the "
        "sharpest (layer 1, head 1) and 0.33 in the most even (layer 0, head 1)."
    )


def test_layers_may_differ_in_heads():
    axes = plots.attention_grid([LAYERS[0], LAYERS[1, :1]], ["我", "是"], ["i", "am", "late"])
    assert [ax.axison for ax in axes.flat] == [True, True, True, False]


def test_the_grid_wants_one_sentence():
    with pytest.raises(ValueError, match=r"layer 0 have shape \(1, 2, 2, 3\).* expected \(heads, 2, 3\)"):
        plots.attention_grid(LAYERS[:, None], ["我", "是"], ["i", "am", "late"])
    with pytest.raises(ValueError, match="at least one layer"):
        plots.attention_grid([], ["我"], ["i"])


def waves(seq=50, d_model=64):
    angle = torch.arange(seq)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)


def test_position_map_is_symmetric_around_zero():
    ax = plots.position_map(0.3 * waves())
    image = ax.images[0]
    low, high = image.get_clim()
    assert -low == high == pytest.approx(0.3, abs=1e-3)
    assert image.get_array().shape == (50, 64)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dimension", "position")
    assert "dimension 0 changes sign 15 times, dimension 63 0 times" in ax.alt


def test_the_sign_of_a_position_shows_in_gray():
    red, green, blue, _ = SIGNED(np.linspace(0, 1, 256)).T
    assert (np.diff(0.2126 * red + 0.7152 * green + 0.0722 * blue) > 0).all()


def test_position_waves():
    ax = plots.position_waves(waves())
    assert [line.get_label() for line in ax.lines] == [f"dimension {d}" for d in (0, 1, 8, 16)]
    assert np.allclose(ax.lines[2].get_ydata(), waves()[:, 8])
    assert "dimension 0 15 times" in ax.alt and "dimension 16 1 times" in ax.alt
    with pytest.raises(ValueError, match=r"some of 0 \.\.\. 63, got \[64\]"):
        plots.position_waves(waves(), [64])
    with pytest.raises(ValueError, match=r"encoding: expected \(seq, d_model\), got \(1, 50, 64\)"):
        plots.position_map(waves()[None])


FIGURES = {
    "attention_map": draw,
    "attention_grid": draw_grid,
    "decoding_steps": lambda: plots.decoding_steps(decoding(), [1, 6]),
    "loss_curves": lambda: plots.loss_curves([run([10, 20], [4.0, 2.0], [5.0, 3.0])] * 2, log=True),
    "position_map": lambda: plots.position_map(waves()),
    "position_waves": lambda: plots.position_waves(waves()),
}


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_figures_look_the_same_in_any_style_and_draw_every_glyph(figure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = pixels(figure())
        with plt.style.context("dark_background"), plt.rc_context({"savefig.transparent": True}):
            found = pixels(figure())
    assert (expected[..., 3] == 1).all(), "the background must be opaque"
    assert np.array_equal(found, expected)


def test_lines_differ_without_color():
    ax = plots.lines([1, 2], {name: [1, 2] for name in "abcd"}, "x", "y")
    assert len({line.get_linestyle() for line in ax.lines}) == 4


def test_a_figure_must_describe_itself():
    with pytest.raises(ValueError, match="give alt="):
        plots.show(plots.panels(1)[0])


def test_lines_describe_themselves():
    ax = plots.lines([1, 2], {"a": [1, 2], "b": [5, 4]}, "steps", "loss")
    assert plots.show(ax).alt == "loss against steps. a: from 1 at 1 to 2 at 2. b: from 5 at 1 to 4 at 2."


def test_the_bundled_font_draws_chinese_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plots.show(draw())
        ax = plots.lines([1, 2], {"损失": [1, 2]}, "x", "y")
        ax.axhline(1, label="均值")
        ax.legend()  # as a cell of a lesson makes it
        plots.show(ax)


def test_every_character_of_the_lessons_has_a_glyph():
    fonts.register()
    chinese = get_font(fonts.PATH).get_charmap()
    found = hanzi()  # of the catalogs of other languages
    assert "，" in found
    for path in lessons():
        notebook = nbformat.read(ROOT / "solutions" / path.stem / f"{path.stem}.ipynb", as_version=4)
        found |= {c for cell in notebook.cells for c in cell.source if "\u3400" <= c <= "\u9fff"}
    assert not {c for c in found if ord(c) not in chinese}, "run `course fonts`"


def test_every_character_of_the_corpus_has_a_glyph():
    fonts.register()
    glyphs = (
        get_font(fonts.PATH).get_charmap().keys() | get_font(findfont("DejaVu Sans")).get_charmap().keys()
    )
    assert len(characters()) > 250
    assert not {character for character in characters() if ord(character) not in glyphs}


def test_the_license_is_beside_the_font():
    assert "SIL OPEN FONT LICENSE Version 1.1" in fonts.PATH.with_name("OFL.txt").read_text()
