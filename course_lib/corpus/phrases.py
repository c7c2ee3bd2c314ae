"""What sentences are made of: noun phrases and verb phrases, in the notation of `grammar`.

N is a kind of noun (`text`, `clothes` ...). X says which objects a verb phrase takes, as its sentence demands:
`usual` (what one does often: reads books, a book), `any` (reads books), `some` (this book, three books) or
`known` (this book, books). (了/过) marks where an aspect particle goes.
"""

PHRASES = """
# ---- noun phrases
described(N):
    {N} * 3
    {adjective N.plain} {N} = {N|} | {adjective N+的} {N} * 2
one(N):                                                           # a certain one
    the {described N.one} = 那 {described N|} {described N} * 3
    this {described N.one} = 这 {described N|} {described N} * 1.5
    that {described N.one} = 那 {described N|} {described N}
    {owner} {described N.one} = {owner} {described N} * 2
a(N):
    a {described N.one} = 一 {described N|} {described N}
the(N):
    {one N} * 4
    the {described N.many} = 那些 {described N}
    these {described N.many} = 这些 {described N} * 0.7
    those {described N.many} = 那些 {described N} * 0.5
several(N):
    {a N} * 3
    {number} {described N.many} = {number} {described N|} {described N} * 2
    many {described N.many} = 很多 {described N} * 0.6
    some {described N.many} = 一些 {described N} * 0.6
all(N):
    {described N.many} = {described N}
usual(N):
    {all N} * 2 ; {a N}
any(N):
    {all N}
some(N):
    {the N} * 1.2 ; {several N}
known(N):
    {the N} * 2 ; {all N}
single usual(N):                                                  # what one person wears, drives ...
    {all N} ; {a N}
single any(N):
    {all N}
single some(N):
    {one N} ; {a N}
single known(N):
    {one N} * 2 ; {all N}

# ---- people
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
whom:
    me = 我 ; him = 他 ; her = 她 ; us = 我们 ; them = 他们 ; {name} * 2 ; {relative} * 1.5
    the {described person.one} = 那 {described person|} {described person} * 1.5
    {owner} {described friend.one} = {owner} {described friend}
company:
    {name} ; {relative} ; {owner} {friend.many} = {owner} {friend}
individual first:
    i = 我
individual plural:
    you = 你
individual third:
    he = 他 ; she = 她 ; {name} ; {relative} ; {owner} {friend.one} = {owner} {friend}
minor:
    he = 他 ; she = 她 ; {name} ; {kin owner} {offspring} = {kin owner} {offspring}
    the {youngster.one} = 那 {youngster|} {youngster}

# ---- games: 游戏, 比赛, 奥运会, 冬奥会, 亚运会
match:
    {ball} game/games = 场 | {ball} 比赛 * 2 ; football_1 game/games_2 = 场_2 | 足球_1 比赛_2
adjective match:
    {interest}
device-game:
    video_1 game/games_2 = 个_2 | 电子_1 游戏_2 ; computer_1 game/games_2 = 个_2 | 电脑_1 游戏_2
    phone_1 game/games_2 = 个_2 | 手机_1 游戏_2
adjective device-game:
    new = 新 ; {interest}
usual match:
    {all match}
any match:
    {all match}
some match:
    {one match} ; {several match} ; {event} * 3
known match:
    {one match} ; {all match} ; {event} * 3
event:
    the_2 {city} games_2 = {city} 奥运会_2 ; the olympic games = 奥运会
    the_3 beijing_1 winter_2 games_2 = 北京_1 冬奥会_2 ; the_3 winter games in_1 beijing_1 = 北京_1 冬奥会
    the winter games = 冬奥会 ; the asian games = 亚运会
    the_3 games_3 in_1 {city} = {city} 的_1 比赛_3
dated event:
    the_3 2022_1 beijing_2 winter_3 games_3 = 2022_1 年_1 北京_2 冬奥会_3 * 2
    the_3 2022_1 winter_3 games_3 in_2 beijing_2 = 2022_1 年_1 北京_2 冬奥会_3
    the_3 winter_3 games_3 of_1 2022_1 = 2022_1 年_1 冬奥会_3
    the_3 {host city} games_3 = {host city} 奥运会_3 * 2
    the_3 2008_1 games_3 in_2 beijing_2 = 2008_1 年_1 北京_2 奥运会_3
host city:
    2008_1 beijing_2 = 2008_1 年_1 北京_2 ; 2012_1 london_2 = 2012_1 年_1 伦敦_2 ; 2024_1 paris_2 = 2024_1 年_1 巴黎_2
usual device-game:
    {all device-game} ; {one app}
any device-game:
    {all device-game} ; {one app}
some device-game:
    {one device-game} ; {a device-game} ; {all device-game} * 2 ; {one app} * 2
known device-game:
    {one device-game} ; {all device-game} * 2 ; {one app} * 2
one app:
    the_4 games_4 on_1 {pronoun owner} phone_2 = {pronoun owner} 手机_2 上_1 的_1 游戏_4
    the_4 games_4 on_1 {pronoun owner} computer_2 = {pronoun owner} 电脑_2 上_1 的_1 游戏_4

# ---- what people do, by the places where they do it
study(X):
    read/reads/read/reading {X text} = 看 (了/过) {X text} * 2
    study/studies/studied/studying {language} = 学习 {language} (了)
leisure(X):
    watch/watches/watched/watching tv_2 = 看 电视_2 (了) * 0.5
    watch/watches/watched/watching {X film} = 看 (了/过) {X film}
    watch/watches/watched/watching {X match} = 看 (了/过) {X match} * 2.5
    listen/listens/listened/listening to music_2 = 听 音乐_2 (了) * 0.7
    play/plays/played/playing {X device-game} = 玩 (了/过) {X device-game} * 1.5
    sing/sings/sang/singing {X song} = 唱 (了/过) {X song}
    play/plays/played/playing {strings} = 弹 {strings} (了)
    play/plays/played/playing the_2 violin_2 = 拉 小提琴_2 (了) * 0.7
    play/plays/played/playing chess_2 = 下 棋_2 (了) * 0.7
strings:
    the piano = 钢琴 ; the guitar = 吉他
sport(X):
    play/plays/played/playing {ball} = 打 {ball} (了) * 1.5
    play/plays/played/playing football_2 = 踢 足球_2 (了)
    run/runs/ran/running = 跑步 (了)
outing(X):
    take/takes/took/taking {X snapshot} = 拍 (了/过) {X snapshot}
    dance/dances/danced/dancing = 跳舞 (了) ; swim/swims/swam/swimming = 游泳 (了)
usual snapshot:
    {all photo}
any snapshot:
    {all photo}
some snapshot:
    {several photo}
known snapshot:
    {all photo}
meal(X):
    eat/eats/ate/eating {X food} = 吃 (了/过) {X food} * 2
    drink/drinks/drank/drinking {X drink} = 喝 (了/过) {X drink} * 1.5
    cook/cooks/cooked/cooking = 做饭 (了) * 0.5
usual drink:
    {beverage} ; {cup}
any drink:
    {beverage}
some drink:
    {cup} * 2
known drink:
    {beverage}
cup:
    a_1 cup_2 of_2 {beverage} = 一_1 杯_2 {beverage} ; {number} cups_2 of_2 {beverage} = {number} 杯_2 {beverage}
shopping(X):
    buy/buys/bought/buying {X text} = 买 (了/过) {X text} ; buy/buys/bought/buying {X clothes} = 买 (了/过) {X clothes}
    buy/buys/bought/buying {X food} = 买 (了/过) {X food} ; buy/buys/bought/buying {X thing} = 买 (了/过) {X thing}
    buy/buys/bought/buying {X accessory} = 买 (了/过) {X accessory}
    buy/buys/bought/buying {X furniture} = 买 (了/过) {X furniture}
chore(X):
    wash/washes/washed/washing {X clothes} = 洗 (了/过) {X clothes}
    drive/drives/drove/driving {single X car} = 开 (了/过) {single X car} * 0.7
    ride/rides/rode/riding {single X bike} = 骑 (了/过) {single X bike} * 0.7
    book/books/booked/booking {X ticket} = 订 (了/过) {X ticket} * 2
    wait/waits/waited/waiting for {whom} = 等 (了/过) {whom} * 0.7
    help/helps/helped/helping {whom} = 帮助 (了/过) {whom} * 0.7
    take/takes/took/taking medicine_2 = 吃 药_2 (了) * 2
dressing(X):
    wear/wears/wore/wearing {single X clothes} = 穿 (了/过) {single X clothes}
    wear/wears/wore/wearing {single X accessory} = 戴 (了/过) {single X accessory}
errand:                                                           # what is done once
    turn/turns/turned/turning on {one lamp} = 打开 (了) {one lamp}
    turn/turns/turned/turning off {one lamp} = 关掉 (了) {one lamp}
    look/looks/looked/looking for {one thing} = 找 (了) {one thing}
    sell/sells/sold/selling {one car} = 卖 (了) {one car} ; sell/sells/sold/selling {one bike} = 卖 (了) {one bike}
    take/takes/took/taking {pronoun owner} umbrella_3 = 带 (了) {pronoun owner} 雨伞_3
    take/takes/took/taking the_2 umbrella_3 = 带 (了) 那_2 把_3 雨伞_3
gift:
    give/gives/gave/giving {whom} {several present} = 给 (了) {whom} {several present}
    buy/buys/bought/buying {several present} for_2 {whom} = 给_2 {whom} 买 (了) {several present}
    take_1 an_2 umbrella_3 = 带_1 一_2 把_3 雨伞_3
present:
    {text} ; {accessory} ; {thing}
adjective present:
    {age}
placed(D X):
    {D X} * 3
    {D X} {place D} = {place D|} {place D} {D X} * 2
    {D X} with_2 {company} = 跟_2 {company} {D X}
    {D X} with_2 {company} {place D} = 跟_2 {company} {place D|} {place D} {D X} * 0.7
deed(X):
    {placed study X} ; {placed leisure X} * 3 ; {placed sport X} * 1.5 ; {placed outing X} * 1.5
    {placed meal X} * 1.5 ; {placed shopping X} ; {chore X} * 3 ; {dressing X} * 1.5
act(X):
    {deed X} * 6 ; {errand}
here(D X):                                                        # after 正在, a place needs no 在
    {D X} * 1.5
    {D X} {place D} = {place D} {D X}
busy(X):
    {here study X} * 1.5 ; {here leisure X} * 3 ; {here sport X} * 1.5 ; {here outing X} * 1.5 ; {here meal X} * 1.5
    {chore X} * 1.5
travel:
    go/goes/went/going to {destination} = 去 (了) {destination}
    take/takes/took/taking {carrier} to_3 {destination} = 坐 {carrier} 去_3 (了)_3 {destination} * 1.5
    drive/drives/drove/driving to_3 {destination} = 开车 去_3 (了)_3 {destination} * 0.7
    walk/walks/walked/walking to_3 {near destination} = 走路 去_3 (了)_3 {near destination} * 0.7
    take/takes/took/taking {companion} to_3 {destination} = 带 {companion} 去_3 (了)_3 {destination}
    take/takes/took/taking {one pet} to_3 the_4 park_4 = 带 {one pet} 去_3 (了)_3 公园_4 * 0.5
carrier:
    the bus = 公交车 ; the train = 火车
near destination:
    the park = 公园 ; the library = 图书馆 ; the station = 车站 ; school = 学校 ; the bank = 银行 * 2
companion:
    {name} ; {kin owner} {kin} = {kin owner} {kin} ; {owner} {friend.many} = {owner} {friend}

# ---- what is liked, owned, practised
liked:
    {event} * 2 ; {dated event} * 3 ; {all match} ; {one match} ; {any device-game} * 2 ; {the film} ; {the song} * 2
    {all pet} ; {the pet} ; {the text} ; {all clothes} ; {the clothes} ; {one accessory} ; {beverage} * 0.7 ; {all food}
    {ball} * 0.7 ; {the photo} * 0.7 ; {the car} ; {relative} * 0.5
loved:
    {city} ; {relative} * 2 ; {ball} ; {all pet} ; {event} * 2 ; {dated event} * 2
several owned:
    {several pet} ; {several thing} ; {a car} ; {a bike} ; {several text} ; {several accessory} ; {several clothes} * 0.5
all owned:
    {all pet} ; {all thing} ; {all car} ; {all bike} ; {all text}
able:
    swim = 游泳 ; dance = 跳舞 ; cook = 做饭 ; drive = 开车 ; play {ball} = 打 {ball} * 1.5 ; speak {language} = 说 {language}
    play {strings} = 弹 {strings} ; play the_2 violin_2 = 拉 小提琴_2 ; play chess_2 = 下 棋_2
    play football_2 = 踢 足球_2 ; ride_1 a_2 bike_2 = 骑_1 自行车_2
practised:                                                        # what | how it is done
    swim/swims = 游泳 | 游 ; dance/dances = 跳舞 | 跳 ; cook/cooks = 做饭 | 做 ; sing/sings = 唱歌 | 唱
    play/plays {ball} = {ball} | 打 * 1.5 ; speak/speaks {language} = {language} | 说
    play/plays {strings} = {strings} | 弹 ; play/plays the_2 violin_2 = 小提琴_2 | 拉
    play/plays football_2 = 足球_2 | 踢
pastime:                                                          # doing | what
    watched tv_2 = 看 | 电视_2 ; played {ball} = 打 | {ball} ; played chess_2 = 下 | 棋_2
    studied {language} = 学习 | {language} ; played football_2 = 踢 | 足球_2 ; played {strings} = 弹 | {strings}
    listened to music_2 = 听 | 音乐_2 ; read books_2 = 看 | 书_2 ; played {all device-game} = 玩 | {all device-game}
diligent:
    work/works/worked/working hard_2 = 努力_2 工作 ; study/studies/studied/studying hard_2 = 努力_2 学习
    study/studies/studied/studying {language} hard_2 = 努力_2 学习 {language}
job at:
    work/works/worked/working {place work} = {place work|} {place work} 工作
feat:
    read/reads/read/reading {one text} = 看 (过) {one text} ; watch/watches/watched/watching {one film} = 看 (过) {one film}
    watch/watches/watched/watching {dated event} = 看 (过) {dated event}
    ride/rides/rode/riding/ridden a_2 horse_3 = 骑 (过) 马_3 ; play/plays/played/playing {ball} = 打 (过) {ball}
    play/plays/played/playing the_2 violin_2 = 拉 (过) 小提琴_2
    play/plays/played/playing {one device-game} = 玩 (过) {one device-game}
    go/goes/went/going/been to {city} = 去 (过) {city} * 2
finished:
    eat/eats/ate/eating/eaten {one food} = 吃 (了) {one food} ; read/reads/read/reading {one text} = 看 (了) {one text}
    buy/buys/bought/buying {one clothes} = 买 (了) {one clothes} ; watch/watches/watched/watching {one film} = 看 (了) {one film}
    wash/washes/washed/washing {the clothes} = 洗 (了) {the clothes} ; book/books/booked/booking {the ticket} = 订 (了) {the ticket}
    sell/sells/sold/selling {one car} = 卖 (了) {one car} ; take/takes/took/taking/taken {pronoun owner} medicine_2 = 吃 (了) {pronoun owner} 药_2
placed-thing:
    {text} * 2 ; {thing} ; {clothes} ; {accessory}
adjective placed-thing:
    {age}
choosable:
    {text} ; {film} ; {song} ; {car} ; {clothes} ; {match}

sky:
    rains = 下雨 ; snows = 下雪
was wet:
    rained = 下雨 ; snowed = 下雪
precipitate:
    rain = 下雨 ; snow = 下雪
outdoors:
    {placed sport known} ; {placed outing known} ; {travel} * 2
indoors:
    {study known} {at home} = {at home|} {at home} {study known} * 0.7
    {leisure known} {at home} = {at home|} {at home} {leisure known} * 2
    take_1 an_2 umbrella_3 = 带_1 一_2 把_3 雨伞_3
    take_1 {carrier} to_3 {destination} = 坐_1 {carrier} 去_3 {destination}
sited(X):
    {study X} ; {leisure X} * 1.5 ; {sport X} ; {meal X}
bought:
    {one clothes} ; {one accessory} ; {one thing} ; {one furniture}
countable:
    {text} ; {thing} ; {food} ; {clothes} ; {accessory} * 0.5
owned:
    {described clothes} ; {described thing} ; {described accessory} ; {described text} ; {described car} ; {described pet}
person trait:
    {predicate person.plain} ; {mood} * 0.5
item(N):
    the {N.one} = 那 {N|} {N} * 2
    this {N.one} = 这 {N|} {N}
    that {N.one} = 那 {N|} {N} * 0.5
    {owner} {N.one} = {owner} {N} * 1.5
item people:
    {third}
predicate people:
    {predicate person}

# ---- relative clauses
made text:
    read = 看 ; bought = 买
made clothes:
    bought = 买 ; wore = 穿 ; washed = 洗
made accessory:
    bought = 买 ; wore = 戴
made film:
    watched = 看
made song:
    sang = 唱
made photo:
    took = 拍
made thing:
    bought = 买
made furniture:
    bought = 买
made car:
    bought = 买 ; drove = 开
"""
