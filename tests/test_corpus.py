import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from random import Random

import pytest

from course_lib.corpus import (
    Pair,
    characters,
    draw_pairs,
    hold_out,
    load_corpus,
    read_pairs,
    tokenize_chinese,
    tokenize_english,
    vocabularies,
)
from course_lib.corpus.grammar import Grammar
from course_lib.corpus.held_out import COMBINATIONS, SENSES
from course_lib.corpus.notation import parse
from course_lib.corpus.splits import favor_rare_parts, grammar, held_out_combinations

COMPOSITIONAL = ("compositional_validation", "compositional")
SPLITS = ("train", "validation", "test", *COMPOSITIONAL, "ambiguity", "examples")


@pytest.fixture(scope="module")
def corpus():
    return load_corpus()


def english(pair: Pair) -> str:
    return " ".join(pair.source)


def chinese(pair: Pair) -> str:
    return " ".join(pair.target)


def parts_of(pair: Pair) -> set[str]:
    """What a held-out combination can name: the pair's structures and its words without endings."""
    return {grammar().lemma.get(word, word) for word in pair.source}.union(pair.structures)


def test_the_lists_have_the_sizes_asked_for(corpus):
    assert len(corpus.train) == 30_000
    assert (len(corpus.validation), len(corpus.test)) == (1_000, 2_000)
    for name in COMPOSITIONAL:
        assert len(getattr(corpus, name)) == 25 * len(COMBINATIONS[name]) == 600
    assert len(corpus.ambiguity) == 12 * sum(map(len, SENSES.values()))
    small = load_corpus(train=50, validation=5, test=5, compositional=0, ambiguity=1, seed=3)
    assert (len(small.train), len(small.compositional), len(small.compositional_validation)) == (50, 0, 0)


def test_no_sentence_is_in_two_lists_or_twice_in_one(corpus):
    sentences = Counter(pair.source for name in SPLITS for pair in getattr(corpus, name))
    assert [sentence for sentence, count in sentences.items() if count > 1] == []


def test_every_sentence_has_one_translation_across_seeds(corpus):
    references = {pair.source: pair.target for name in SPLITS for pair in getattr(corpus, name)}  # of seed 0
    again = {pair.source: pair.target for pair in islice(draw_pairs(seed=2), 20_000)}
    common = references.keys() & again.keys()
    assert len(common) > 1_000
    assert [source for source in common if references[source] != again[source]] == []


def test_two_translations_of_one_sentence_are_an_error(monkeypatch):
    broken = Grammar("sentence:\n    tea = 茶\n    tea = 水")
    with monkeypatch.context() as patched:
        patched.setattr("course_lib.corpus.splits.grammar", lambda: broken)
        with pytest.raises(ValueError, match="'tea' has two translations"):
            list(islice(draw_pairs(), 2))
    assert any(pair.senses for pair in islice(draw_pairs(), 100)), "nothing of the broken one is kept"


def test_the_corpus_depends_on_the_seed_alone():
    code = (
        "import hashlib, sys, types;"
        "torch = sys.modules['torch'] = types.ModuleType('torch'); torch.Tensor = object;"  # slow to import
        "from course_lib.corpus import load_corpus;"
        "corpus = load_corpus(train=2000, validation=50, test=50, compositional=2, ambiguity=2, seed=5);"
        "print(hashlib.sha256(repr(corpus).encode()).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        )
        for seed in ("1", "2")
    ]
    here = load_corpus(train=2000, validation=50, test=50, compositional=2, ambiguity=2, seed=5)
    digest = hashlib.sha256(repr(here).encode()).hexdigest()
    assert [run.stdout.decode().strip() for run in runs] == [digest, digest]
    other = load_corpus(train=2000, validation=50, test=50, compositional=2, ambiguity=2, seed=6)
    assert other.train != here.train


def test_every_target_word_is_aligned_with_source_words(corpus):
    for pair in corpus.train:
        assert len(pair.alignment) == len(pair.target)
        for positions in pair.alignment:
            assert positions and all(0 <= position < len(pair.source) for position in positions)


