"""What training does not see, as data: combinations, some contexts of ambiguous words, example sentences."""

# Combinations that occur in one list of the corpus and nowhere else, though training has all parts apart. A
# part is a word, which stands for all of its forms, or the name of a structure (a category of `patterns` or
# `questions`). Settings are chosen by the first list; the second tells how well they do on what is new.
COMBINATIONS = {
    "compositional_validation": (
        # a verb and its object
        ("read", "magazine"),
        ("buy", "umbrella"),
        ("wash", "dress"),
        ("eat", "egg"),
        ("sell", "bike"),
        ("drink", "milk"),
        # a modifier and its noun
        ("small", "cat"),
        ("young", "doctor"),
        ("cheap", "ticket"),
        ("new", "phone"),
        # someone and what is said of him
        ("mary", "dance"),
        ("they", "bank"),
        # a word in a structure
        ("experience", "film"),
        ("duration", "tennis"),
        ("meanwhile", "film"),
        ("condition", "train"),
        ("comparing", "expensive"),
        ("relative clause", "shirt"),
        ("disposal", "map"),
        ("past", "photo"),
        ("yes-no question", "football"),
        # a structure in a structure
        ("report", "journey"),
        ("report", "comparing", "much"),
        ("say", "identity"),
    ),
    "compositional": (
        ("study", "english"),
        ("buy", "hat"),
        ("need", "computer"),
        ("eat", "cake"),
        ("like", "shirt"),
        ("drink", "water"),
        ("big", "dog"),
        ("clever", "girl"),
        ("black", "car"),
        ("old", "map"),
        ("tom", "swim"),
        ("we", "restaurant"),
        ("experience", "tennis"),
        ("duration", "guitar"),
        ("meanwhile", "song"),
        ("condition", "bus"),
        ("comparing", "interesting"),
        ("relative clause", "hat"),
        ("disposal", "umbrella"),
        ("future", "medicine"),
        ("yes-no question", "chess"),
        ("report", "negative past"),
        ("report", "quality", "too"),
        ("say", "liking"),
    ),
}

# An ambiguous English word (in any form) and its translations, of which the context asks for one.
SENSES = {
    "game": ("游戏", "比赛", "奥运会", "冬奥会", "亚运会"),
    "play": ("打", "踢", "弹", "拉", "下", "玩"),
    "take": ("拍", "坐", "带", "吃"),
    "watch": ("看", "手表"),
    "bank": ("银行", "河岸"),
    "orange": ("橙子", "橙色"),
    "old": ("旧", "老", "岁", "大"),
    "wear": ("穿", "戴"),
    "book": ("书", "订"),
    "light": ("灯", "轻", "浅"),
    "hard": ("难", "硬", "努力"),
    "like": ("喜欢", "像"),
    "know": ("认识", "知道"),
    "beautiful": ("漂亮", "好听"),
    "table": ("桌子", "乒乓球"),
}

# Sentences that the lessons translate, below the categories that write them; they are in no other list.
EXAMPLES = {
    "identity first": "i am a student",
    "liking first": "i like the 2022 beijing winter games",
}

# Nobody meets himself, and no clever boy is clever: these words stand at most once in a sentence.
NOT_WITH = {"me": {"i", "we"}, "us": {"i", "we"}, "them": {"they"}, "him": {"he"}}
ONCE = ("tom", "mary", "li", "father", "mother", "son", "daughter", "friend", "friends", "clever", "young")
