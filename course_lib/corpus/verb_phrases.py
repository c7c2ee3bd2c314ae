"""Verb phrases and what goes into single sentence patterns, in the notation of `notation`.

X says which objects a verb phrase takes (see `noun_phrases`): usual, any, some, known or now, as the sentence
demands. (了/过) marks where an aspect particle goes.
"""

VERB_PHRASES = """
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
    swim/swims/swam/swimming = 游泳 (了)
outing(X):
    take/takes/took/taking {X snapshot} = 拍 (了/过) {X snapshot}
    dance/dances/danced/dancing = 跳舞 (了) ; run/runs/ran/running = 跑步 (了)
some snapshot:
    {several snapshot}
known snapshot:
    {all snapshot}
now snapshot:
    {all snapshot}
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
now drink:
    {beverage} ; a_1 cup_2 of_2 {beverage} = 一_1 杯_2 {beverage}
cup:
    a_1 cup_2 of_2 {beverage} = 一_1 杯_2 {beverage}
    {number} cups_2 of_2 {beverage} = {number} 杯_2 {beverage}
shopping(X):
    buy/buys/bought/buying {X text} = 买 (了/过) {X text}
    buy/buys/bought/buying {X clothes} = 买 (了/过) {X clothes}
    buy/buys/bought/buying {X food} = 买 (了/过) {X food}
    buy/buys/bought/buying {X thing} = 买 (了/过) {X thing}
    buy/buys/bought/buying {X accessory} = 买 (了/过) {X accessory}
    buy/buys/bought/buying {X furniture} = 买 (了/过) {X furniture}
bought there(X):
    {shopping X} {place shopping} = {place shopping|} {place shopping} {shopping X}
chore(X):
    wash/washes/washed/washing {X clothes} = 洗 (了/过) {X clothes}
    drive/drives/drove/driving {single X car} = 开 (了/过) {single X car} * 0.7
    ride/rides/rode/riding {single X bike} = 骑 (了/过) {single X bike} * 0.7
    book/books/booked/booking {X ticket} = 订 (了/过) {X ticket} * 2
    help/helps/helped/helping {whom} = 帮助 (了/过) {whom} * 0.7
    take/takes/took/taking medicine_2 = 吃 药_2 (了) * 2
dressing(X):
    wear/wears/wore/wearing {single X clothes} = 穿 (了/过) {single X clothes}
    wear/wears/wore/wearing {single X accessory} = 戴 (了/过) {single X accessory}
errand:                                                           # what is done once
    turn/turns/turned/turning on {one lamp} = 打开 (了) {one lamp}
    turn/turns/turned/turning off {one lamp} = 关掉 (了) {one lamp}
    look/looks/looked/looking for {one thing} = 找 (了) {one thing}
    sell/sells/sold/selling {one car} = 卖 (了) {one car}
    sell/sells/sold/selling {one bike} = 卖 (了) {one bike}
    take/takes/took/taking {pronoun owner} umbrella_3 = 带 (了) {pronoun owner} 雨伞_3
    take/takes/took/taking the_2 umbrella_3 = 带 (了) 那_2 把_3 雨伞_3
gift:
    give/gives/gave/giving {whom} {several present} = 给 (了) {whom} {several present}
    buy/buys/bought/buying {several present} for_2 {whom} = 给_2 {whom} 买 (了) {several present}
    take/takes/took/taking an_2 umbrella_3 = 带 (了) 一_2 把_3 雨伞_3
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
    {placed meal X} * 1.5 ; {shopping X} * 0.6 ; {bought there X} * 0.4 ; {chore X} * 3 ; {dressing X} * 1.5
hobby(X):
    {placed study X} ; {placed leisure X} * 3 ; {placed sport X} * 1.5 ; {placed outing X} * 1.5
    {placed meal X}
effortful(X):
    {placed study X} ; {placed leisure X} * 2 ; {placed sport X} ; {placed outing X} ; {chore X}
act(X):
    {deed X} * 6 ; {errand}
here(D X):                                                        # after 正在, a place needs no 在
    {D X} * 1.5
    {D X} {place D} = {place D} {D X}
busy(X):
    {here study X} * 1.5 ; {here leisure X} * 3 ; {here sport X} * 1.5 ; {here outing X} * 1.5
    {here meal X} * 1.5
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
    {event} * 2 ; {dated event} * 3 ; {all match} ; {one match} ; {any device-game} * 2 ; {the film}
    {the song} * 2
    {all pet} ; {the pet} ; {the text} ; {all clothes} ; {the clothes} ; {one accessory} ; {beverage} * 0.7
    {all food}
    {ball} * 0.7 ; {the photo} * 0.7 ; {the car} ; {relative} * 0.5
loved:
    {city} ; {relative} * 2 ; {ball} ; {all pet} ; {event} * 2 ; {dated event} * 2
several owned:
    {several pet} ; {several thing} ; {a car} ; {a bike} ; {several text} ; {several accessory}
    {several clothes} * 0.5
all owned:
    {all pet} ; {all thing} ; {all car} ; {all bike} ; {all text}
able:
    swim = 游泳 ; dance = 跳舞 ; cook = 做饭 ; drive = 开车 ; play {ball} = 打 {ball} * 1.5
    speak {language} = 说 {language}
    play {strings} = 弹 {strings} ; play the_2 violin_2 = 拉 小提琴_2 ; play chess_2 = 下 棋_2
    play football_2 = 踢 足球_2 ; ride_1 a_2 bike_2 = 骑_1 自行车_2
practised:                                                        # what | how it is done
    swim/swims = 游泳 | 游 ; dance/dances = 跳舞 | 跳 ; cook/cooks = 做饭 | 做 ; sing/sings = 唱歌 | 唱
    play/plays {ball} = {ball} | 打 * 1.5 ; speak/speaks {language} = {language} | 说
    play/plays {strings} = {strings} | 弹 ; play/plays the_2 violin_2 = 小提琴_2 | 拉
    play/plays football_2 = 足球_2 | 踢
pastime:                                                          # doing | what
    watched tv_2 = 看 | 电视_2 ; played {ball} = 打 | {ball} ; played chess_2 = 下 | 棋_2
    studied {language} = 学习 | {language} ; played football_2 = 踢 | 足球_2
    played {strings} = 弹 | {strings}
    listened to music_2 = 听 | 音乐_2 ; read books_2 = 看 | 书_2
    played {all device-game} = 玩 | {all device-game}
diligent:
    work/works/worked/working hard_2 = 努力_2 工作 ; study/studies/studied/studying hard_2 = 努力_2 学习
    study/studies/studied/studying {language} hard_2 = 努力_2 学习 {language}
job at:
    work/works/worked/working {place work} = {place work|} {place work} 工作
feat:
    read/reads/read/reading {one text} = 看 (过) {one text}
    watch/watches/watched/watching {one film} = 看 (过) {one film}
    watch/watches/watched/watching {dated event} = 看 (过) {dated event}
    ride/rides/rode/riding/ridden a_2 horse_3 = 骑 (过) 马_3
    play/plays/played/playing {ball} = 打 (过) {ball}
    play/plays/played/playing the_2 violin_2 = 拉 (过) 小提琴_2
    play/plays/played/playing {one device-game} = 玩 (过) {one device-game}
    go/goes/went/going/been to {city} = 去 (过) {city} * 2
finished:
    eat/eats/ate/eating/eaten {one food} = 吃 (了) {one food}
    read/reads/read/reading {one text} = 看 (了) {one text}
    buy/buys/bought/buying {one clothes} = 买 (了) {one clothes}
    watch/watches/watched/watching {one film} = 看 (了) {one film}
    wash/washes/washed/washing {the clothes} = 洗 (了) {the clothes}
    book/books/booked/booking {the ticket} = 订 (了) {the ticket}
    sell/sells/sold/selling {one car} = 卖 (了) {one car}
    take/takes/took/taking/taken {pronoun owner} medicine_2 = 吃 (了) {pronoun owner} 药_2
placed-thing:
    {text} * 2 ; {thing} ; {clothes} ; {accessory}
adjective placed-thing:
    {age}
choosable:
    {text} ; {film} ; {song} ; {car} ; {clothes} ; {match}
watchable:
    {film} ; {match}

pointer:
    this = 这 ; that = 那
sky:
    rains = 下雨 ; snows = 下雪
was wet:
    rained = 下雨 ; snowed = 下雪
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
    {pointed clothes} ; {pointed accessory} ; {pointed thing} ; {pointed furniture}
countable:
    {text} ; {thing} ; {food} ; {clothes} ; {accessory} * 0.5
owned:
    {described clothes} ; {described thing} ; {described accessory} ; {described text} ; {described car}
    {described pet}
person trait:
    {predicate person.plain} * 2 ; {mood}
item(N):
    the {N.one} = 那 {N|} {N} * 2
    this {N.one} = 这 {N|} {N}
    that {N.one} = 那 {N|} {N} * 0.5
    {owner} {N.one} = {owner} {N} * 1.5
rival:
    me = 我 ; you = 你 ; him = 他 ; {name} * 3

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
