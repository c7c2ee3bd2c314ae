"""`my_translator.html`: its JavaScript writes what PyTorch writes, and everybody can read the page."""

import base64
import json
import re
import struct

import pytest
import torch
from javascript import translated

from course_lib.corpus import load_corpus, vocabularies
from course_lib.language import speaking
from course_lib.program.html import (
    ForeignFileError,
    all_words,
    checked,
    empty_page,
    renamed_state,
    translator_page,
    word_kinds,
    write_empty_page,
)
from course_lib.program.page import STORED, NoPageError, filled_page
from course_lib.text import BOS, EOS, Pair, Vocabulary, pad_batch
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe
from course_lib.training.trainer import train as engine
from course_lib.translation.interventions import KINDS, heads_off
from course_lib.translation.translator import Translator
from course_lib.yours import yours

PAIRS = [
    Pair(tuple(english.split()), tuple(chinese))
    for english, chinese in (("i like tea", "我喜茶"), ("do you like tea ?", "你喜茶吗？"), ("tea", "茶"))
]
SENTENCES = [pair.source for pair in PAIRS] + [("you", "you", "you", "zebra", "i")]
SHAPES = {
    "rotary": {},
    "sinusoidal": {"positions": "sinusoidal", "encoder_layers": 2, "decoder_layers": 3, "heads": 2},
    "pre-norm": {"norm_first": True, "decoder_layers": 2, "tie": "target"},
    "no positions": {"positions": "none", "final_norm": True},
}


def stored(path):
    """The model that a page holds."""
    return json.loads(STORED.search(path.read_text(encoding="utf-8"))[2])


def tensors(model):
    """What the page makes of its bytes, computed once more."""
    data = base64.b64decode(model["data"])
    for name, rows, columns, start in model["tensors"]:
        floats = torch.tensor(struct.unpack_from(f"<{rows}f", data, start))
        if columns:
            whole = struct.unpack_from(f"<{rows * columns}b", data, start + 4 * rows)
            floats = floats[:, None] * torch.tensor(whole).view(rows, columns)
        yield name, floats


def page_of(folder, model, english, chinese, examples=()):
    """The model of a page; the PyTorch model then has the rounded weights of the page."""
    path = folder / "my_translator.html"
    translator_page(model, english, chinese, examples, path)
    page = stored(path)
    own = renamed_state(model) if hasattr(model, "config") else model.state_dict()
    for name, tensor in tensors(page):
        assert torch.allclose(own[name], tensor, atol=float(own[name].abs().max()) / 250), name
        own[name].copy_(tensor)
    return page


def library(**shape):
    torch.manual_seed(1)
    return Translator.for_pairs(PAIRS, **{"d_model": 16, "d_ff": 24, "token_init": 1.0, **shape})


def learners(english, chinese, size=16, layers=2):
    Transformer, own_vocabulary = yours("Transformer", "Vocabulary")
    words = own_vocabulary(english), own_vocabulary(chinese)
    torch.manual_seed(2)
    return Transformer(*map(len, words), d_model=size, heads=4, d_ff=24, layers=layers), *words


def written(ids, words):
    ids = ids[: ids.index(EOS)] if EOS in ids else ids
    return [word for word in words.decode(ids) if word != "<pad>"]


def plain(words):
    return [word for word in words if word not in ("<eos>", "<pad>")]


def same_maps(theirs, ours):
    """The weights of all steps; those of words that a step may not see are not in the page's."""
    for layer, other in zip(theirs, ours, strict=True):
        for head, rows in zip(layer, other, strict=True):
            for row, weights in zip(head, rows, strict=True):
                assert (torch.tensor(row) - weights[: len(row)]).abs().max() < 1e-4


@pytest.mark.parametrize("shape", SHAPES)
def test_the_librarys_model(tmp_path, shape):
    translator = library(**SHAPES[shape])
    page = page_of(tmp_path, translator.model, translator.source_words, translator.target_words)
    off = [[], *[[[kind, 0, head]] for kind in KINDS for head in range(2)]]
    found = iter(translated(page, SENTENCES, off))
    with pytest.warns(UserWarning, match="zebra"):
        for sentence in SENTENCES:
            for heads in off:
                with heads_off(translator.model, [tuple(head) for head in heads]):
                    told = next(found)
                    assert plain(told["target"]) == translator(sentence), (sentence, heads)
                    if told["target"][-1] != "<eos>" or len(told["target"]) < 2:
                        continue
                    explained = translator.explain(sentence)
                for kind in KINDS:
                    same_maps(told["maps"][kind], getattr(explained.maps, kind)[:, 0])


