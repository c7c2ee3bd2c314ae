"""Sentence patterns, in the notation of `notation`: each category here is a structure that a pair reports.

WHO is the person of the subject (first, plural, third), with which am/are/is and the like agree. To add a
pattern, write its rule below a fitting category, or a new category, named in `telling`, `asking` or `other`.
"""

PATTERNS = """
sentence:
    {telling first} ; {telling plural} * 1.3 ; {telling third} * 2
    {asking plural} * 0.5 ; {asking third} * 0.8 ; {other} * 1.8
telling(WHO):
    {habit WHO} * 2.5 ; {frequency WHO} * 1.5 ; {past WHO} * 2.5 ; {future WHO} * 1.5 ; {progressive WHO} * 2
    {negative habit WHO} ; {negative past WHO} ; {negative future WHO} * 0.7 ; {journey WHO} * 2
    {wish WHO} * 2
    {liking WHO} * 3 ; {owning WHO} ; {identity WHO} * 1.2 ; {feeling WHO} * 0.7 ; {ability WHO} ; {skill WHO}
    {duration WHO} ; {effort WHO} * 1.5 ; {experience WHO} * 1.2 ; {completion WHO} ; {disposal WHO} * 2.5
    {report WHO} * 1.5 ; {condition WHO} * 1.5 ; {reason WHO} ; {meanwhile WHO} * 1.5 ; {relative object WHO}
asking(WHO):
    {yes-no question WHO} * 5 ; {what question WHO} * 1.5 ; {where question WHO} ; {when question WHO} * 0.7
    {why question WHO} ; {which question WHO} ; {how many question WHO} ; {choice question WHO}
other:
    {description} * 2.5 ; {comparison} * 3.5 ; {relative subject} * 1.5 ; {relative person}
    {existence} * 1.5
    {location} ; {who question} ; {quality question} * 1.5
    {whose question} ; {weather} ; {passive} * 2 ; {request} * 1.5
    {age of} * 4 ; {cause} * 1.5

# ---- statements
habit(WHO):
    {WHO} {routine WHO usual.present} {habit time} = {WHO} {habit time} {routine WHO usual}
    {WHO} {dose.present} {daily} = {WHO} {daily} {dose} * 0.1
frequency(WHO):
    {WHO} {often} {routine WHO usual.present} = {WHO} {often} {routine WHO usual}
    {WHO} {often} {favor.present} = {WHO} {often} {favor} * 0.1
past(WHO):
    {WHO} {act WHO some.past} {past time} = {WHO} {past time} {act WHO some+了} * 3
    {past time} {WHO} {act WHO some.past} = {past time} {WHO} {act WHO some+了}
    {WHO} {gift.past} {past time} = {WHO} {past time} {gift+了} * 0.4
future(WHO):
    {WHO} will {mere act WHO some.base} {future time} = {WHO} {future time} 会 {mere act WHO some} * 1.5
    {WHO} will {practice WHO some.base} {future time} = {WHO} {future time} 要 {practice WHO some} * 0.5
    {WHO} am/are/is going to {act WHO some.base} {future time} = {WHO} {future time} 要 {act WHO some} * 2
    {WHO} will {gift.base} {future time} = {WHO} {future time} 会 {gift} * 0.4
progressive(WHO):
    {WHO} am/are/is {busy WHO now.ing} now = {WHO} 正在 {busy WHO now}
    {WHO} am/are/is {busy WHO now.ing} = {WHO} 正在 {busy WHO now}
    {individual WHO} am/are/is wearing_2 {single some garment}
        = {individual WHO} 穿_2 着_2 {single some garment} * 0.2
    {individual WHO} am/are/is wearing_2 {single some accessory}
        = {individual WHO} 戴_2 着_2 {single some accessory} * 0.2
negative habit(WHO):
    {WHO} do/do/does not {routine WHO any.base} {season} = {WHO} {season} 不 {routine WHO any}
negative past(WHO):
    {WHO} did not {act WHO known.base} {past time} = {WHO} {past time} 没 {act WHO known}
negative future(WHO):
    {WHO} will_1 not_1 {act WHO known.base} {future time} = {WHO} {future time} 不_1 {act WHO known}
journey(WHO):
    {WHO} {travel.past} {past time} = {WHO} {past time} {travel+了} * 1.5
    {WHO} will {travel.base} {future time} = {WHO} {future time} 会 {travel}
    {WHO} {commute.present} {habit time} = {WHO} {habit time} {commute}
    {WHO} did not {travel.base} {past time} = {WHO} {past time} 没 {travel}
wish(WHO):
    {WHO} want/want/wants to {wanted WHO known.base} = {WHO} 想 {wanted WHO known}
    {WHO} want/want/wants to {travel.base} = {WHO} 想 {travel} * 0.5
    {WHO} like/like/likes to {hobby any.base} = {WHO} 喜欢 {hobby any}
    {WHO} have/have/has to {duty known.base} = {WHO} 必须 {duty known} * 0.7
liking(WHO):
    {WHO} like/like/likes {liked} = {WHO} 喜欢 {liked} * 3
    {WHO} love/love/loves {loved} = {WHO} 爱 {loved}
    {WHO} love/love/loves_2 {event} = {WHO} 非常_2 喜欢_2 {event} * 0.5
    {WHO} love/love/loves_2 {dated event} = {WHO} 非常_2 喜欢_2 {dated event} * 0.5
    {WHO} do/do/does not like {liked} = {WHO} 不 喜欢 {liked}
    {WHO} also like/like/likes_2 {liked} = {WHO} 也 喜欢_2 {liked} * 0.7
    {WHO} know/know/knows {whom} = {WHO} 认识 {whom} * 1.5
    {WHO} need/need/needs {the thing} = {WHO} 需要 {the thing}
    {likeness WHO} * 2.5
likeness first:
    i look_1 like_2 my {parent} = 我 长得_1 像_2 我 {parent}
likeness plural:
    you look_1 like_2 your {parent} = 你 长得_1 像_2 你 {parent}
likeness third:
    {male} looks_1 like_2 his {parent} = {male} 长得_1 像_2 他 {parent}
    {female} looks_1 like_2 her {parent} = {female} 长得_1 像_2 她 {parent}
owning(WHO):
    {WHO} have/have/has {several owned} = {WHO} 有 {several owned} * 2
    {WHO} do/do/does not have {lacking} = {WHO} 没有 {lacking}
identity(WHO):
    {individual WHO} am/are/is a_2 {described job.one}
        = {individual WHO} 是 一_2 {described job|} {described job} * 2
    {individual WHO} am/are/is not_2 a_1 {described job.one} = {individual WHO} 不_2 是 {described job}
    {WHO} am/are/is from {city} = {WHO} 来自 {city} * 0.7
feeling(WHO):
    {WHO} am/are/is {mood} = {WHO} 很 {mood}
    {WHO} am/are/is very_2 {mood} = {WHO} 非常_2 {mood}
    {WHO} am/are/is not {mood} = {WHO} 不 {mood}
    {WHO} am/are/is too_2 tired = {WHO} 太_2 累 了_2
ability(WHO):
    {WHO} can {able} = {WHO} 会 {able}
    {WHO} cannot {able} = {WHO} 不 会 {able}
skill(WHO):
    {WHO} {practised.present} well_2 = {WHO} {practised|} {practised} 得_2 很_2 好_2
    {WHO} {practised.present} very_1 well_2 = {WHO} {practised|} {practised} 得_2 非常_1 好_2
    {WHO} do/do/does_1 not_1 {practised.base} well_2 = {WHO} {practised|} {practised} 得_2 不_1 好_2
duration(WHO):
    {WHO} {pastime} for_1 {hours} hours_2 {past time}
        = {WHO} {past time} {pastime|} 了_1 {hours} 个_2 小时_2 {pastime}
effort(WHO):
    {WHO} {diligent.present} {habit time} = {WHO} {habit time} {diligent}
    {WHO} should {diligent.base} = {WHO} 应该 {diligent}
    {WHO} am/are/is {diligent.ing} = {WHO} 正在 {diligent}
    {WHO} {job at.present} {habit time} = {WHO} {habit time} {job at}
    {WHO} work/work/works {in city} = {WHO} {in city|} {in city} 工作
experience(WHO):
    {WHO} have/have/has {feat.done} = {WHO} {feat+过}
    {WHO} have/have/has_1 never_1 {feat.done} = {WHO} 从来_1 没_1 {feat+过}
completion(WHO):
    {WHO} have/have/has_1 already_1 {finished.done} = {WHO} 已经_1 {finished+了}
    {WHO} have/have/has_1 not_1 {finished.done} yet_2 = {WHO} 还_2 没_1 {finished}
disposal(WHO):
    {WHO} put {one placed-thing} {spot} {past time} = {WHO} {past time} 把 {one placed-thing} 放 在 {spot} 了
    {WHO} will_1 put_2 {one placed-thing} {spot} = {WHO} 会_1 把_2 {one placed-thing} 放_2 在_2 {spot}
    {WHO} put {one chair} {scene} {past time} = {WHO} {past time} 把 {one chair} 放 在 {scene} 了
    {WHO} will_1 put_2 {one chair} {scene} = {WHO} 会_1 把_2 {one chair} 放_2 在_2 {scene}
    {WHO} gave {one given} to {whom} {past time} = {WHO} {past time} 把 {one given} 给 了 {whom}
report(WHO):
    {WHO} think/think/thinks that {description} = {WHO} 觉得 {description}
    {WHO} think/think/thinks that {comparison} = {WHO} 觉得 {comparison} * 1.2
    {WHO} think/think/thinks that {opinion} = {WHO} 觉得 {opinion}
    {saying WHO} * 3
    {WHO} know/know/knows that {news} = {WHO} 知道 {news}
    {WHO} hope/hope/hopes that {plan} = {WHO} 希望 {plan}
saying(WHO):
    {WHO} say/say/says that {news} = {WHO} 说 {news}
saying first:                                                     # nobody says: I say that he is a teacher
    i know that {news} = 我 知道 {news}
news:
    {identity third} * 2 ; {journey third} * 2 ; {liking third} * 2 ; {past third} ; {negative past third}
    {habit third} ; {ability third} ; {feeling third} * 0.7 ; {owning third} * 0.7
opinion:
    {liking third} * 2 ; {ability third}
plan:
    {third} will_1 like_1 {liked} = {third} 喜欢_1 {liked}
    {third} will_1 {travel.base} {future time} = {third} {future time} {travel}
    {third} will_1 {act third some.base} {future time} = {third} {future time} {act third some}

# ---- sentences of two clauses
condition(WHO):
    if it_2 {sky} {future time} ,_3 {WHO} will_4 not_5 {outdoors.base}
        = 如果 {future time} {sky} ，_3 {WHO} 就_3 不_5 {outdoors} 了_4
    {WHO} will_4 not_5 {outdoors.base} if_3 it_2 {sky} {future time}
        = 如果_3 {future time} {sky} ，_3 {WHO} 就_3 不_5 {outdoors} 了_4
    if it_2 {sky} {future time} ,_3 {WHO} will_4 {indoors.base}
        = 如果 {future time} {sky} ，_3 {WHO} 就_3 会_4 {indoors}
    {WHO} will_4 {indoors.base} if_3 it_2 {sky} {future time}
        = 如果_3 {future time} {sky} ，_3 {WHO} 就_3 会_4 {indoors}
reason(WHO):
    {WHO} did_1 not_1 {outdoors.base} because_2 it_3 {was wet}
        = 因为_2 {was wet} 了_3 ，_2 所以_2 {WHO} 没_1 {outdoors}
    because_2 it_3 {was wet} ,_4 {WHO} did_1 not_1 {outdoors.base}
        = 因为_2 {was wet} 了_3 ，_4 所以_4 {WHO} 没_1 {outdoors}
cause:
    {because i 我 was} ; {because we 我们 were} ; {because they 他们 were}
    {because he 他 was} * 1.5 ; {because she 她 was} * 1.5
because(I 我 WAS):
    I_3 did_1 not_1 {effortful known.base} because_2 I_3 WAS_4 tired_6
        = 因为_2 我_3 很_4 累_6 ，_2 所以_2 我_3 没_1 {effortful known}
    because_2 I_3 WAS_4 tired_6 ,_5 I_3 did_1 not_1 {effortful known.base}
        = 因为_2 我_3 很_4 累_6 ，_5 所以_5 我_3 没_1 {effortful known}
    I_3 ate_1 {several food} because_2 I_3 WAS_4 hungry_6
        = 因为_2 我_3 很_4 饿_6 ，_2 所以_2 我_3 吃_1 了_1 {several food} * 0.4
    because_2 I_3 WAS_4 hungry_6 ,_5 I_3 ate_1 {several food}
        = 因为_2 我_3 很_4 饿_6 ，_5 所以_5 我_3 吃_1 了_1 {several food} * 0.4
meanwhile(WHO):
    when_1 {returning WHO} came_2 home_2 ,_3 {WHO} was/were/was_4 {busy WHO now.ing}
        = {returning WHO} 回家_2 的_1 时候_1 ，_3 {WHO} 正在_4 {busy WHO now}
    {WHO} was/were/was_4 {busy WHO now.ing} when_1 {returning WHO} came_2 home_2
        = {returning WHO} 回家_2 的_1 时候_1 ，_1 {WHO} 正在_4 {busy WHO now}

# ---- relative clauses
relative clause(N):
    the_1 {N.one} that_2 {anyone} {made N}
        = {anyone} {made N} 的_2 那_1 {N|} {N}
    the_1 {N.one} that_2 {anyone} {made N} {past time}
        = {anyone} {past time} {made N} 的_2 那_1 {N|} {N}
relative subject:
    {verdict text} ; {verdict clothes} ; {verdict tool} * 1.5 ; {verdict seat} * 1.5 ; {verdict film}
    {verdict song}
    {verdict car} * 0.7
verdict(N):
    {relative clause N} is {predicate N.plain} = {relative clause N} 很 {predicate N}
    {relative clause N} is too_2 {fault N.plain} = {relative clause N} 太_2 {fault N} 了_2 * 0.5
relative object(WHO):
    {WHO} like/like/likes {thing that} = {WHO} 喜欢 {thing that}
    {WHO} do/do/does not like {thing that} = {WHO} 不 喜欢 {thing that}
thing that:
    {relative clause text} ; {relative clause clothes} ; {relative clause garment}
    {relative clause photo} ; {relative clause song} ; {relative clause accessory} ; {relative clause film}
relative person:
    {one who} is_1 {person trait} = {one who} 很_1 {person trait}
    {one who} is_1 from_1 {city} = {one who} 来自_1 {city}
    i_1 know_2 {one who} = 我_1 认识_2 {one who}
one who:
    the_1 {person.one} who_2 is_3 {busy third any.ing} = 那_1 {person|} 正在_3 {busy third any} 的_2 {person}

# ---- things and persons
description:
    {quality text} ; {quality matter} ; {quality language} * 0.6 ; {quality clothes} ; {quality food}
    {quality tool} * 2 ; {quality seat} * 2 ; {quality film} ; {quality song}
    {quality car} ; {quality pet} ; {quality map} ; {trait}
quality(N):
    {item N} is {predicate N.plain} = {item N} 很 {predicate N} * 1.5
    {item N} is very_2 {predicate N.plain} = {item N} 非常_2 {predicate N}
    {item N} is not {predicate N.plain} = {item N} 不 {predicate N}
    {item N} is too_2 {fault N.plain} = {item N} 太_2 {fault N} 了_2
trait:
    {third} is {person trait} = {third} 很 {person trait} * 2
    {third} is not {person trait} = {third} 不 {person trait}
    {grown} is young = {grown} 很 年轻 ; {grown} is not young = {grown} 不 年轻 * 0.5
comparison:
    {comparing text} ; {comparing matter} ; {comparing language} * 0.6 ; {comparing clothes}
    {comparing food}
    {comparing phone} * 0.5 ; {comparing computer} * 0.5 ; {comparing box} * 0.5 ; {comparing table} * 0.5
    {comparing seat}
    {comparing film} ; {comparing song}
    {comparing car} ; {comparing people} * 4
    {comparing cat} * 0.3 ; {comparing dog} * 0.3 ; {comparing bird} * 0.3 ; {comparing horse} * 0.3
comparing(N):
    {item N} is_1 {predicate N.more} than_2 {item N'} = {item N} 比_2 {item N'} {predicate N} * 2
    {item N} is_2 much_1 {predicate N.more} than_2 {item N'} = {item N} 比_2 {item N'} {predicate N} 得_1 多_1
    {item N} is_1 as_1 {predicate N.plain} as_2 {item N'} = {item N} 跟_2 {item N'} 一样_1 {predicate N}
    {item N} is_1 not_2 as_1 {predicate N.plain} as_1 {item N'} = {item N} 没有_2 {item N'} {predicate N}
comparing people:
    {third} is_1 {predicate person.more} than_2 {rival} = {third} 比_2 {rival} {predicate person} * 2
    {third} is_2 much_1 {predicate person.more} than_2 {rival}
        = {third} 比_2 {rival} {predicate person} 得_1 多_1
    {third} is_1 as_1 {predicate person.plain} as_2 {rival} = {third} 跟_2 {rival} 一样_1 {predicate person}
    {third} is_1 not_2 as_1 {predicate person.plain} as_1 {rival} = {third} 没有_2 {rival} {predicate person}
    {third} is_1 older_3 than_2 {rival} = {third} 比_2 {rival} 大_3 * 2
    {third} is_2 much_1 older_3 than_2 {rival} = {third} 比_2 {rival} 大_3 得_1 多_1
    {third} is_1 younger_3 than_2 {rival} = {third} 比_2 {rival} 小_3
    {third} is_2 much_1 younger_3 than_2 {rival} = {third} 比_2 {rival} 小_3 得_1 多_1 * 0.5
    {third} is_1 as_1 old_3 as_2 {rival} = {third} 跟_2 {rival} 一样_1 大_3
existence:
    {existing placed-thing spot} * 2 ; {existing food shelf} ; {existing cat spot}
    {existing animal scene} * 1.5 ; {existing car near}
existing(N PLACE):
    there_1 is_1 a_2 {described N.one} {PLACE} = {PLACE} 有_1 一_2 {described N|} {described N} * 2
    there_1 are_1 {few} {described N.many} {PLACE} = {PLACE} 有_1 {few} {described N|} {described N}
    there_1 are_1 many_2 {described N.many} {PLACE} = {PLACE} 有_1 很多_2 {described N} * 0.5
    is_1 there_1 a_1 {described N.one} {PLACE} ?_2 = {PLACE} 有_1 {described N} 吗_2 ？_2 * 0.5
    there_1 are_1 no_2 {described N.many} {PLACE} = {PLACE} 没有_2 {described N} * 0.5
location:
    {item placed-thing} is_1 {spot} = {item placed-thing} 在_1 {spot} * 1.5
    where_1 is_1 {item placed-thing} ?_2 = {item placed-thing} 在_1 哪儿_1 ？_2
    {item animal} is_1 sleeping_2 {scene} = {item animal} 正在_1 {scene} 睡觉_2
weather:
    it rained_2 {past time} = {past time} 下雨_2 了_2 ; it snowed_2 {past time} = {past time} 下雪_2 了_2
    it {was wet} in_2 {city} {past time} = {past time} {city} {was wet} 了 * 4
    {past time} it {was wet} in_2 {city} = {past time} {city} {was wet} 了 * 4
passive:
    {item food} was_1 eaten_2 by_1 {agent} = {item food} 被_1 {agent} 吃_2 了_2
    {item food} was_1 eaten_2 by_1 {one pet} = {item food} 被_1 {one pet} 吃_2 了_2 * 0.5
    the {beverage} was_1 drunk_2 by_1 {agent} = {beverage} 被_1 {agent} 喝_2 了_2 * 0.5
    {item clothes} was_1 washed_2 by_1 {agent} = {item clothes} 是_1 {agent} 洗_2 的_1
    {item car} was_1 sold_2 by_1 {agent} = {item car} 被_1 {agent} 卖_2 了_2 * 0.5
    {item bike} was_1 sold_2 by_1 {agent} = {item bike} 被_1 {agent} 卖_2 了_2 * 0.5
    {item device} was_1 sold_2 by_1 {agent} = {item device} 被_1 {agent} 卖_2 了_2 * 0.5
    {item photo} was_1 taken_2 by_1 {agent} = {item photo} 是_1 {agent} 拍_2 的_1
request:
    please {asked act.base} = 请 {asked act}
    please_1 do_2 not_2 {asked act.base} = 请_1 不要_2 {asked act}
    please {switch.base} = 请 {switch}
    please_1 do_2 not_2 {switch.base} = 请_1 不要_2 {switch}
    let_1 us_2 {hobby known.base} = 我们_2 {hobby known} 吧_1
"""
