"""What sentences are made of: noun phrases and verb phrases, in the notation of `grammar`.

Parameters: N is a kind of noun (`text`, `clothes` ...), X says how its objects are introduced: `the` (definite) or
`some` (definite or counted). A deed is a verb phrase that may be told with its place and company.
"""

PHRASES = """
# ---- noun phrases
described(N):
    {N} = {N|} | {N} * 3
    {adjective N.plain} {N} = {N|} | {adjective N+的} {N} * 2
the(N):
    the {described N.one} = 那 {described N|} {described N} * 3
    this {described N.one} = 这 {described N|} {described N} * 1.5
    that {described N.one} = 那 {described N|} {described N}
    {owner} {described N.one} = {owner} {described N} * 2
    the {described N.many} = 那些 {described N}
    these {described N.many} = 这些 {described N}
    those {described N.many} = 那些 {described N} * 0.7
one(N):
    the {described N.one} = 那 {described N|} {described N} * 2
    this {described N.one} = 这 {described N|} {described N}
    {owner} {described N.one} = {owner} {described N}
    a {described N.one} = 一 {described N|} {described N} * 2
a(N):
    a {described N.one} = 一 {described N|} {described N} * 3
    {number} {described N.many} = {number} {described N|} {described N} * 2
    many {described N.many} = 很多 {described N} * 0.7
    some {described N.many} = 一些 {described N} * 0.7
some(N):
    {the N} ; {a N} * 1.5
all(N):
    {described N.many} = {described N}

# ---- people
relative name:
    {kin owner} {kin} = {kin owner} {kin}
first:
    i = 我
plural:
    you = 你 ; we = 我们 ; they = 他们
    the {described person.many} = 那些 {described person} * 0.4
    these {described person.many} = 这些 {described person} * 0.3
    {number} {person.many} = {number} {person|} {person} * 0.3
    {owner} friends = {owner} 朋友 * 0.5
third:
    he = 他 ; she = 她 ; {name} * 2 ; {relative name} * 1.5
    the {described person.one} = 那 {described person|} {described person}
    this {described person.one} = 这 {described person|} {described person} * 0.5
    {owner} {friend.one} = {owner} {friend} * 0.5
whom:
    me = 我 ; him = 他 ; her = 她 ; us = 我们 ; them = 他们 ; {name} * 2 ; {relative name} * 1.5
    the {described person.one} = 那 {described person|} {described person} * 1.5
    {owner} {described friend.one} = {owner} {described friend}

# ---- games: 游戏, 比赛, 奥运会, 冬奥会, 亚运会
ball:
    basketball = 篮球 ; tennis = 网球 ; table tennis = 乒乓球
summer games:
    2008_1 beijing_2 = 2008_1 年_1 北京_2 ; 2012_1 london_2 = 2012_1 年_1 伦敦_2 ; 2024_1 paris_2 = 2024_1 年_1 巴黎_2
    beijing = 北京 ; london = 伦敦 ; paris = 巴黎
match:
    {ball} game/games = 场 | {ball} 比赛 ; football_1 game/games_2 = 场_2 | 足球_1 比赛_2
adjective match:
    {interest}
device-game:
    video_1 game/games_2 = 个_2 | 电子_1 游戏_2
    computer_1 game/games_2 = 个_2 | 电脑_1 游戏_2
    phone_1 game/games_2 = 个_2 | 手机_1 游戏_2
adjective device-game:
    new = 新 ; {interest}
the olympics:
    the_2 {summer games} games_2 = {summer games} 奥运会_2 * 2
    the_3 2008_1 games_3 in_2 beijing_2 = 2008_1 年_1 北京_2 奥运会_3
    the_3 2022_1 beijing_2 winter_3 games_3 = 2022_1 年_1 北京_2 冬奥会_3 * 1.5
    the_2 beijing_1 winter_2 games_2 = 北京_1 冬奥会_2
    the_3 2022_1 winter_3 games_3 in_2 beijing_2 = 2022_1 年_1 北京_2 冬奥会_3
    the winter games = 冬奥会
    the asian games = 亚运会
sports on show:
    {all match} ; {the match} ; {the olympics} * 3
    the_3 games_3 in_1 {city} = {city} 的_1 比赛_3
toys:
    {all device-game} ; {the device-game}
    the_4 games_4 on_1 {owner} phone_2 = {owner} 手机_2 上_1 的_1 游戏_4
    the_4 games_4 on_1 {owner} computer_2 = {owner} 电脑_2 上_1 的_1 游戏_4

# ---- deeds by place
language:
    chinese = 中文 ; english = 英语
study(X):
    read/reads/read/reading {X text} = 看 (了/过) {X text} * 2
    study/studies/studied/studying {language} = 学习 {language} (了)
leisure(X):
    watch/watches/watched/watching tv_2 = 看 电视_2 (了)
    watch/watches/watched/watching {X film} = 看 (了/过) {X film}
    watch/watches/watched/watching {sports on show} = 看 (了/过) {sports on show}
    listen/listens/listened/listening to music_2 = 听 音乐_2 (了)
    play/plays/played/playing {toys} = 玩 (了/过) {toys}
    sing/sings/sang/singing {X song} = 唱 (了/过) {X song} * 0.5
    play/plays/played/playing the_2 piano_2 = 弹 钢琴_2 (了) ; play/plays/played/playing the_2 guitar_2 = 弹 吉他_2 (了)
    play/plays/played/playing the_2 violin_2 = 拉 小提琴_2 (了) ; play/plays/played/playing chess_2 = 下 棋_2 (了)
sport(X):
    play/plays/played/playing {ball} = 打 {ball} (了) * 2
    play/plays/played/playing football_2 = 踢 足球_2 (了)
    run/runs/ran/running = 跑步 (了)
outing(X):
    take/takes/took/taking {X photo} = 拍 (了/过) {X photo}
    dance/dances/danced/dancing = 跳舞 (了)
    draw/draws/drew/drawing {X animal} = 画 (了/过) {X animal}
meal(X):
    eat/eats/ate/eating {X food} = 吃 (了/过) {X food} * 2
    drink/drinks/drank/drinking {beverage} = 喝 {beverage} (了)
    drink/drinks/drank/drinking a_2 cup_3 of_3 {beverage} = 喝 (了) 一_2 杯_3 {beverage}
goods(X):
    {X text} ; {X clothes} ; {X accessory} ; {X food} ; {X car} ; {X bike} ; {X thing} ; {X furniture} ; {X lamp} * 0.5
shopping(X):
    buy/buys/bought/buying {goods X} = 买 (了/过) {goods X}
chore(X):
    wash/washes/washed/washing {X clothes} = 洗 (了/过) {X clothes}
    wear/wears/wore/wearing {one clothes} = 穿 (了/过) {one clothes}
    wear/wears/wore/wearing {one accessory} = 戴 (了/过) {one accessory}
    ride/rides/rode/riding {one bike} = 骑 (了/过) {one bike}
    write/writes/wrote/writing/written {letter} to_2 {whom} = 给_2 {whom} 写 (了/过) {letter}
    give/gives/gave/giving {whom} {a present} = 给 (了) {whom} {a present}
    buy/buys/bought/buying {a present} for_2 {whom} = 给_2 {whom} 买 (了/过) {a present}
    sell/sells/sold/selling {goods X} = 卖 (了/过) {goods X}
    book/books/booked/booking {X ticket} = 订 (了/过) {X ticket}
    look/looks/looked/looking for {X thing} = 找 (了/过) {X thing}
    turn/turns/turned/turning on {the lamp} = 打开 (了/过) {the lamp}
    turn/turns/turned/turning off {the lamp} = 关掉 (了/过) {the lamp}
    wait/waits/waited/waiting for {whom} = 等 (了/过) {whom}
    help/helps/helped/helping {whom} = 帮助 (了/过) {whom}
    take/takes/took/taking medicine_2 = 吃 药_2 (了)
placed(D X):
    {D X} * 3
    {D X} {place D} = {place D|} {place D} {D X} * 2
    {D X} with_2 {company} = 跟_2 {company} {D X}
    {D X} with_2 {company} {place D} = 跟_2 {company} {place D|} {place D} {D X} * 0.7
letter:
    a_1 letter_2 = 一_1 封_2 信_2 ; {number} letters_2 = {number} 封_2 信_2
a present:
    {a text} ; {a accessory} ; {a thing} ; {a clothes}
company:
    {name} ; {owner} friends = {owner} 朋友 ; {relative name}
deed(X):
    {placed study X} ; {placed leisure X} * 3 ; {placed sport X} * 1.5 ; {placed outing X} * 1.5 ; {placed meal X}
    {placed shopping X} ; {chore X} * 4
luggage:
    a_2 umbrella_3 = 一_2 把_3 雨伞_3 ; {owner} umbrella_3 = {owner} 雨伞_3 ; {the pet} ; {whom}
travel:
    go/goes/went/going to {destination} = 去 (了/过) {destination} * 2
    take/takes/took/taking the_2 bus_2 to_3 {destination} = 坐 公交车_2 去_3 (了)_3 {destination}
    take/takes/took/taking the_2 train_2 to_3 {destination} = 坐 火车_2 去_3 (了)_3 {destination}
    drive/drives/drove/driving to_3 {destination} = 开车 去_3 (了)_3 {destination}
    walk/walks/walked/walking to_3 {destination} = 走路 去_3 (了)_3 {destination}
    take/takes/took/taking {luggage} to_3 {destination} = 带 {luggage} 去_3 (了)_3 {destination}
"""
