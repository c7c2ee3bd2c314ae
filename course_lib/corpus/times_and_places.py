"""When and where: the times and places of the corpus, in the notation of `notation`."""

TIMES_AND_PLACES = """
# ---- time
habit time:
    {season} * 5 ; {daily} * 3
daily:
    every day = 每天 ; every_1 morning_2 = 每天_1 早上_2 ; every_1 evening_2 = 每天_1 晚上_2
season:
    in the evening = 晚上 ; on saturdays = 星期六 ; on sundays = 星期天 ; in winter = 冬天 ; in summer = 夏天
past time:
    yesterday = 昨天 * 2 ; last night = 昨晚 ; this_1 morning_2 = 今天_1 早上_2
    last_1 week_2 = 上_1 个_2 星期_2 ; last_1 saturday_2 = 上_1 个_2 星期六_2
future time:
    tomorrow = 明天 * 2 ; tonight = 今晚 ; next_1 week_2 = 下_1 个_2 星期_2
    next_1 saturday_2 = 下_1 个_2 星期六_2
often:
    often = 常常 ; always = 总是 ; sometimes = 有时

# ---- places: preposition | place
city:
    beijing = 北京 ; shanghai = 上海 ; london = 伦敦 ; paris = 巴黎
olympic city:
    beijing = 北京 ; london = 伦敦 ; paris = 巴黎
local:
    the park = 公园 ; the library = 图书馆 ; the hospital = 医院 ; the station = 车站 ; the supermarket = 超市
    school = 学校 ; the bank = 银行 * 2
near local:
    the park = 公园 ; the library = 图书馆 ; the station = 车站 ; school = 学校 ; the bank = 银行 * 2
at home:
    at home_2 = 在 | 家里_2
at school:
    at school_2 = 在 | 学校_2
in library:
    in the_2 library_2 = 在 | 图书馆_2
in park:
    in the_2 park_2 = 在 | 公园_2
at bank:
    at the_2 bank_2 = 在 | 银行_2
on bank:
    on_1 the_2 river_2 bank_2 = 在_1 | 河岸_2 上_1
    on_1 the_2 bank_2 of_2 the_2 river_2 = 在_1 | 河岸_2 上_1
in restaurant:
    in the_2 restaurant_2 = 在 | 餐厅_2
in city:
    in {city} = 在 | {city}
place study:
    {at home} ; {at school} ; {in library}
place leisure:
    {at home} ; {at school}
place show:
    {place leisure}
place playing:
    {place leisure}
place sport:
    {in park} ; {at school}
place outing:
    {in park} ; {on bank} * 2
place fare:
    {place meal}
place meal:
    {in restaurant} ; {at home}
place grocery:
    in the_2 supermarket_2 = 在 | 超市_2
place work:
    in the_2 office_2 = 在 | 办公室_2 ; {at bank} * 2 ; {in restaurant}
spot:
    {shelf} * 2 ; on_1 the_2 bed_2 = 床_2 上_1 ; on_1 the_2 chair_2 = 椅子_2 上_1
    under_1 the_2 table_2 = 桌子_2 下面_1
shelf:
    on_1 the_2 table_2 = 桌子_2 上_1 ; in_1 the_2 box_2 = 箱子_2 里_1
scene:
    under_1 the_2 tree_2 = 树_2 下_1 ; in_1 the_2 park_2 = 公园_2 里_1
    on_1 the_2 river_2 bank_2 = 河岸_2 上_1 ; on_1 the_2 bank_2 of_2 the_2 river_2 = 河岸_2 上_1
near:
    near_1 the_2 bank_2 = 银行_2 附近_1 ; near_1 the_2 station_2 = 车站_2 附近_1
"""