def test_alignments_are_right_where_the_order_changes():
    pair = find("comparing film", "this film is more interesting than that film")
    assert chinese(pair) == "这 部 电影 比 那 部 电影 有趣"
    assert pair.alignment == ((0,), (1,), (1,), (5,), (6,), (7,), (7,), (3, 4))


def find(category: str, sentence: str, limit: int = 100_000) -> Pair:
    """The pair whose English is `sentence`, drawn from a category of the grammar."""
    pair = next((p for p in islice(draw_pairs(category=category), limit) if english(p) == sentence), None)
    assert pair is not None, f"{category!r} does not write {sentence!r}"
    return pair


@pytest.mark.parametrize(
    ("category", "source", "target"),
    [
        ("identity first", "i am a student", "我 是 一 个 学生"),
        ("liking first", "i like the 2022 beijing winter games", "我 喜欢 2022 年 北京 冬奥会"),
        ("liking first", "i like the beijing games", "我 喜欢 北京 奥运会"),
        ("liking first", "i like the games in beijing", "我 喜欢 北京 的 比赛"),
        ("liking first", "i like the games on my phone", "我 喜欢 我 手机 上 的 游戏"),
        ("past third", "he wore a hat yesterday", "他 昨天 戴 了 一 顶 帽子"),
        ("shopping some", "buy two dresses", "买 两 条 裙子"),
        ("negative past third", "he did not swim yesterday", "他 昨天 没 游泳"),
        ("progressive third", "she is wearing a watch", "她 戴 着 一 块 手表"),
        ("skill third", "she plays tennis very well", "她 网球 打 得 非常 好"),
        ("duration first", "i watched tv for two hours yesterday", "我 昨天 看 了 两 个 小时 电视"),
        ("disposal first", "i put the book on the table yesterday", "我 昨天 把 那 本 书 放 在 桌子 上 了"),
        ("comparing people", "tom is older than mary", "汤姆 比 玛丽 大"),
        ("existing food spot", "there is an orange on the table", "桌子 上 有 一 个 橙子"),
        ("ability first", "i can play table tennis", "我 会 打 乒乓球"),
        ("able", "drive", "开车"),
        ("what question plural", "what did you buy yesterday ?", "你 昨天 买 了 什么 ？"),
        ("weather", "it rained yesterday", "昨天 下雨 了"),
        ("identity first", "i am a teacher", "我 是 一 名 老师"),
        ("past first", "i helped the teacher yesterday", "我 昨天 帮助 了 那 位 老师"),
        ("past first", "i bought some books yesterday", "我 昨天 买 了 几 本 书"),
        ("future first", "i will swim tomorrow", "我 明天 要 游泳"),
        ("negative future first", "i will not swim tomorrow", "我 明天 不 游泳"),
        ("condition first", "i will not swim if it rains tomorrow", "如果 明天 下雨 ， 我 就 不 游泳 了"),
        ("liking first", "i love the winter games", "我 非常 喜欢 冬奥会"),
        ("likeness third", "tom looks like his father", "汤姆 长得 像 他 爸爸"),
        ("yes-no question plural", "did you go to school yesterday ?", "你 昨天 去 学校 了 吗 ？"),
        ("age of", "how old is your cat ?", "你 的 猫 多 大 了 ？"),
        ("relative person", "i know the boy who is swimming", "我 认识 那 个 正在 游泳 的 男孩"),
        ("comparing people", "tom is younger than mary", "汤姆 比 玛丽 小"),
    ],
)
def test_sentences_are_translated(category, source, target):
    assert chinese(find(category, source)) == target


SKILLS = "(打|踢|弹|拉|唱|骑|开|下 棋|跳舞|跑步|游泳|做饭) "


