"""The attention view: its numbers are those of `explain`, and it stands in any page without a kernel."""

import base64
import html
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

from course_lib import plots
from course_lib.plots.attention_view import MASKED, TEXT, TOP, maps_of
from course_lib.text import Pair
from course_lib.translation.interventions import heads_off
from course_lib.translation.translator import Translator

CHINESE = ("我", "喜欢", "茶")
TRICKY = '</script><img/src=x/onerror="alert(1)">&'


@pytest.fixture(scope="module")
def translator():
    """Untrained, so that its weights are of every size; it has two layers and three heads."""
    torch.manual_seed(0)
    pairs = [Pair(("i", "like", "tea"), CHINESE), Pair((TRICKY, "<!--"), (TRICKY, "茶"))]
    made = Translator.for_pairs(pairs, d_model=12, heads=3, d_ff=8, encoder_layers=2, decoder_layers=2)
    for parameter in made.model.parameters():
        torch.nn.init.normal_(parameter, std=1.5)
    return made


def data_of(view):
    (found,) = re.findall(r"^const place = '[\w-]+', data = (.*);$", view.html, re.MULTILINE)
    return json.loads(found)


def unpacked(packed):
    """A layer's weights (heads, queries, keys), nan where a mask hides the key."""
    return [unpacked_layer(layer, len(packed["queries"]), len(packed["keys"])) for layer in packed["layers"]]


def unpacked_layer(layer, queries, keys):
    numbers = np.frombuffer(base64.b64decode(layer), "<u2").reshape(-1, queries, keys)
    return np.where(numbers == MASKED, np.nan, numbers / TOP)


def test_every_weight_is_that_of_explain(translator):
    sentences = ["i like tea", "tea", f"{TRICKY} like i tea"]
    data = data_of(plots.attention_view(translator, sentences))
    kinds = [kind["name"] for kind in data["kinds"]]
    compared = 0
    for sentence, entry in zip(sentences, data["entries"], strict=True):
        told = translator.explain(sentence)
        assert (entry["target"], entry["read"]) == (told.target, told.read)
        labels = {
            "cross": (told.target, told.source),
            "encoder": (told.source,) * 2,
            "decoder": (told.read,) * 2,
        }
        for kind, packed in zip(kinds, entry["maps"], strict=True):
            assert (packed["queries"], packed["keys"]) == labels[kind]
            for found, expected in zip(unpacked(packed), getattr(told.maps, kind), strict=True):
                assert np.nan_to_num(found) == pytest.approx(expected[0].numpy(), abs=0.51 / TOP)
                future = np.triu(np.ones(found.shape[1:], dtype=bool), 1)
                assert (np.isnan(found) == (future if kind == "decoder" else False)).all()
                compared += found.size
    assert compared > 300


def test_candidates_are_the_models_likeliest_next_words(translator):
    (entry,) = data_of(plots.attention_view(translator, ["i like tea"]))["entries"]
    told = translator.explain("i like tea")
    source = torch.tensor([translator.encode("i like tea")])
    read = torch.tensor([translator.target_words.encode(told.read, bos=False)])
    with torch.no_grad():
        chances = translator.model.eval()(source, read)[0].softmax(dim=-1)
    assert len(entry["candidates"]) == len(told.target)
    for row, candidates, written in zip(chances, entry["candidates"], told.target, strict=True):
        best, words = row.topk(4)
        names = translator.target_words.decode(words, keep_special=True)
        assert [word for word, _ in candidates] == names
        assert [chance for _, chance in candidates] == pytest.approx(best.tolist(), abs=1e-4)
        assert written in names


def test_without_heads_it_tells_what_the_translator_then_writes(translator):
    data = data_of(plots.attention_view(translator, ["i like tea"]))
    (entry,), kinds = data["entries"], [kind["name"] for kind in data["kinds"]]
    whole, changed = translator("i like tea"), 0
    for kind, layers in zip(kinds, entry["without"], strict=True):
        for layer, found in enumerate(layers):
            for off, said in zip([[0, 1, 2], [0], [1], [2]], found, strict=True):
                with heads_off(translator.model, [(kind, layer, head) for head in off]):
                    expected = translator("i like tea")
                assert (whole if said == 0 else said.split()) == expected
                changed += said != 0
    assert changed, "else the test has seen no change"


def test_a_model_that_writes_nothing_is_shown(translator, monkeypatch):
    monkeypatch.setattr(type(translator), "translate", lambda self, sentences, *_: [[] for _ in sentences])
    (entry,) = data_of(plots.attention_view(translator, ["tea"]))["entries"]
    assert (entry["target"], entry["read"], len(entry["candidates"])) == (["<eos>"], ["<bos>"], 1)


def test_no_word_ends_the_script_or_the_picture(translator):
    view = plots.attention_view(translator, [f"{TRICKY} <!-- tea"])
    assert view.html.count("</script>") == view.html.count("<script>") == 1
    assert "<!--" not in view.html and view.html.endswith("</script>")
    assert data_of(view)["entries"][0]["name"] == f"{TRICKY} <!-- tea"
    (tag,) = re.findall(r"<img [^>]*>", view.html)
    assert "onerror" not in re.sub(r'alt="[^"]*"', "", tag)
    assert TRICKY in "".join(picture(view).itertext())


