"""Sentence patterns, in the notation of `grammar`: every category here is a structure that a pair reports.

WHO is the person of the subject (first, plural, third), which am/are/is and the like agree with.
"""

PATTERNS = """
sentence:
    {telling first} ; {telling plural} * 1.3 ; {telling third} * 2
    {asking plural} * 0.6 ; {asking third} * 0.9 ; {other} * 2
anyone:
    {first} ; {plural} ; {third} * 3

telling(WHO):
    {habit WHO} * 1.5 ; {frequency WHO} ; {past WHO} * 2.5 ; {future WHO} * 1.5 ; {now WHO} * 1.5
    {negative habit WHO} ; {negative past WHO} ; {negative future WHO} * 0.7 ; {trip WHO} * 2 ; {wish WHO} * 1.5
    {liking WHO} * 2.5 ; {owning WHO} ; {identity WHO} * 1.5 ; {feeling WHO} ; {ability WHO} ; {skill WHO}
    {duration WHO} ; {effort WHO} ; {experience WHO} ; {perfect WHO} ; {placing WHO} * 1.5 ; {opinion WHO} * 1.5
    {condition WHO} * 1.5 ; {reason WHO} * 1.5 ; {meanwhile WHO} * 1.5 ; {liking what was WHO}
asking(WHO):
    {yes or no WHO} * 4 ; {what WHO} ; {where WHO} ; {when WHO} ; {why WHO} ; {which WHO} ; {how many WHO} ; {choice WHO}
other:
    {quality} * 2 ; {comparison} * 2 ; {relative subject} * 1.5 ; {relative person} ; {existence} * 2 ; {location}
    {who} ; {whose} * 0.5 ; {weather} * 0.5 ; {passive} ; {request} ; {age of} * 0.7

# ---- statements
habit(WHO):
    {WHO} {deed some.present} {habit time} = {WHO} {habit time} {deed some}
frequency(WHO):
    {WHO} {often} {deed some.present} = {WHO} {often} {deed some}
past(WHO):
    {WHO} {deed some.past} {past time} = {WHO} {past time} {deed some+了} * 3
    {past time} {WHO} {deed some.past} = {past time} {WHO} {deed some+了}
future(WHO):
    {WHO} will {deed some.base} {future time} = {WHO} {future time} 会 {deed some}
    {WHO} am/are/is going to {deed some.base} {future time} = {WHO} {future time} 要 {deed some}
now(WHO):
    {WHO} am/are/is {busy some.ing} now = {WHO} 正在 {busy some}
    {WHO} am/are/is {busy some.ing} = {WHO} 正在 {busy some}
busy(X):
    {study X} ; {leisure X} * 3 ; {sport X} ; {meal X} ; {chore X} * 1.5
    {study X} {place study} = {place study} {study X}
    {leisure X} {place leisure} = {place leisure} {leisure X}
    {sport X} {place sport} = {place sport} {sport X}
    {outing X} {place outing} = {place outing} {outing X} * 2
negative habit(WHO):
    {WHO} do/do/does not {deed the.base} {habit time} = {WHO} {habit time} 不 {deed the}
negative past(WHO):
    {WHO} did not {deed the.base} {past time} = {WHO} {past time} 没 {deed the}
negative future(WHO):
    {WHO} will_1 not_2 {deed the.base} {future time} = {WHO} {future time} 不_2 会_1 {deed the}
trip(WHO):
    {WHO} {travel.past} {past time} = {WHO} {past time} {travel+了}
    {WHO} will {travel.base} {future time} = {WHO} {future time} 会 {travel}
    {WHO} {travel.present} {habit time} = {WHO} {habit time} {travel}
    {WHO} did not {travel.base} {past time} = {WHO} {past time} 没 {travel}
wish(WHO):
    {WHO} want/want/wants to {deed the.base} = {WHO} 想 {deed the}
    {WHO} want/want/wants to {travel.base} = {WHO} 想 {travel} * 0.5
    {WHO} like/like/likes to {deed the.base} = {WHO} 喜欢 {deed the}
    {WHO} have/have/has to {deed the.base} = {WHO} 必须 {deed the} * 0.7
liked:
    {sports on show} * 3 ; {toys} * 1.5 ; {the film} ; {the song} ; {all pet} ; {the pet} ; {the text} ; {the clothes}
    {beverage} * 0.5 ; {all food} ; {ball} * 0.7 ; {the photo} * 0.7 ; {the car} ; {relative name} * 0.5
liking(WHO):
    {WHO} like/like/likes {liked} = {WHO} 喜欢 {liked} * 2
    {WHO} love/love/loves {liked} = {WHO} 爱 {liked}
    {WHO} do/do/does not like {liked} = {WHO} 不 喜欢 {liked}
    {WHO} also like/like/likes_2 {liked} = {WHO} 也 喜欢_2 {liked} * 0.7
    {WHO} know/know/knows {whom} = {WHO} 认识 {whom}
    {WHO} know/know/knows the_2 answer_2 = {WHO} 知道 答案_2 * 0.5
    {WHO} need/need/needs {the thing} = {WHO} 需要 {the thing}
    {WHO} look/look/looks like_2 {relative name} = {WHO} 看起来 像_2 {relative name}
owning(WHO):
    {WHO} have/have/has {a owned} = {WHO} 有 {a owned} * 2
    {WHO} do/do/does not have {all owned} = {WHO} 没有 {all owned}
a owned:
    {a pet} ; {a thing} ; {a car} ; {a bike} ; {a text} ; {a furniture} ; {a accessory}
all owned:
    {all pet} ; {all thing} ; {all car} ; {all bike} ; {all text}
identity(WHO):
    {identity of WHO}
identity of(WHO):
    {single WHO} am/are/is a_2 {described person.one} = {single WHO} 是 一_2 {described person|} {described person} * 2
    {single WHO} am/are/is not_2 a_1 {described person.one} = {single WHO} 不_2 是 {described person}
    {WHO} am/are/is from {city} = {WHO} 来自 {city}
single first:
    i = 我
single plural:
    you = 你
single third:
    {third}
feeling(WHO):
    {WHO} am/are/is {mood.plain} = {WHO} 很 {mood}
    {WHO} am/are/is very_2 {mood.plain} = {WHO} 非常_2 {mood}
    {WHO} am/are/is not {mood.plain} = {WHO} 不 {mood} * 0.7
    {WHO} am/are/is too_2 {mood.plain} = {WHO} 太_2 {mood} 了_2 * 0.7
able:
    swim = 游泳 ; dance = 跳舞 ; cook = 做饭 ; drive = 开车 ; play {ball} = 打 {ball} ; speak {language} = 说 {language}
    play the_2 piano_2 = 弹 钢琴_2 ; play the_2 guitar_2 = 弹 吉他_2 ; play the_2 violin_2 = 拉 小提琴_2
    play chess_2 = 下 棋_2 ; play football_2 = 踢 足球_2 ; ride_1 a_2 bike_2 = 骑_1 自行车_2
ability(WHO):
    {WHO} can {able} = {WHO} 会 {able}
    {WHO} cannot {able} = {WHO} 不 会 {able}
practised:                                                        # what is done | doing it
    swim/swims = 游泳 | 游 ; dance/dances = 跳舞 | 跳 ; cook/cooks = 做饭 | 做 ; sing/sings = 唱歌 | 唱
    play/plays {ball} = {ball} | 打 ; speak/speaks {language} = {language} | 说
    play/plays the_2 piano_2 = 钢琴_2 | 弹 ; play/plays the_2 guitar_2 = 吉他_2 | 弹
    play/plays the_2 violin_2 = 小提琴_2 | 拉 ; play/plays football_2 = 足球_2 | 踢
skill(WHO):
    {WHO} {practised.present} well_2 = {WHO} {practised|} {practised} 得_2 很_2 好_2
    {WHO} {practised.present} very_1 well_2 = {WHO} {practised|} {practised} 得_2 非常_1 好_2
    {WHO} do/do/does not_1 {practised.base} well_2 = {WHO} {practised|} {practised} 得_2 不_1 好_2
pastime:                                                          # verb | object
    watched tv_2 = 看 | 电视_2 ; played {ball} = 打 | {ball} ; played chess_2 = 下 | 棋_2
    studied {language} = 学习 | {language} ; played football_2 = 踢 | 足球_2
    played the_2 piano_2 = 弹 | 钢琴_2 ; listened to music_2 = 听 | 音乐_2 ; read books_2 = 看 | 书_2
duration(WHO):
    {WHO} {pastime} for_1 {number} hours_2 {past time} = {WHO} {past time} {pastime|} 了_1 {number} 个_2 小时_2 {pastime}
diligent:
    work/works/worked/working hard_2 = 努力_2 工作 ; study/studies/studied/studying hard_2 = 努力_2 学习
    study/studies/studied/studying {language} hard_2 = 努力_2 学习 {language}
effort(WHO):
    {WHO} {diligent.present} {habit time} = {WHO} {habit time} {diligent}
    {WHO} should {diligent.base} = {WHO} 应该 {diligent}
    {WHO} am/are/is {diligent.ing} = {WHO} 正在 {diligent}
    {WHO} {work.present} {place work} {habit time} = {WHO} {habit time} {place work|} {place work} {work}
work:
    work/works/worked/working = 工作
feat:
    read/reads/read/reading {the text} = 看 (过) {the text} ; watch/watches/watched/watching {the film} = 看 (过) {the film}
    ride/rides/rode/riding/ridden a_2 horse_3 = 骑 (过) 马_3 ; play/plays/played/playing {ball} = 打 (过) {ball}
    play/plays/played/playing the_2 violin_2 = 拉 (过) 小提琴_2 ; play/plays/played/playing {the device-game} = 玩 (过) {the device-game}
    go/goes/went/going/been to {city} = 去 (过) {city} * 2 ; watch/watches/watched/watching {the olympics} = 看 (过) {the olympics}
experience(WHO):
    {WHO} have/have/has never {feat.done} = {WHO} 从来 没 {feat+过}
    {WHO} have/have/has {feat.done} = {WHO} {feat+过}
finished:
    eat/eats/ate/eating/eaten {the food} = 吃 (了) {the food} ; buy/buys/bought/buying {the clothes} = 买 (了) {the clothes}
    read/reads/read/reading {the text} = 看 (了) {the text} ; watch/watches/watched/watching {the film} = 看 (了) {the film}
    wash/washes/washed/washing {the clothes} = 洗 (了) {the clothes} ; book/books/booked/booking {the ticket} = 订 (了) {the ticket}
    sell/sells/sold/selling {the car} = 卖 (了) {the car}
perfect(WHO):
    {WHO} have/have/has_1 already_2 {finished.done} = {WHO} 已经_2 {finished+了}
    {WHO} have/have/has_1 not_1 {finished.done} yet_2 = {WHO} 还_2 没_1 {finished}
placing(WHO):
    {WHO} put {the placed-thing} {spot} {past time} = {WHO} {past time} 把 {the placed-thing} 放 在 {spot} 了
    {WHO} will_1 put_2 {the placed-thing} {spot} = {WHO} 会_1 把_2 {the placed-thing} 放_2 在_2 {spot}
    {WHO} gave {one present} to {whom} {past time} = {WHO} {past time} 把 {one present} 给 了 {whom}
placed-thing:
    {text} ; {thing} ; {clothes} ; {accessory}
adjective placed-thing:
    {age}
present:
    {text} ; {accessory} ; {thing}
adjective present:
    {age}
spot:
    on_1 the_2 table_2 = 桌子_2 上_1 ; in_1 the_2 box_2 = 箱子_2 里_1 ; on_1 the_2 bed_2 = 床_2 上_1
    on_1 the_2 chair_2 = 椅子_2 上_1 ; under_1 the_2 table_2 = 桌子_2 下面_1
scene:
    under_1 the_2 tree_2 = 树_2 下_1 ; in_1 the_2 park_2 = 公园_2 里_1
    on_1 the_2 river_2 bank_2 = 河岸_2 上_1 * 2 ; on_1 the_2 bank_2 of_2 the_2 river_2 = 河岸_2 上_1 * 2
    near_1 the_2 bank_2 = 银行_2 附近_1 * 2 ; near_1 the_2 station_2 = 车站_2 附近_1
opinion(WHO):
    {WHO} think/think/thinks that_1 {belief} = {WHO} 觉得 {belief}
    {WHO} say/say/says {belief} = {WHO} 说 {belief}
    {WHO} know/know/knows that_1 {fact} = {WHO} 知道_1 {fact}
    {WHO} hope/hope/hopes {plan} = {WHO} 希望 {plan}
belief:
    {quality} ; {comparison} ; {plan} ; {identity of third}
fact:
    {identity of third}
plan:
    {third} will {travel.base} {future time} = {third} {future time} 会 {travel}
    it will rain_2 {future time} = {future time} 会 下雨_2 * 0.3
    {third} will {deed the.base} {future time} = {third} {future time} 会 {deed the}
sky:
    rains = 下雨 ; snows = 下雪
condition(WHO):
    if_1 it_2 {sky} {future time} ,_3 {WHO} will_4 not_5 {outdoor.base} = 如果_1 {future time} {sky} ，_3 {WHO} 就_1 不_5 会_4 {outdoor} * 2
    {WHO} will_4 not_5 {outdoor.base} if_1 it_2 {sky} {future time} = 如果_1 {future time} {sky} ，_1 {WHO} 就_1 不_5 会_4 {outdoor} * 2
    if_1 it_2 {sky} {future time} ,_3 {WHO} will_4 {indoor.base} = 如果_1 {future time} {sky} ，_3 {WHO} 就_1 会_4 {indoor}
    {WHO} will_4 {indoor.base} if_1 it_2 {sky} {future time} = 如果_1 {future time} {sky} ，_1 {WHO} 就_1 会_4 {indoor}
outdoor:
    {placed sport the} ; {travel} * 2 ; {placed outing the} ; {chore the}
indoor:
    {study the} {at home} = {at home|} {at home} {study the} ; {leisure the} {at home} = {at home|} {at home} {leisure the} * 3
    take_1 {luggage} to_3 {destination} = 带_1 {luggage} 去_3 {destination}
reason(WHO):
    {WHO} did_1 not_1 {deed the.base} because_2 {anyone weary} = 因为_2 {anyone weary} ，_2 所以_2 {WHO} 没_1 {deed the}
    because_2 {anyone weary} ,_3 {WHO} did_1 not_1 {deed the.base} = 因为_2 {anyone weary} ，_3 所以_2 {WHO} 没_1 {deed the} * 0.6
anyone weary:
    {weary first} ; {weary plural} ; {weary third} * 3
weary(WHO):
    {WHO} was/were/was {mood.plain} = {WHO} 很 {mood}
meanwhile(WHO):
    when_1 {anyone} came_2 home_2 ,_3 {WHO} was/were/was_4 {busy some.ing} = {anyone} 回家_2 的_1 时候_1 ，_3 {WHO} 正在_4 {busy some}
    {WHO} was/were/was_4 {busy some.ing} when_1 {anyone} came_2 home_2 = {anyone} 回家_2 的_1 时候_1 ，_1 {WHO} 正在_4 {busy some}

# ---- relative clauses
made text:
    read = 看 ; bought = 买
made clothes:
    bought = 买 ; wore = 穿 ; washed = 洗
made accessory:
    bought = 买 ; wore = 戴
made film:
    watched = 看
made photo:
    took = 拍
made thing:
    bought = 买
made food:
    bought = 买 ; ate = 吃
made car:
    bought = 买 ; drove = 开
relative(N):
    the_1 {described N.one} that_2 {anyone} {made N} = {anyone} {made N} 的_2 那_1 {described N|} {described N}
    the_1 {described N.one} that_2 {anyone} {made N} {past time} = {anyone} {past time} {made N} 的_2 那_1 {described N|} {described N}
relative subject:
    {relative text} is {predicate text.plain} = {relative text} 很 {predicate text}
    {relative clothes} is {predicate clothes.plain} = {relative clothes} 很 {predicate clothes}
    {relative thing} is {predicate thing.plain} = {relative thing} 很 {predicate thing}
    {relative film} is {predicate film.plain} = {relative film} 很 {predicate film}
    {relative car} is {predicate car.plain} = {relative car} 很 {predicate car}
liking what was(WHO):
    {WHO} like/like/likes {relative text} = {WHO} 喜欢 {relative text}
relative person:
    the_1 {described person.one} who_2 is_3 {busy the.ing} is_4 {single relation} = 正在_3 {busy the} 的_2 那_1 {described person|} {described person} 是_4 {single relation}
single relation:
    {relative name} ; {name} ; {owner} {friend.one} = {owner} {friend}

# ---- questions
yes or no(WHO):
    do/do/does_1 {WHO} {deed the.base} {habit time} ?_1 = {WHO} {habit time} {deed the} 吗_1 ？_1
    did_1 {WHO} {deed the.base} {past time} ?_1 = {WHO} {past time} {deed the+了} 吗_1 ？_1 * 1.5
    will_1 {WHO} {deed the.base} {future time} ?_2 = {WHO} {future time} 会_1 {deed the} 吗_2 ？_2
    am/are/is_1 {WHO} {busy the.ing} ?_2 = {WHO} 在_1 {busy the} 吗_2 ？_2
    did_1 {WHO} {travel.base} {past time} ?_1 = {WHO} {past time} {travel+了} 吗_1 ？_1
    do/do/does_1 {WHO} like {liked} ?_1 = {WHO} 喜欢 {liked} 吗_1 ？_1
    do/do/does_1 {WHO} want_2 to_2 {deed the.base} ?_1 = {WHO} 想_2 {deed the} 吗_1 ？_1
    can_1 {WHO} {able} ?_2 = {WHO} 会_1 {able} 吗_2 ？_2
    am/are/is_1 {single WHO} a_1 {described person.one} ?_2 = {single WHO} 是_1 {described person} 吗_2 ？_2
    have/have/has_1 {WHO} ever_1 {feat.done} ?_2 = {WHO} {feat+过} 吗_2 ？_2
    do/do/does_1 {WHO} have_2 {all owned} ?_1 = {WHO} 有_2 {all owned} 吗_1 ？_1
what(WHO):
    what_1 do/do/does_2 {WHO} like_2 ?_3 = {WHO} 喜欢_2 什么_1 ？_3
    what_1 did_2 {WHO} buy_2 {past time} ?_3 = {WHO} {past time} 买_2 了_2 什么_1 ？_3
    what_1 do/do/does_2 {WHO} want_2 to_2 buy_4 ?_3 = {WHO} 想_2 买_4 什么_1 ？_3
    what_1 am/are/is_2 {WHO} eating_4 ?_3 = {WHO} 在_2 吃_4 什么_1 ？_3
    what_1 am/are/is_2 {WHO} reading_4 ?_3 = {WHO} 在_2 看_4 什么_1 ？_3
where(WHO):
    where_1 do/do/does_1 {WHO} {sited the.base} ?_2 = {WHO} 在_1 哪儿_1 {sited the} ？_2
    where_1 did_1 {WHO} buy_3 {goods the} ?_2 = {WHO} 在_1 哪儿_1 买_3 的_3 {goods the} ？_2
sited(X):
    {study X} ; {leisure X} ; {sport X} ; {meal X}
when(WHO):
    when_1 will_1 {WHO} {travel.base} ?_2 = {WHO} 什么_1 时候_1 {travel} ？_2
why(WHO):
    why_1 did_2 {WHO} not_2 {deed the.base} ?_3 = {WHO} 为什么_1 没_2 {deed the} ？_3
    why_1 am/are/is_2 {WHO} so_2 {mood.plain} ?_3 = {WHO} 为什么_1 这么_2 {mood} ？_3
which(WHO):
    which_1 {choosable.one} do/do/does_2 {WHO} like_2 ?_3 = {WHO} 喜欢_2 哪_1 {choosable|} {choosable} ？_3
    which_1 {text.one} do/do/does_2 {WHO} want_2 to_2 read_4 ?_3 = {WHO} 想_2 看_4 哪_1 {text|} {text} ？_3
choosable:
    {text} ; {film} ; {song} ; {car}
    {clothes} ; {match}
countable:
    {text} ; {thing} ; {food} ; {clothes}
how many(WHO):
    how_1 many_1 {countable.many} do/do/does_2 {WHO} have_2 ?_3 = {WHO} 有_2 几_1 {countable|} {countable} ？_3
    how_1 many_1 {countable.many} did_2 {WHO} buy_2 {past time} ?_3 = {WHO} {past time} 买_2 了_2 几_1 {countable|} {countable} ？_3
choice(WHO):
    do/do/does_1 {WHO} like {beverage} or_1 {beverage'} ?_3 = {WHO} 喜欢 {beverage} 还是_1 {beverage'} ？_3
    do/do/does_1 {WHO} like {ball} or_1 {ball'} ?_3 = {WHO} 喜欢 {ball} 还是_1 {ball'} ？_3
who:
    who_1 {deed the.past} {past time} ?_2 = 谁_1 {past time} {deed the+了} ？_2
    who_1 is_3 {busy the.ing} ?_2 = 谁_1 在_3 {busy the} ？_2
    who_1 likes_3 {liked} ?_2 = 谁_1 喜欢_3 {liked} ？_2
whose:
    whose_1 {countable.one} is_2 this_3 ?_4 = 这_3 是_2 谁_1 的_1 {countable} ？_4
    this_1 is_2 {owner} {countable.one} = 这_1 是_2 {owner} {countable}
age of:
    how_1 old_1 is_1 {third} ?_2 = {third} 多_1 大_1 ？_2
    {third} is_1 {number} years_1 old_1 = {third} {number} 岁_1

# ---- things
item(N):
    the {described N.one} = 那 {described N|} {described N} * 2
    this {described N.one} = 这 {described N|} {described N}
    {owner} {described N.one} = {owner} {described N}
quality:
    {quality of text} ; {quality of clothes} ; {quality of thing} * 2 ; {quality of furniture} * 2 ; {quality of film} ; {quality of car}
    {quality of pet} ; {quality of person}
quality of(N):
    {item N} is {predicate N.plain} = {item N} 很 {predicate N}
    {item N} is very_2 {predicate N.plain} = {item N} 非常_2 {predicate N}
    {item N} is not {predicate N.plain} = {item N} 不 {predicate N}
    {item N} is too_2 {predicate N.plain} = {item N} 太_2 {predicate N} 了_2
comparison:
    {comparison of text} ; {comparison of clothes} ; {comparison of thing} * 2 ; {comparison of furniture} ; {comparison of film}
    {comparison of car} ; {comparison of animal} ; {comparison of person}
comparison of(N):
    {item N} is_1 {predicate N.more} than_2 {item N'} = {item N} 比_2 {item N'} {predicate N}
    {item N} is_2 much_1 {predicate N.more} than_2 {item N'} = {item N} 比_2 {item N'} {predicate N} 得_1 多_1
    {item N} is_1 as_1 {predicate N.plain} as_2 {item N'} = {item N} 跟_2 {item N'} 一样_1 {predicate N}
    {item N} is_1 not_2 as_1 {predicate N.plain} as_1 {item N'} = {item N} 没有_2 {item N'} {predicate N}
existence:
    {existence of placed-thing} ; {existence of food} ; {existence of pet} ; {scenery animal} ; {scenery car}
existence of(N):
    there_1 is_1 a_2 {described N.one} {spot} = {spot} 有_1 一_2 {described N|} {described N} * 2
    there_1 are_1 {number} {described N.many} {spot} = {spot} 有_1 {number} {described N|} {described N}
    there_1 are_1 many_2 {described N.many} {spot} = {spot} 有_1 很多_2 {described N} * 0.5
    is_1 there_1 a_1 {described N.one} {spot} ?_2 = {spot} 有_1 {described N} 吗_2 ？_2 * 0.5
    there_1 are_1 no_2 {described N.many} {spot} = {spot} 没有_2 {described N} * 0.5
scenery(N):
    there_1 is_1 a_2 {described N.one} {scene} = {scene} 有_1 一_2 {described N|} {described N} * 2
    there_1 are_1 {number} {described N.many} {scene} = {scene} 有_1 {number} {described N|} {described N}
    there_1 are_1 many_2 {described N.many} {scene} = {scene} 有_1 很多_2 {described N} * 0.5
location:
    {item thing} is_1 {spot} = {item thing} 在_1 {spot}
    where_1 is_1 {item thing} ?_2 = {item thing} 在_1 哪儿_1 ？_2
    {item animal} is_1 sleeping_2 {scene} = {item animal} 正在_1 {scene} 睡觉_2
weather:
    it rained_2 {past time} = {past time} 下雨_2 了_2
passive:
    {one food} was_1 eaten_2 by_1 {third} = {one food} 被_1 {third} 吃_2 了_2
    {item photo} was_1 taken_2 by_1 {third} = {item photo} 是_1 {third} 拍_2 的_1
request:
    please {deed the.base} = 请 {deed the}
    please_1 do_2 not_2 {deed the.base} = 请_1 不要_2 {deed the}
    let_1 us_2 {deed the.base} = 我们_2 {deed the} 吧_1
"""