@pytest.mark.parametrize(
    ("wrong", "unless"),
    [
        ("是 一 位", None),  # honors somebody else
        ("不 会 ", r"\bcannot\b"),  # does not know how to
        ("会 " + SKILLS, r"\b(can|cannot)\b"),
        ("爱 .*(奥运会|冬奥会|亚运会|比赛) ", None),  # one loves no event
        ("看起来 像 ", None),  # of a family
        ("一些 ", None),  # of things that are counted
        ("了 [^？]+ 吗 ", None),  # did you ...? has 了 at its end
        ("多 大 ？ ", None),  # asks for a size
        ("(男孩|女孩|孩子|儿子|女儿|学生) (很|不|跟 .* 一样) 年轻 ", None),  # a child is 小
        ("比 .* 年轻 ", None),
        ("贵 的 ", None),
        ("请 (不要 )?卖 ", None),
        ("希望 .* 会 ", None),
        ("正在 .* 的 (那|这) ", None),  # 那 个 正在 ... 的 男孩
        ("(猫|狗|鸟|马) (比|跟|没有) .*(猫|狗|鸟|马) ", r"(cat|dog|bird|horse)\b.*\b\1\b"),
    ],
)
def test_what_no_chinese_reader_would_say_is_not_written(corpus, wrong, unless):
    written = [pair for name in SPLITS for pair in getattr(corpus, name)]
    found = [pair for pair in written if re.search(wrong, chinese(pair) + " ")]
    assert [str(pair) for pair in found if not (unless and re.search(unless, english(pair)))] == []


def test_the_examples_are_held_out(corpus):
    assert [english(pair) for pair in corpus.examples] == [
        "i am a student",
        "i like the 2022 beijing winter games",
    ]


def test_vocabularies_are_of_the_promised_size_and_known_to_training(corpus):
    for side, words in enumerate(vocabularies()):
        assert 150 <= len(words) <= 400
        assert words == sorted(set(words))
        in_training = {word for pair in corpus.train for word in pair[side]}
        assert in_training == set(words)
    assert {"书", "冬", "？", "2"} <= characters()
    assert all(len(character) == 1 for character in characters())


def test_held_out_combinations_are_new_but_their_parts_are_known(corpus):
    for name in ("train", "validation", "test", "ambiguity"):
        assert [english(pair) for pair in getattr(corpus, name) if held_out_combinations(pair)] == []
    trained = [parts_of(pair) for pair in corpus.train]
    known = Counter(part for parts in trained for part in parts)
    for name in COMPOSITIONAL:
        tested = [parts_of(pair) for pair in getattr(corpus, name)]
        for combination in COMBINATIONS[name]:
            assert all(known[part] >= 90 for part in combination), combination
            assert sum(parts.issuperset(combination) for parts in tested) >= 25
            assert not any(parts.issuperset(combination) for parts in trained)


def test_training_favors_what_is_rare(corpus):
    trained = Counter(word for pair in corpus.train for word in set(pair.source))
    plain = corpus.test + corpus.validation
    natural = Counter(word for pair in plain for word in set(pair.source))
    rare = [word for word, _ in natural.most_common()[-100:]]
    share = [sum(counts[word] for word in rare) / sum(counts.values()) for counts in (trained, natural)]
    assert share[0] > 1.5 * share[1]


def test_training_favors_new_places_of_a_word():
    def places(pairs):
        return len(
            {(structure, word) for pair in pairs for structure in pair.structures for word in pair.source}
        )

    drawn = list(islice(draw_pairs(), 3000))
    assert places(favor_rare_parts(drawn, 1000, Random(0))) > 1.1 * places(drawn[:1000])


def test_the_compositional_test_shares_no_combination_with_its_validation_set(corpus):
    for name, other in (COMPOSITIONAL, COMPOSITIONAL[::-1]):
        foreign = COMBINATIONS[other]
        found = [pair for pair in getattr(corpus, name) for c in foreign if parts_of(pair).issuperset(c)]
        assert list(map(english, found)) == []


def test_every_sense_is_trained_and_tested(corpus):
    trained = Counter(sense for pair in corpus.train for sense in pair.senses)
    tested = Counter(pair.senses[0] for pair in corpus.ambiguity)
    for word, translations in SENSES.items():
        assert len(translations) >= 2
        for translation in translations:
            assert trained[word, translation] >= 40, (word, translation)
            assert tested[word, translation] == 12, (word, translation)


