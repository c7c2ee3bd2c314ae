"""The words of the corpus, in the notation of `notation`: to add a word, add it to the line of its kind.

A noun is written one/many = measure word | noun. (的) is what an adjective takes before a noun. The
adjectives of a kind of noun are in `adjective KIND` (the red coat) and `predicate KIND` (the coat is cheap).
"""

LEXICON = """
# ---- nouns by kind
text:
    book/books = 本 | 书 * 1.5 ; magazine/magazines = 本 | 杂志
clothes:
    coat/coats = 件 | 大衣 ; shirt/shirts = 件 | 衬衫 ; dress/dresses = 条 | 裙子
accessory:
    hat/hats = 顶 | 帽子 ; watch/watches = 块 | 手表 * 1.5
food:
    apple/apples = 个 | 苹果 ; orange/oranges = 个 | 橙子 * 1.5 ; egg/eggs = 个 | 鸡蛋
    cake/cakes = 块 | 蛋糕
car:
    car/cars = 辆 | 车
bike:
    bike/bikes = 辆 | 自行车
thing:
    phone/phones = 部 | 手机 ; computer/computers = 台 | 电脑 ; box/boxes = 个 | 箱子 ; map/maps = 张 | 地图
    umbrella/umbrellas = 把 | 雨伞
furniture:
    table/tables = 张 | 桌子 ; chair/chairs = 把 | 椅子 ; bed/beds = 张 | 床
lamp:
    light/lights = 盏 | 灯
ticket:
    ticket/tickets = 张 | 票
photo:
    photo/photos = 张 | 照片
snapshot:
    photo/photos = 张 | 照片
film:
    film/films = 部 | 电影
song:
    song/songs = 首 | 歌
pet:
    cat/cats = 只 | 猫 ; dog/dogs = 条 | 狗 ; bird/birds = 只 | 鸟
animal:
    {pet} * 3 ; horse/horses = 匹 | 马
adult:
    teacher/teachers = 位 | 老师 ; doctor/doctors = 位 | 医生
youngster:
    student/students = 个 | 学生 ; girl/girls = 个 | 女孩 ; boy/boys = 个 | 男孩 ; child/children = 个 | 孩子
job:
    student/students = 个 | 学生 ; {adult} * 2
friend:
    friend/friends = 个 | 朋友
beverage:
    tea = 茶 ; coffee = 咖啡 ; milk = 牛奶 ; water = 水
ball:
    basketball = 篮球 ; tennis = 网球 ; table tennis = 乒乓球
language:
    chinese = 中文 ; english = 英语

# ---- adjectives: plain/more
size:
    big/bigger = 大 ; small/smaller = 小
age:
    new/newer = 新 ; old/older = 旧
years:
    new/newer = 新 ; old/older = 老
seniority:
    old/older = 老
youth:
    young/younger = 年轻 (的)
bargain:
    cheap/cheaper = 便宜 (的)
price:
    {bargain} ; expensive/more~expensive = 贵
interest:
    interesting/more~interesting = 有趣 (的)
difficulty:
    hard/harder = 难
weight:
    heavy/heavier = 重 ; light/lighter = 轻
firmness:
    hard/harder = 硬 * 1.5 ; comfortable/more~comfortable = 舒服 (的)
beauty:
    beautiful/more~beautiful = 漂亮 (的)
melody:
    beautiful/more~beautiful = 好听 (的)
charm:
    cute/cuter = 可爱 (的)
mind:
    clever/cleverer = 聪明 (的)
virtue:
    good = 好
stature:
    tall/taller = 高
mood:
    happy = 高兴 ; {weary} * 2
weary:
    tired = 累 ; hungry = 饿
color:
    red = 红色 的 ; black = 黑色 的 ; white = 白色 的 ; blue = 蓝色 的
    orange = 橙色 的 * 3 ; light_1 blue_2 = 浅_1 蓝色_2 的_2 * 3
coat color:
    black = 黑色 的 ; white = 白色 的

adjective text:
    {age} ; {interest}
adjective clothes:
    {age} ; {color} * 2 ; {beauty} ; {bargain} ; {age} {color} = {color} {age}
adjective accessory:
    {age} ; {color} ; {beauty}
adjective food:
    {size}
adjective car:
    {age} * 2 ; {color} ; {age} {color} = {color} {age}
adjective bike:
    {age} * 2 ; {color}
adjective thing:
    {size} ; {age}
adjective furniture:
    {size} ; {age} ; {firmness} * 2
adjective lamp:
    {size} ; {age}
adjective ticket:
    {bargain} ; new = 新
adjective photo:
    {years} ; {beauty}
adjective snapshot:
    {beauty}
adjective film:
    {years} ; {interest}
adjective song:
    {years} ; {melody} * 2
adjective pet:
    {size} ; {seniority} ; {coat color} ; {charm}
adjective animal:
    {size} ; {seniority} ; {coat color}
adjective adult:
    {youth} ; {virtue}
adjective youngster:
    {mind}
adjective job:
    {virtue}
adjective friend:
    {seniority} * 3 ; {virtue}

predicate text:
    {age} ; {price} ; {interest} ; {difficulty} * 3
predicate clothes:
    {age} ; {price} ; {beauty}
predicate thing:
    {size} ; {age} ; {price} ; {weight} * 3
predicate furniture:
    {size} ; {price} ; {weight} ; {firmness} * 3
predicate car:
    {size} ; {age} ; {price} ; {beauty}
predicate film:
    {years} ; {interest}
predicate song:
    {years} ; {melody} * 2
predicate animal:
    {size} ; {seniority}
predicate pet:
    {size} ; {charm}
predicate person:
    {stature} ; {youth} ; {mind}

# ---- people
name:
    tom = 汤姆 ; mary = 玛丽 ; li_1 ming_1 = 李明_1
kin:
    {parent} ; {offspring}
parent:
    father = 爸爸 ; mother = 妈妈
offspring:
    son = 儿子 ; daughter = 女儿
kin owner:
    my = 我 ; your = 你 ; his = 他 ; her = 她
owner:
    my = 我 的 ; your = 你 的 ; his = 他 的 ; her = 她 的 ; our = 我们 的 ; their = 他们 的
    {name} 's = {name} 的
number:
    two = 两 ; three = 三 ; four = 四 ; five = 五 ; ten = 十

# ---- time
habit time:
    {season} * 5 ; every day = 每天 ; every_1 morning_2 = 每天_1 早上_2 ; every_1 evening_2 = 每天_1 晚上_2
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
destination:
    the park = 公园 ; the library = 图书馆 ; the hospital = 医院 ; the station = 车站 ; the supermarket = 超市
    school = 学校 ; the bank = 银行 * 2 ; {city} * 2
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
place sport:
    {in park} ; {at school}
place outing:
    {in park} ; {on bank} * 2
place meal:
    {in restaurant} ; {at home}
place shopping:
    in the_2 supermarket_2 = 在 | 超市_2 ; {in city}
place work:
    in the_2 office_2 = 在 | 办公室_2 ; {at bank} * 2 ; {in restaurant} ; {in city}
spot:
    on_1 the_2 table_2 = 桌子_2 上_1 ; in_1 the_2 box_2 = 箱子_2 里_1 ; on_1 the_2 bed_2 = 床_2 上_1
    on_1 the_2 chair_2 = 椅子_2 上_1 ; under_1 the_2 table_2 = 桌子_2 下面_1
scene:
    under_1 the_2 tree_2 = 树_2 下_1 ; in_1 the_2 park_2 = 公园_2 里_1
    on_1 the_2 river_2 bank_2 = 河岸_2 上_1 ; on_1 the_2 bank_2 of_2 the_2 river_2 = 河岸_2 上_1
near:
    near_1 the_2 bank_2 = 银行_2 附近_1 ; near_1 the_2 station_2 = 车站_2 附近_1
"""
