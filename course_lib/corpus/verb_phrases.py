"""Verb phrases and what goes into single sentence patterns, in the notation of `notation`.

X says which objects a verb phrase takes (see `noun_phrases`): usual, any, some, known or now, as the sentence
demands. (了/过) marks where an aspect particle goes.
"""

VERB_PHRASES = """
# ---- what people do, by the places where they do it
study(X):
    read/reads/read/reading {X text} = 看 (了/过) {X text} * 2
    study/studies/studied/studying {language} = 学 {language} (了)
    study/studies/studied/studying music_2 = 学 音乐_2 (了) * 0.7
    study/studies/studied/studying {strings} = 学 {strings} (了) * 0.5
    study/studies/studied/studying the_2 violin_2 = 学 小提琴_2 (了) * 0.3
leisure(X):
    {show X} * 2 ; {playing X}
show(X):
    watch/watches/watched/watching tv_2 = 看 电视_2 (了) * 0.5
    watch/watches/watched/watching {X film} = 看 (了/过) {X film}
    watch/watches/watched/watching {X match} = 看 (了/过) {X match} * 2.5
    listen/listens/listened/listening to music_2 = 听 音乐_2 (了) * 0.7
    play/plays/played/playing {X device-game} = 玩 (了/过) {X device-game} * 1.5
playing(X):
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
    {fare X} * 8 ; cook/cooks/cooked/cooking = 做饭 (了)
fare(X):
    eat/eats/ate/eating {X food} = 吃 (了/过) {X food}
    drink/drinks/drank/drinking {X drink} = 喝 (了/过) {X drink}
usual drink:
    {beverage} ; {cup}
any drink:
    {beverage}
some drink:
    {cup} * 2
known drink:
    {beverage}
now drink:
    {beverage} ; a_1 cup_2 of_2 {beverage} = 一_1 杯_2 {beverage} * 0.2
cup:
    a_1 cup_2 of_2 {beverage} = 一_1 杯_2 {beverage}
    {few} cups_2 of_2 {beverage} = {few} 杯_2 {beverage}
grocery(X):
    buy/buys/bought/buying {goods X food} = 买 (了/过) {goods X food}
shopping(X):
    {grocery X}
    buy/buys/bought/buying {goods X text} = 买 (了/过) {goods X text}
    buy/buys/bought/buying {goods X clothes} = 买 (了/过) {goods X clothes}
    buy/buys/bought/buying {goods X thing} = 买 (了/过) {goods X thing}
    buy/buys/bought/buying {goods X accessory} = 买 (了/过) {goods X accessory}
    buy/buys/bought/buying {goods X furniture} = 买 (了/过) {goods X furniture}
    buy/buys/bought/buying {X drink} = 买 (了/过) {X drink}
groceries(X):
    {grocery X} {place grocery} = {place grocery|} {place grocery} {grocery X}
bought there(X):
    {groceries X}
    {shopping X} {in city} = {in city|} {in city} {shopping X}
laundry(X):
    wash/washes/washed/washing {X clothes} = 洗 (了/过) {X clothes}
favor:
    help/helps/helped/helping {whom} = 帮助 (了) {whom}
chore(X):
    {laundry X} ; {favor} * 0.7
booking(X):
    book/books/booked/booking {X ticket} = 订 (了/过) {X ticket}
dose:
    take/takes/took/taking medicine_2 = 吃 药_2 (了)
vehicle(WHO):
    drive/drives/drove/driving {one car} = 开 (了) {one car}
    ride/rides/rode/riding a_2 bike_2 = 骑 自行车_2 (了)
    ride/rides/rode/riding {one bike} = 骑 (了) {one bike} * 0.5
vehicle plural:                                                   # several people need several bikes
    ride/rides/rode/riding bikes_2 = 骑 自行车_2 (了)
worn(WHO X):
    wear/wears/wore/wearing {single X garment} = 穿 (了/过) {single X garment}
    wear/wears/wore/wearing {single X accessory} = 戴 (了/过) {single X accessory}
worn plural(X):
    wear/wears/wore/wearing {all garment} = 穿 (了/过) {all garment}
    wear/wears/wore/wearing {all accessory} = 戴 (了/过) {all accessory}
errand:                                                           # what is done once
    sell/sells/sold/selling {one car} = 卖 (了) {one car}
    sell/sells/sold/selling {one bike} = 卖 (了) {one bike}
    sell/sells/sold/selling {one device} = 卖 (了) {one device}
    take/takes/took/taking {pronoun owner} umbrella_3 = 带 (了) {pronoun owner} 雨伞_3 * 0.4
    take/takes/took/taking the_2 umbrella_3 = 带 (了) 那_2 把_3 雨伞_3 * 0.4
switch:
    turn/turns/turned/turning on {one lamp} = 打开 (了) {one lamp}
    turn/turns/turned/turning off {one lamp} = 关掉 (了) {one lamp}
gift:
    give/gives/gave/giving {whom} {several present} = 给 (了) {whom} {several present}
    buy/buys/bought/buying {several present} for_2 {whom} = 给_2 {whom} 买 (了) {several present}
    take/takes/took/taking an_2 umbrella_3 = 带 (了) 一_2 把_3 雨伞_3 * 0.5
present:
    {text} ; {accessory} ; {thing} ; {chair}
given:
    {present} * 3 ; {key}
short given:
    {age}
adjective given:
    new = 新
short present:
    {age}
adjective present:
    new = 新
placed(D X):
    {D X} * 3
    {D X} {place D} = {place D|} {place D} {D X} * 2
    {D X} with_2 {company} = 跟_2 {company} 一起_2 {D X}
    {D X} with_2 {company} {place D} = 跟_2 {company} 一起_2 {place D|} {place D} {D X} * 0.7
practice(WHO X):                                                  # 会 before these is what one can do
    {placed sport X} * 1.5 ; {placed outing X} * 1.5 ; {placed playing X} ; {vehicle WHO}
    cook/cooks/cooked/cooking = 做饭 (了) * 0.2
deed(WHO X):
    {placed study X} ; {placed show X} * 2 ; {placed fare X} * 2 ; {shopping X} * 0.6
    {bought there X} * 0.4 ; {chore X} * 1.3 ; {booking X} * 1.5 ; {dose} ; {worn WHO X} * 2
routine(WHO X):                                                   # what is done again and again
    {hobby X} * 8 ; {groceries X} * 0.4 ; {laundry X} * 0.7 ; {vehicle WHO} ; {worn WHO X} * 2
wanted(WHO X):
    {hobby X} * 8 ; {shopping X} ; {chore X} ; {booking X} ; {vehicle WHO} ; {worn WHO X} ; {errand} * 0.7
    {switch} * 0.7
duty(X):
    {placed study X} ; {chore X} * 2 ; {booking X} ; {dose} * 2 ; {errand} ; {switch}
    cook = 做饭
hobby(X):
    {placed study X} ; {placed leisure X} * 3 ; {placed sport X} * 1.5 ; {placed outing X} * 1.5
    {placed meal X} * 1.5
effortful(X):
    {placed study X} ; {placed leisure X} * 2 ; {placed sport X} ; {placed outing X} ; {chore X}
mere act(WHO X):
    {deed WHO X} * 4 ; {errand}
act(WHO X):
    {practice WHO X} ; {mere act WHO X} * 3
here(D X):                                                        # after 正在, a place needs no 在
    {D X} * 1.5
    {D X} {place D} = {place D} {D X}
busy(WHO X):
    {here study X} * 1.5 ; {here leisure X} * 3 ; {here sport X} * 1.5 ; {here outing X} * 1.5
    {here meal X} * 1.5 ; {chore X} * 0.8 ; {booking X} * 0.7 ; {dose} * 0.7 ; {vehicle WHO} * 0.7
    look/looks/looked/looking for {one thing} = 找 {one thing} * 0.5
    look/looks/looked/looking for {one key} = 找 {one key} * 0.2
commute:
    go/goes/went/going to {local} = 去 (了) {local}
    take/takes/took/taking the bus_2 to_3 {local} = 坐 公交车_2 去_3 (了)_3 {local}
    drive/drives/drove/driving to_3 {local} = 开车 去_3 (了)_3 {local} * 0.5
    walk/walks/walked/walking to_3 {near local} = 走路 去_3 (了)_3 {near local} * 0.7
trip:
    go/goes/went/going to {city} = 去 (了) {city}
    take/takes/took/taking the train_2 to_3 {city} = 坐 火车_2 去_3 (了)_3 {city} * 1.5
    drive/drives/drove/driving to_3 {city} = 开车 去_3 (了)_3 {city} * 0.5
    take/takes/took/taking {companion} to_3 {city} = 带 {companion} 去_3 (了)_3 {city}
    take/takes/took/taking {companion} to_3 {local} = 带 {companion} 去_3 (了)_3 {local}
    take/takes/took/taking {one pet} to_3 the_4 park_4 = 带 {one pet} 去_3 (了)_3 公园_4 * 0.8
    take/takes/took/taking {one luggage} to_3 {local} = 带 {one luggage} 去_3 (了)_3 {local} * 0.8
luggage:
    {text} ; {gadget} * 1.5 ; {map} * 0.5
short luggage:
    {age}
adjective luggage:
    {age}
travel:
    {commute} * 1.5 ; {trip} * 2
companion:
    {name} ; {kin owner} {kin} = {kin owner} {kin} ; {owner} {friend.many} = {owner} {friend}

# ---- what is liked, owned, practised
liked:
    {event} * 2 ; {dated event} * 3 ; {all match} ; {one match} ; {any device-game} * 2 ; {the film}
    {the song} * 2
    {all pet} ; {the pet} ; {the text} ; {all clothes} ; {the clothes} ; {one accessory} ; {beverage} * 0.7
    {all food}
    {language} * 0.5 ; {ball} * 0.7 ; {the photo} ; {the car} ; {the thing} * 0.5 ; {relative} * 0.5
loved:
    {city} ; {relative} ; {ball} ; {all pet}
several owned:
    {several pet} ; {several thing} ; {several key} * 0.5 ; {a car} ; {a bike} ; {several text}
    {several accessory} ; {several clothes} * 0.5
lacking:
    {lone pet} ; {lone thing} ; {lone key} * 0.5 ; {lone car} ; {lone bike} ; {lone accessory}
able:
    {fun} * 8 ; drive = 开车 ; speak {language} = 说 {language} ; ride_1 a_2 bike_2 = 骑_1 自行车_2
fun:
    swim = 游泳 ; dance = 跳舞 ; cook = 做饭 ; play {ball} = 打 {ball} * 1.5
    play {strings} = 弹 {strings} ; play the_2 violin_2 = 拉 小提琴_2 ; play chess_2 = 下 棋_2
    play football_2 = 踢 足球_2
practised:                                                        # what | how it is done
    swim/swims = 游泳 | 游 ; dance/dances = 跳舞 | 跳 ; cook/cooks = 做饭 | 做 ; sing/sings = 唱歌 | 唱
    play/plays {ball} = {ball} | 打 * 1.5 ; speak/speaks {language} = {language} | 说
    play/plays {strings} = {strings} | 弹 ; play/plays the_2 violin_2 = 小提琴_2 | 拉
    play/plays football_2 = 足球_2 | 踢
pastime:                                                          # doing | what
    watched tv_2 = 看 | 电视_2 ; played {ball} = 打 | {ball} ; played chess_2 = 下 | 棋_2
    studied {language} = 学 | {language} ; played football_2 = 踢 | 足球_2
    played {strings} = 弹 | {strings}
    listened to music_2 = 听 | 音乐_2 ; read books_2 = 看 | 书_2
    played {device-game.many} = 玩 | {device-game}
diligent:
    work/works/worked/working hard_2 = 努力_2 工作 ; study/studies/studied/studying hard_2 = 努力_2 学习
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
    buy/buys/bought/buying {pointed clothes} = 买 (了) {pointed clothes}
    watch/watches/watched/watching {one film} = 看 (了) {one film}
    wash/washes/washed/washing {the clothes} = 洗 (了) {the clothes}
    book/books/booked/booking {the ticket} = 订 (了) {the ticket}
    sell/sells/sold/selling {one car} = 卖 (了) {one car} ; {switch}
    take/takes/took/taking/taken the_2 medicine_2 = 吃 (了) 药_2
placed-thing:
    {text} * 2 ; {gadget} ; {key} * 1.5 ; {map} * 0.4 ; {clothes} ; {accessory}
short placed-thing:
    {age}
adjective placed-thing:
    {age}
choosable:
    {text} ; {film} ; {song} ; {car} ; {clothes} ; {match} ; {map} * 0.7
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
    take_1 an_2 umbrella_3 = 带_1 一_2 把_3 雨伞_3 * 0.5
    drive_1 to_3 {local} = 开车_1 去_3 {local} * 0.75
    take_1 the_1 bus_2 to_3 {local} = 坐_1 公交车_2 去_3 {local} * 0.25
    take_1 the_1 train_2 to_3 {city} = 坐_1 火车_2 去_3 {city}
asked act:
    {practice third known} ; {deed third known} * 3
sited(X):
    {study X} ; {leisure X} * 1.5 ; {sport X} ; {meal X}
bought:
    {pointed clothes} ; {pointed accessory} ; {pointed thing} ; {pointed furniture}
countable:
    {text} ; {furniture} * 0.7 ; {thing} ; {key} * 0.5 ; {food} ; {clothes} ; {accessory} * 0.5
owned:
    {own clothes} ; {own thing} ; {own key} * 0.5 ; {own accessory} ; {own text} ; {own car} ; {own pet}
person trait:
    {predicate person.plain} * 2 ; {mood}

# ---- relative clauses
made text:
    read = 看 ; bought = 买
made clothes:
    bought = 买
made garment:
    wore = 穿
made accessory:
    bought = 买 ; wore = 戴
made film:
    watched = 看
made song:
    sang = 唱
made photo:
    took = 拍
made tool:
    bought = 买
made seat:
    bought = 买
made car:
    bought = 买 ; drove = 开
"""