def test_senses_are_what_the_word_is_aligned_with(corpus):
    for pair in corpus.ambiguity:
        word, translation = pair.senses[0]
        sources = {
            grammar().lemma.get(pair.source[position], pair.source[position])
            for target, positions in zip(pair.target, pair.alignment, strict=True)
            if target == translation
            for position in positions
        }
        assert word in sources, pair


MEASURES = {
    noun: measure
    for measure, nouns in {
        "本": "书 杂志", "件": "大衣 衬衫", "条": "裙子 狗", "顶": "帽子", "块": "手表",
        "辆": "车 自行车", "台": "电脑", "把": "雨伞 椅子", "张": "床 票 地图 桌子", "盏": "灯",
        "部": "电影", "首": "歌", "只": "猫 鸟", "匹": "马", "位": "老师 医生", "个": "学生 苹果 蛋糕",
        "杯": "茶 咖啡",
    }.items()
    for noun in nouns.split()
}  # fmt: skip


def test_numbers_take_the_measure_word_of_their_noun(corpus):
    measures = set(MEASURES.values())
    checked = Counter()
    for pair in corpus.train:
        words = (*pair.target, "")
        for number, measure, noun, following in zip(words, words[1:], words[2:], words[3:], strict=False):
            if following == "游戏":
                continue
            if (
                number in ("一", "两", "三", "四", "五", "几", "那", "这")
                and measure in measures
                and noun in MEASURES
            ):
                assert measure == MEASURES[noun], pair
                checked[noun] += 1
    assert len(checked) == len(MEASURES)


def test_structures_are_named_after_the_patterns(corpus):
    seen = {structure for pair in corpus.train for structure in pair.structures}
    assert len(seen) >= 40
    assert all(pair.structures for pair in corpus.train)


@pytest.mark.parametrize("size", [-1, 10**9])
def test_impossible_sizes_are_named(size):
    with pytest.raises(ValueError, match=f"train is a number of pairs.*got {size}"):
        load_corpus(train=size)


def expand(text: str, category: str = "sentence") -> tuple[str, str]:
    words, translation, _ = Grammar(text).expand(category, Random(0))
    return " ".join(words), " ".join(word for word, _ in translation)


def test_the_notation_of_the_grammar():
    text = """
sentence:
    {say third}   # a comment
say(WHO):
    {WHO} am/are/is {buy some.ing} {red+的} {thing.many} {thing'.one} now_2
        = {WHO} 正在_2 {buy some+了} {red+的} {thing|} {thing} {thing'}
third:
    she = 她
buy(X):
    buy/buys/bought/buying X = 买 (了/过)
red:
    red = 红 (的)
thing:
    egg/eggs = 个 | 蛋 ; pair~of~shoes/pairs~of~shoes = 双 | 鞋
"""
    assert expand(text) in [
        ("she is buying some red eggs pair of shoes now", "她 正在 买 了 红 的 个 蛋 鞋"),
        ("she is buying some red pairs of shoes egg now", "她 正在 买 了 红 的 双 鞋 蛋"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tea = 茶", "line 1: expected 'category:'"),
        ("a:\n    tea =", "line 2: expected 'english = chinese'"),
        ("a:\n    tea", "line 2: expected 'english = chinese'"),
        ("a:\n    tea = 茶\na:\n    milk = 奶", "line 3: category 'a' is defined twice"),
    ],
)
def test_a_wrong_line_of_a_grammar_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_two_texts_must_not_define_one_category():
    with pytest.raises(ValueError, match="defined twice: drink"):
        Grammar("drink:\n    tea = 茶", "drink:\n    milk = 牛奶")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{b} = {b}", "no category 'b'"),
        ("tea_1 = 茶_2", "茶_2 of the Chinese side has no counterpart"),
        ("{a} = 茶", "{a} is on the English side only"),
        ("{a.present} = {a}", "'present' needs a category whose parameter is a person"),
    ],
)
def test_a_wrong_rule_of_a_grammar_is_named(rule, message):
    with pytest.raises(ValueError, match=message):
        Grammar(f"sentence:\n    {rule}\na:\n    tea = 茶").category("sentence")


