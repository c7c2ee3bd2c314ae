"""Questions, in the notation of `notation`; each category is a structure, as in `patterns`."""

QUESTIONS = """
yes-no question(WHO):
    do/do/does_1 {asked WHO} {routine WHO any.base} {habit time} ?_1
        = {asked WHO} {habit time} {routine WHO any} 吗_1 ？_1
    did_1 {asked WHO} {act WHO known.base} {past time} ?_1
        = {asked WHO} {past time} {act WHO known} 了_1 吗_1 ？_1 * 1.5
    will_1 {asked WHO} {mere act WHO known.base} {future time} ?_2
        = {asked WHO} {future time} 会_1 {mere act WHO known} 吗_2 ？_2 * 0.7
    will_1 {asked WHO} {practice WHO known.base} {future time} ?_2
        = {asked WHO} {future time} 要_1 {practice WHO known} 吗_2 ？_2 * 0.3
    am/are/is_1 {asked WHO} {busy WHO known.ing} ?_2 = {asked WHO} 在_1 {busy WHO known} 吗_2 ？_2
    did_1 {asked WHO} {travel.base} {past time} ?_1 = {asked WHO} {past time} {travel} 了_1 吗_1 ？_1
    do/do/does_1 {asked WHO} like_2 {liked} ?_1 = {asked WHO} 喜欢_2 {liked} 吗_1 ？_1
    do/do/does_1 {asked WHO} want_2 to_2 {wanted WHO known.base} ?_1
        = {asked WHO} 想_2 {wanted WHO known} 吗_1 ？_1
    can_1 {individual WHO} {able} ?_2 = {individual WHO} 会_1 {able} 吗_2 ？_2
    am/are/is_1 {individual WHO} a_1 {described job.one} ?_2 = {individual WHO} 是_1 {described job} 吗_2 ？_2
    have/have/has_1 {asked WHO} ever_1 {feat.done} ?_2 = {asked WHO} {feat+过} 吗_2 ？_2
    do/do/does_1 {asked WHO} have_2 {lacking} ?_1 = {asked WHO} 有_2 {lacking} 吗_1 ？_1
    do/do/does_1 {asked WHO} know_2 {whom} ?_1 = {asked WHO} 认识_2 {whom} 吗_1 ？_1
what question(WHO):
    what_1 do/do/does_2 {asked WHO} like_2 ?_3 = {asked WHO} 喜欢_2 什么_1 ？_3
    what_1 did_2 {asked WHO} {got.base} {past time} ?_3 = {asked WHO} {past time} {got+了} 什么_1 ？_3
    what_1 do/do/does_2 {asked WHO} want_2 to_2 {got.base} ?_3 = {asked WHO} 想_2 {got} 什么_1 ？_3
    what_1 am/are/is_2 {asked WHO} {got.ing} ?_3 = {asked WHO} 在_2 {got} 什么_1 ？_3
got:
    read/reads/read/reading = 看 (了) ; eat/eats/ate/eating = 吃 (了) ; buy/buys/bought/buying = 买 (了)
    drink/drinks/drank/drinking = 喝 (了)
where question(WHO):
    where_1 do/do/does_1 {asked WHO} {sited any.base} ?_2 = {asked WHO} 在_1 哪儿_1 {sited any} ？_2
    where_1 did_1 {asked WHO} buy_3 {bought} ?_2 = {asked WHO} 在_1 哪儿_1 买_3 的_3 {bought} ？_2
when question(WHO):
    when_1 will_1 {asked WHO} {travel.base} ?_2 = {asked WHO} 什么_1 时候_1 {travel} ？_2
    when_1 did_1 {asked WHO} buy_3 {bought} ?_2 = {asked WHO} 什么_1 时候_1 买_3 的_3 {bought} ？_2
why question(WHO):
    why_1 did_2 {asked WHO} not_2 {act WHO known.base} ?_3 = {asked WHO} 为什么_1 没_2 {act WHO known} ？_3
    why_1 am/are/is_2 {asked WHO} so_2 {mood} ?_3 = {asked WHO} 为什么_1 这么_2 {mood} ？_3
which question(WHO):
    which_1 {choosable.one} do/do/does_2 {asked WHO} like_2 ?_3
        = {asked WHO} 喜欢_2 哪_1 {choosable|} {choosable} ？_3
    which_1 {watchable.one} do/do/does_2 {asked WHO} want_2 to_2 watch_4 ?_3
        = {asked WHO} 想_2 看_4 哪_1 {watchable|} {watchable} ？_3
how many question(WHO):
    how_1 many_1 {countable.many} do/do/does_2 {asked WHO} have_2 ?_3
        = {asked WHO} 有_2 几_1 {countable|} {countable} ？_3
    how_1 many_1 {countable.many} did_2 {asked WHO} buy_2 {past time} ?_3
        = {asked WHO} {past time} 买_2 了_2 几_1 {countable|} {countable} ？_3
choice question(WHO):
    do/do/does_1 {asked WHO} like_2 {beverage} or_1 {beverage'} ?_3
        = {asked WHO} 喜欢_2 {beverage} 还是_1 {beverage'} ？_3
    do/do/does_1 {asked WHO} like_2 {ball} or_1 {ball'} ?_3 = {asked WHO} 喜欢_2 {ball} 还是_1 {ball'} ？_3
    do/do/does_1 {asked WHO} want_2 to_2 {fun.base} or_1 {fun'.base} ?_3
        = {asked WHO} 想_2 {fun} 还是_1 {fun'} ？_3
who question:
    who_1 {act third known.past} {past time} ?_2 = {past time} 谁_1 {act third known+了} ？_2
    who_1 is_3 {busy third known.ing} ?_2 = 谁_1 在_3 {busy third known} ？_2
    who_1 likes_3 {liked} ?_2 = 谁_1 喜欢_3 {liked} ？_2
    who_1 can_3 {able} ?_2 = 谁_1 会_3 {able} ？_2
whose question:
    whose_1 {owned.one} is_2 {pointer} ?_3 = {pointer} 是_2 谁_1 的_1 {owned} ？_3 * 1.5
    {pointer} is {owner} {owned.one} = {pointer} 是 {owner} {owned}
    is_1 {pointer} {owner} {owned.one} ?_2 = {pointer} 是_1 {owner} {owned} 吗_2 ？_2
age of:
    how_1 old_1 is_1 {aged} ?_2 = {aged} 多_1 大_1 了_1 ？_2
    {aged} is_1 {number} years_1 old_1 = {aged} {number} 岁_1 * 2

quality question:
    {asked quality text} ; {asked quality matter} ; {asked quality clothes} ; {asked quality tool}
    {asked quality seat} ; {asked quality film} ; {asked quality song} ; {asked quality pet}
    is_1 {third} {person trait} ?_2 = {third} {person trait} 吗_2 ？_2 * 2
asked quality(N):
    is_1 {item N} {predicate N.plain} ?_2 = {item N} {predicate N} 吗_2 ？_2
"""