def picture(view):
    (source,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', view.html)
    return ElementTree.fromstring(base64.b64decode(source))


def test_without_scripts_there_is_a_picture_with_alt_text(translator):
    """JupyterLab removes script and style where it does not trust a notebook, and an inline SVG too."""
    view = plots.attention_view(translator, ["i like tea"])
    place, _, rest = view.html.partition("\n")
    assert re.fullmatch(r'<div class="attention-view-\w+"><img [^>]+></div>', place)
    assert rest.startswith("<script>")
    told = translator.explain("i like tea")
    weights = told.maps.cross[-1, 0].mean(dim=0)
    title = "i like tea: cross, layer 1, mean of heads"
    expected = plots.show(plots.attention_map(weights, told.target, told.source, title=title)).alt
    assert html.unescape(re.search(r'alt="([^"]*)"', place)[1]) == view.alt == expected
    assert view._repr_mimebundle_() == {"text/html": view.html, "text/plain": view.alt}
    space = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in picture(view).iter(f"{space}text")]
    assert texts == ["query: word written", "key: source word", *told.target, *told.source]
    widths = [float(line.get("stroke-width")) for line in picture(view).iter(f"{space}path")]
    assert widths == pytest.approx([12 * float(w) for w in weights.flatten() if w >= 0.01], abs=0.051)


class Course(Translator):
    """Untrained, but it writes as long sentences as a trained one, and without any head others."""

    def translate(self, sentences, *_):
        hooked = any(part._forward_pre_hooks for part in self.model.modules())
        return [WRITTEN[::-1] if hooked else WRITTEN] * len(sentences)


WORDS = ["i", "like", "the", "2022", "beijing", "winter", "games"]
WRITTEN = ["我", "喜欢", "2022", "年", "北京", "冬奥会"]


def test_a_view_of_the_lessons_size_has_at_most_40_kb():
    """Three sentences of the course's translator in lesson 07; two models of two layers in lesson 06."""
    made = Course.for_pairs([Pair(tuple(WORDS), tuple(WRITTEN))], d_model=16, heads=4, d_ff=16)
    sentences = [" ".join(WORDS[:n] + WORDS[n + 1 :]) for n in (4, 5, 7)]
    assert len(plots.attention_view(made, sentences).html.encode()) < 40_000

    def attention(queries, keys):
        return plots.Attention(torch.rand(2, 4, len(queries), len(keys)).softmax(dim=-1), queries, keys)

    written, keys = [*WRITTEN, "<eos>"], [*WORDS, "<eos>"]
    kinds = {
        "encoder": attention(keys, keys),
        "decoder": attention(written, written),
        "cross": attention(written, keys),
    }
    assert len(plots.maps_view({"trained": kinds, "untrained": kinds}).html.encode()) < 40_000


def test_the_page_is_told_only_by_the_view():
    """No address of another machine, and every sentence that the script asks for is there."""
    view = plots.maps_view({"a": {"cross": plots.Attention(torch.ones(1, 1, 1, 1), ["b"], ["c"])}})
    assert set(re.findall(r"https?://[^'\"\s]+", view.html)) == {"http://www.w3.org/2000/svg"}
    asked = set(re.findall(r"'([\w ]+)'", " ".join(re.findall(r"(?:say|button)\(([^;]*)", view.html))))
    assert set(TEXT) <= asked
    assert data_of(view)["text"] == TEXT


def test_maps_need_no_translator(translator):
    kinds = maps_of(translator.explain("i like tea"))
    data = data_of(plots.maps_view({"trained": kinds, "untrained": kinds}, name="model"))
    assert data["name"] == "model"
    assert [entry["name"] for entry in data["entries"]] == ["trained", "untrained"]
    assert [kind["name"] for kind in data["kinds"]] == ["cross", "encoder", "decoder"]
    assert not any(kind.get("stepped") for kind in data["kinds"])


def test_what_cannot_be_shown_is_refused(translator):
    for nothing in ([], "i like tea"):
        with pytest.raises(ValueError, match="a list of at least one sentence"):
            plots.attention_view(translator, nothing)
    one = {"cross": plots.Attention(torch.ones(1, 1, 1, 1), ["b"], ["c"])}
    with pytest.raises(ValueError, match=r"in 'b': expected \['cross'\], got \['encoder'\]"):
        plots.maps_view({"a": one, "b": {"encoder": one["cross"]}})
    for number in (2.0, -1.0, float("nan")):
        wrong = plots.Attention(torch.full((1, 1, 1, 1), number), ["b"], ["c"])
        with pytest.raises(ValueError, match="from 0 to 1"):
            plots.maps_view({"a": {"cross": wrong}})
    with pytest.raises(ValueError, match="1 query labels"):
        plots.maps_view({"a": {"cross": plots.Attention(torch.ones(1, 1, 2, 1), ["b"], ["c"])}})