def test_reading_a_file_of_sentence_pairs(tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = [
        "I'm happy.\t我很高兴。\tCC-BY 2.0 (France) Attribution: tatoeba.org",
        "",
        "No translation",
        "Tom’s 2 cats sleep.\t汤姆 的 两 只 猫 睡觉",
        "I'm happy.\t我很高兴。",
        "I bought a PC.\t我买了PC。",
        "\t空",
    ]
    path.write_text("\n".join(lines), encoding="utf-8-sig")
    with pytest.warns(UserWarning, match=r"skipped 2 lines without 'english TAB chinese': 3, 7$"):
        pairs = read_pairs(path)
    assert [pair.source for pair in pairs] == [
        ("i", "'m", "happy", "."),
        ("tom", "'s", "2", "cats", "sleep", "."),
        ("i", "bought", "a", "pc", "."),
    ]
    assert [pair.target for pair in pairs] == [
        ("我", "很", "高", "兴", "。"),
        ("汤姆", "的", "两", "只", "猫", "睡觉"),
        ("我", "买", "了", "PC", "。"),
    ]
    with pytest.warns(UserWarning):
        assert [pair.source[0] for pair in read_pairs(path, max_words=5)] == ["i", "i"]


def test_reading_files_as_they_come(tmp_path):
    path = tmp_path / "export.tsv"
    lines = [
        "1276\tLet's try.\t2\t我们试试看！",
        "1277\tOne\u2028line.\t3\t一行。",
        "我买了PC。\tI bought a PC.",
        "I have an iPhone.\t我有一部iPhone 15。\r",
    ]
    path.write_text("\r\n".join(lines), encoding="utf-8-sig")
    with pytest.warns(UserWarning, match=r"skipped 1 lines .*: 3$"):
        pairs = read_pairs(path)
    assert [str(pair) for pair in pairs] == [
        "let 's try . -> 我 们 试 试 看 ！",
        "one line . -> 一 行 。",
        "i have an iphone . -> 我 有 一 部 iPhone 15 。",
    ]


def test_held_out_sources_are_not_trained_on():
    pairs = [Pair((str(n // 3),), (str(n),)) for n in range(90)]
    kept, held = hold_out(pairs, 20)
    assert sorted(kept + held) == sorted(pairs) and len(held) >= 20
    assert not {pair.source for pair in kept} & {pair.source for pair in held}
    assert held != sorted(held) and (kept, held) == hold_out(pairs, 20)
    with pytest.raises(ValueError, match=r"90 pairs are too few to hold out 50 of them: expected 100"):
        hold_out(pairs, 50)


def test_a_file_without_pairs_is_an_error(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n\n")
    with pytest.raises(ValueError, match=r"pairs.tsv holds no pair"):
        read_pairs(path)
    path.write_bytes("I am here.\t我在这儿。".encode("gb18030"))
    with pytest.raises(ValueError, match=r"pairs.tsv is not UTF-8: byte 11"):
        read_pairs(path)
    with pytest.raises(FileNotFoundError):
        read_pairs(tmp_path / "missing.tsv")


def test_another_file_than_the_one_that_was_measured_is_an_error(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes("I try.\t我试试。\n".encode())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(read_pairs(path, sha256=digest)) == 1
    with pytest.raises(
        ValueError,
        match=rf"its SHA-256 is {digest}, expected 0+\. Delete or rename it",
    ):
        read_pairs(path, sha256="0" * 64)


def test_tokens_of_both_languages():
    assert tokenize_english("Don't go, well-known Tom!") == ("don", "'t", "go", ",", "well-known", "tom", "!")
    assert tokenize_chinese("他说：没事。　真的吗？") == tuple("他说：没事。真的吗？")
    assert tokenize_chinese("我 喜欢 冬奥会") == ("我", "喜欢", "冬奥会")
    assert tokenize_chinese("2022年冬奥会，好！") == ("2022", "年", "冬", "奥", "会", "，", "好", "！")