def test_the_learners_model(tmp_path):
    decode, maps_of = yours("greedy_decode", "attention_maps")
    model, english, chinese = learners([p.source for p in PAIRS], [p.target for p in PAIRS])
    page = page_of(tmp_path, model, english, chinese)
    assert page["config"]["heads"] == 4 and page["source"][:4] == ["<pad>", "<bos>", "<eos>", "<unk>"]
    for sentence, told in zip(SENTENCES, translated(page, SENTENCES, [[]]), strict=True):
        source = torch.tensor([[*english.encode(sentence), EOS]])
        ids = decode(model, source, 100)[0].tolist()
        assert plain(told["target"]) == written(ids, chinese)
        read = torch.tensor([[BOS, *ids[: len(told["target"]) - 1]]])
        for kind, layers in maps_of(model, source, read).items():
            same_maps(told["maps"][kind], layers)


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["library", "learner"])
def test_all_test_sentences(tmp_path, whose):
    """Of a model that has learned: equal with the rounded weights, and nearly always with the exact ones."""
    corpus = load_corpus()
    sentences = [pair.source for pair in [*corpus.test, *corpus.compositional]]
    if whose == "library":
        translator = Translator.for_pairs(corpus.train)
        model, words = translator.model, (translator.source_words, translator.target_words)
        engine(model, Bitext(corpus.train, *words), Recipe(steps=400), progress=False)
        translate = translator.translate
    else:
        batches_of, train, decode = yours("make_batches", "train", "greedy_decode")
        sides = [pair.source for pair in corpus.train], [pair.target for pair in corpus.train]
        model, *words = learners(*sides, size=64, layers=1)
        english, chinese = words
        pairs = [
            ([*english.encode(a), EOS], [BOS, *chinese.encode(b), EOS]) for a, b in zip(*sides, strict=True)
        ]
        optimizer = torch.optim.AdamW(model.parameters())
        # Half-trained weights leave close calls, which rounding decides: so a warm-up, and 1000 steps.
        batches = batches_of(pairs, 32)
        train(model, batches, optimizer, 1000, lambda step: 4e-3 * min(step / 150, 1.2 - step / 900), print)

        def translate(sentences):
            found = []
            for start in range(0, len(sentences), 100):
                rows = [[*english.encode(words), EOS] for words in sentences[start : start + 100]]
                found += [written(ids, chinese) for ids in decode(model, pad_batch(rows), 100).tolist()]
            return found

    exact = translate(sentences)
    page = page_of(tmp_path, model, *words)
    found = [plain(told["target"]) for told in translated(page, sentences)]
    assert len(found) == 2600 and found == translate(sentences)
    assert sum(a == b for a, b in zip(found, exact, strict=True)) >= 0.95 * len(found)


def test_words_are_listed_by_kind():
    kinds = word_kinds()
    listed = [word for words in kinds.values() for word in words]
    assert len(set(listed)) == len(listed) and len({*listed} & {*vocabularies()[0]}) > 200
    assert "cat" in kinds["animals"] and "ridden" in kinds["actions"] and "beijing" in kinds["places"]
    assert all(kinds.values())


def test_words_cannot_end_the_data():
    model = {"source": ["</script><script>alert(1)</script>", "<!--", "\\1"]}
    page = filled_page(empty_page(), model)
    assert json.loads(STORED.search(page)[2]) == model
    assert "alert(1)</script>" not in page and page.count("</script>") == empty_page().count("</script>")
    assert json.loads(STORED.search(filled_page(page, {"source": []}))[2]) == {"source": []}
    with pytest.raises(NoPageError):
        filled_page("<html></html>", model)


def test_the_page_needs_no_other_file():
    page = empty_page()
    assert (
        "default-src 'none'" in page and "http://" not in page and "https://" not in page and "@@" not in page
    )


def test_a_new_version_of_the_page_keeps_its_model(tmp_path):
    path = tmp_path / "my_translator.html"
    write_empty_page(path)
    assert stored(path) is None
    path.write_text(filled_page(path.read_text(encoding="utf-8"), {"source": ["茶"]}), encoding="utf-8")
    write_empty_page(checked(path))
    assert stored(path) == {"source": ["茶"]}


def test_another_file_is_not_overwritten(tmp_path):
    path = tmp_path / "my_translator.html"
    path.write_text("mine")
    with pytest.raises(ForeignFileError, match="was not written by this"):
        translator_page(library().model, *[Vocabulary()] * 2, [], path)
    assert path.read_text() == "mine"


def test_what_the_page_cannot_compute_is_told(tmp_path):
    translator = library(positions="learned")
    with pytest.raises(ValueError, match="'learned'"):
        page_of(tmp_path, translator.model, translator.source_words, translator.target_words)
    words = translator.source_words
    assert all_words(words) == words.to_list()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return with_model(tmp_path_factory.mktemp("page"))


