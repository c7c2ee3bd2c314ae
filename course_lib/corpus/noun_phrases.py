"""Noun phrases: things, numbers, people and games, in the notation of `notation`.

N is a kind of noun of the lexicon (`text`, `clothes` ...). How things appear depends on the sentence: `usual`
(books), `any` (books), `some` (this book, two books), `known` (this book, books), `now` (this book, a book).
Where the Chinese noun is alone, 'a' has no Chinese word: he does not have a car = 他 没有 车.
"""

NOUN_PHRASES = """
# ---- noun phrases
described(N):
    {N} * 3
    {adjective N.plain} {N} = {N|} | {adjective N+的} {N} * 2
own(N):
    {N} * 3
    {short N.plain} {N} = {short N} {N} * 2
own ticket:
    {ticket}
own device-game:
    {device-game}
one(N):                                                           # a certain one
    the {described N.one} = 那 {described N|} {described N} * 3
    this {described N.one} = 这 {described N|} {described N} * 1.5
    that {described N.one} = 那 {described N|} {described N}
    {owner} {own N.one} = {owner} {own N} * 2
pointed(N):
    the {described N.one} = 那 {described N|} {described N}
    this {described N.one} = 这 {described N|} {described N} * 1.5
    that {described N.one} = 那 {described N|} {described N}
one match:
    {pointed match}
one film:
    {pointed film}
one song:
    {pointed song}
one lamp:
    {pointed lamp}
a(N):
    a {described N.one} = 一 {described N|} {described N}
lone(N):
    a {N.one} = {N}
these(N):
    the {described N.many} = 那些 {described N}
    these {described N.many} = 这些 {described N} * 0.7
the(N):
    {one N} * 3 ; {these N} * 1.7
several(N):
    {a N} * 3
    {few} {described N.many} = {few} {described N|} {described N} * 2
    many {described N.many} = 很多 {described N} * 0.6
    some {described N.many} = 几 {described N|} {described N} * 0.6
all(N):
    {described N.many} = {described N}
item film:
    the {film.one} = 那 {film|} {film} * 2 ; this {film.one} = 这 {film|} {film}
    that {film.one} = 那 {film|} {film} * 0.5
item song:
    the {song.one} = 那 {song|} {song} * 2 ; this {song.one} = 这 {song|} {song}
    that {song.one} = 那 {song|} {song} * 0.5
item language:
    {language}
item(N):
    the {N.one} = 那 {N|} {N} * 2
    this {N.one} = 这 {N|} {N}
    that {N.one} = 那 {N|} {N} * 0.5
    {owner} {N.one} = {owner} {N} * 1.5
usual(N):
    {all N}
usual food:
    {all food} ; {a food}
any(N):
    {N.many} = {N} * 2
    {all N}
some(N):
    {the N} * 1.2 ; {several N}
known(N):
    {the N} * 2
    {N.many} = {N}
now(N):
    {one N} ; {a N} ; {all N} * 0.5
now food:
    {one food} ; {a food} * 0.2 ; {all food}
now ticket:
    {the ticket} ; {ticket.many} = {ticket}
known clothes:
    {the clothes}
single usual(N):                                                  # what one person wears
    a {described N.one} = {described N}
single any(N):
    {lone N}
single some(N):
    {one N} ; {a N}
single known(N):
    {one N} * 2 ; {lone N}
goods some(N):                                                    # what is bought
    {pointed N} ; {these N} ; {several N} * 3
goods known(N):
    {pointed N} * 2 ; {these N} ; {lone N}
goods known text:
    {pointed text} * 2 ; {these text} ; {text.many} = {text}
goods known food:
    {pointed food} * 2 ; {these food} ; {food.many} = {food}
goods usual food:
    {all food}
goods any food:
    {food.many} = {food}

# ---- numbers
few:
    two = 两 ; three = 三 ; four = 四
hours:
    {few} * 3 ; five = 五
number:
    {hours} * 4 ; ten = 十

# ---- people
person:
    {adult} ; {youngster} * 1.5
described person:
    {described adult} ; {described youngster} * 1.5
pronoun owner:
    my = 我 的 ; your = 你 的 ; his = 他 的 ; her = 她 的
relative:
    {kin owner} {kin} = {kin owner} {kin} * 2 ; {name} 's {kin} = {name} 的 {kin}
first:
    i = 我
plural:
    you = 你 ; we = 我们 ; they = 他们
    the {described person.many} = 那些 {described person} * 0.5
    these {described person.many} = 这些 {described person} * 0.3
    {owner} friends = {owner} 朋友 * 0.5
    {name} and {name'} = {name} 和 {name'} * 0.4
third:
    he = 他 ; she = 她 ; {name} * 2 ; {relative} * 1.5
    the {described person.one} = 那 {described person|} {described person}
    this {described person.one} = 这 {described person|} {described person} * 0.5
    {owner} {friend.one} = {owner} {friend} * 0.5
anyone:
    {first} ; {plural} ; {third} * 3
asked plural:                                                     # who is asked about: not we
    you = 你 * 2 ; they = 他们 ; {name} and {name'} = {name} 和 {name'} * 0.6
    the {described person.many} = 那些 {described person} * 0.5
    {owner} friends = {owner} 朋友 * 0.5
asked third:
    {third}
whom:
    me = 我 ; him = 他 ; her = 她 ; us = 我们 ; them = 他们 ; {name} * 2 ; {relative} * 1.5
    the {described person.one} = 那 {described person|} {described person} * 1.5
    {owner} {own friend.one} = {owner} {own friend}
company:
    {name} ; {relative} ; {owner} {friend.many} = {owner} {friend}
returning first:                                                  # who came home: nobody who is in WHO
    he = 他 ; she = 她 ; they = 他们 ; {name} * 2 ; {relative} * 1.5
returning plural:
    {first} ; he = 他 ; she = 她 ; {name} * 2 ; {relative} * 1.5
returning third:
    {first} ; you = 你 ; we = 我们 ; they = 他们 ; {name} * 3
individual first:
    i = 我
individual plural:
    you = 你
individual third:
    he = 他 ; she = 她 ; {name} ; {relative} ; {owner} {friend.one} = {owner} {friend}
agent:
    him = 他 ; her = 她 * 2 ; {name} * 2 ; {relative} * 1.5
    the {described person.one} = 那 {described person|} {described person}
rival:
    me = 我 ; you = 你 ; him = 他 ; {name} * 3
grown:
    he = 他 ; she = 她 ; {name} ; {kin owner} {parent} = {kin owner} {parent}
    the {adult.one} = 那 {adult|} {adult} ; {owner} {friend.one} = {owner} {friend}
male:
    he = 他 ; tom = 汤姆 ; li_1 ming_1 = 李明_1 ; {kin owner} son = {kin owner} 儿子
    the_1 boy_2 = 那_1 个_2 男孩_2
female:
    she = 她 ; mary = 玛丽 ; {kin owner} daughter = {kin owner} 女儿 ; the_1 girl_2 = 那_1 个_2 女孩_2
aged:
    he = 他 ; she = 她 ; {name} ; {kin owner} {offspring} = {kin owner} {offspring}
    the {kid.one} = 那 {kid|} {kid} ; {owner} {pet.one} = {owner} {pet} * 1.5

# ---- games: 游戏, 比赛, 奥运会, 冬奥会, 亚运会
match:
    {ball} game/games = 场 | {ball} 比赛 * 2 ; football_1 game/games_2 = 场_2 | 足球_1 比赛_2
device-game:
    video_1 game/games_2 = 个_2 | 电子_1 游戏_2 ; computer_1 game/games_2 = 个_2 | 电脑_1 游戏_2 * 1.5
    phone_1 game/games_2 = 个_2 | 手机_1 游戏_2 * 1.5
adjective device-game:
    new = 新 ; {interest}
usual match:
    {all match}
any match:
    {all match}
some match:
    {one match} ; {several match} ; {event} * 3
now match:
    {one match} ; {a match} ; {event} * 3
known match:
    {one match} ; {all match} ; {event} * 3
event:
    the_2 {olympic city} games_2 = {olympic city} 奥运会_2 ; the olympic games = 奥运会
    the_3 beijing_1 winter_2 games_2 = 北京_1 冬奥会_2 ; the_3 winter games in_1 beijing_1 = 北京_1 冬奥会
    the winter games = 冬奥会 ; the asian games = 亚运会 * 2
    the_3 games_3 in_1 {city} = {city} 的_1 比赛_3
dated event:
    the_3 2022_1 beijing_2 winter_3 games_3 = 2022_1 年_1 北京_2 冬奥会_3 * 2
    the_3 2022_1 winter_3 games_3 in_2 beijing_2 = 2022_1 年_1 北京_2 冬奥会_3
    the_3 winter_3 games_3 of_1 2022_1 = 2022_1 年_1 冬奥会_3
    the_3 {host city} games_3 = {host city} 奥运会_3 * 2
    the_3 2008_1 games_3 in_2 beijing_2 = 2008_1 年_1 北京_2 奥运会_3
host city:
    2008_1 beijing_2 = 2008_1 年_1 北京_2 ; 2012_1 london_2 = 2012_1 年_1 伦敦_2
    2024_1 paris_2 = 2024_1 年_1 巴黎_2
usual device-game:
    {all device-game} * 2 ; {one app}
any device-game:
    {all device-game} * 2 ; {one app}
some device-game:
    {one device-game} ; {a device-game} ; {all device-game} * 2 ; {one app}
now device-game:
    {one device-game} ; {all device-game} * 2 ; {one app}
known device-game:
    {one device-game} ; {all device-game} * 2 ; {one app}
one app:
    the_4 games_4 on_1 {kin owner} phone_2 = {kin owner} 手机_2 上_1 的_1 游戏_4
    the_4 games_4 on_1 {kin owner} computer_2 = {kin owner} 电脑_2 上_1 的_1 游戏_4
"""