def with_model(folder):
    """A page with a model and with examples."""
    translator = library()
    tried = [list(pair.source) for pair in PAIRS]
    path = folder / "my_translator.html"
    words = translator.source_words, translator.target_words
    translator_page(translator.model, *words, zip(tried, translator.translate(tried), strict=True), path)
    return path


def opened(browser, file, width=1300, theme="light"):
    """The page, and a list of what it complains of and asks other machines for."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True, offline=True
    )
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(f"request: {request.url}"))
    page.goto(file.as_uri())
    assert complaints.pop(0) == f"request: {file.as_uri()}"
    return page, complaints


DONE = "#off[aria-busy=false]"


def test_the_keyboard_translates_and_chooses_heads(browser, file):
    page, complaints = opened(browser, file)
    page.wait_for_function("document.getElementById('checked').textContent.includes('3 of 3 examples')")
    page.fill("#sentence", "Do you like teas?")
    page.keyboard.press("Enter")
    page.wait_for_selector(DONE)
    assert "no word “teas”" in page.inner_text("#said")
    page.get_by_role("button", name="tea instead of teas").press("Enter")
    assert page.input_value("#sentence") == "do you like tea ?" and page.inner_text("#said") == ""
    translator = library()
    assert page.inner_text("#chinese").split() == translator("do you like tea ?")
    page.locator("#kinds input").first.focus()
    page.keyboard.press("ArrowRight")
    assert "encoder attention, layer 0, mean" in page.inner_text("#map caption")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "encoder attention, layer 0, head 1" in page.inner_text("#map caption")
    rows = page.locator("#map tbody tr").all()
    shown = [[int(cell) for cell in row.locator("td").all_inner_texts()] for row in rows]
    weights = translator.explain("do you like tea ?").maps.encoder[0, 0, 1]
    assert torch.tensor(shown).sub(100 * weights).abs().max() < 2.5  # the page's weights are rounded
    page.get_by_role("button", name="layer 0, head 3: show where it looks (cross attention)").press("Enter")
    assert "cross attention, layer 0, head 3" in page.inner_text("#map caption")
    assert complaints == []


def test_messages_name_what_is_wrong(browser, file):
    page, complaints = opened(browser, file)
    for typed, message in [
        ("", "Type an English sentence first."),
        ("xylophone", "Nothing is spelled like “xylophone”."),
        ("i like tea.", "no “.”, so this is left out"),
        ("tea " * 127, "127 words"),
        ("<b>tea</b>", "“b”"),
    ]:
        page.fill("#sentence", typed)
        page.keyboard.press("Enter")
        assert message in page.inner_text("#said")
    assert complaints == []


SAID = """() => {
    const other = 'script, style, noscript, code', page = document.documentElement;
    const own = node => node.closest('[lang]') === page && !node.closest(other);
    const texts = one => [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data);
    const all = [...document.querySelectorAll('body *')].filter(own);
    return [document.title, ...all.flatMap(one => [one.ariaLabel ?? '', ...texts(one)])].join('\\n');
}"""  # what the page says in its own language


def test_a_page_speaks_the_language_in_which_it_was_written(browser, tmp_path):
    with speaking("zh_CN"):
        page, complaints = opened(browser, with_model(tmp_path))
    said, sentences = "", ("zebras likes teh tea", "teas", "tea <b>", "tea " * 127, "", "tea")
    for typed in sentences:
        page.fill("#sentence", typed)
        page.keyboard.press("Enter")
        page.wait_for_selector(DONE)
        said += page.evaluate(SAID)
    assert page.evaluate("document.documentElement.lang") == "zh-CN" and complaints == []
    typed, known = set(" ".join(sentences).split()), set(library().source_words.to_list())
    names = set(re.findall(r"\w+", "Build a Transformer by hand, JavaScript, PyTorch, <unk>"))
    assert set(re.findall("[A-Za-z_]{2,}", said)) - names - typed - known == set()


def test_a_page_without_a_model_says_what_to_do(browser, tmp_path):
    path = tmp_path / "my_translator.html"
    write_empty_page(path)
    page, complaints = opened(browser, path)
    assert "python my_transformer.py page test.tsv" in page.inner_text("#empty")
    assert not page.is_visible("#app") and complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_everybody_can_read_it(browser, file, width, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, complaints = opened(browser, file, width, theme)
    page.fill("#sentence", "zebras like teh tea")
    page.keyboard.press("Enter")
    page.click("summary")
    page.wait_for_selector(DONE)
    assert axe.Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and complaints == []
