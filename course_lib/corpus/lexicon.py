"""The words of the corpus, in the notation of `notation`: to add a word, add it to the line of its kind.

A noun is written one/many = measure word | noun. (的) is what an adjective takes before a noun. A kind of
noun has its adjectives in `qualities`.
"""

LEXICON = """
# ---- nouns by kind
text:
    book/books = 本 | 书 * 1.5 ; magazine/magazines = 本 | 杂志
matter:
    book/books = 本 | 书 ; lesson/lessons = 节 | 课
garment:
    coat/coats = 件 | 大衣 ; shirt/shirts = 件 | 衬衫
clothes:
    {garment} * 2 ; dress/dresses = 条 | 裙子
accessory:
    hat/hats = 顶 | 帽子 ; watch/watches = 块 | 手表 * 1.5
food:
    apple/apples = 个 | 苹果 ; orange/oranges = 个 | 橙子 * 1.5 ; egg/eggs = 个 | 鸡蛋 * 2
    cake/cakes = 个 | 蛋糕 * 1.5
car:
    car/cars = 辆 | 车
bike:
    bike/bikes = 辆 | 自行车
phone:
    phone/phones = 部 | 手机
computer:
    computer/computers = 台 | 电脑
device:
    {phone} ; {computer}
gadget:
    {device} * 2 ; umbrella/umbrellas = 把 | 雨伞
key:
    key/keys = 把 | 钥匙
box:
    box/boxes = 个 | 箱子
map:
    map/maps = 张 | 地图
tool:
    {gadget} * 3 ; {box} ; {table}
thing:
    {gadget} * 3 ; {box} ; {map} * 2
table:
    table/tables = 张 | 桌子
chair:
    chair/chairs = 把 | 椅子
seat:
    {chair} ; bed/beds = 张 | 床
furniture:
    {table} ; {seat} * 2
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
cat:
    cat/cats = 只 | 猫
dog:
    dog/dogs = 条 | 狗
bird:
    bird/birds = 只 | 鸟
horse:
    horse/horses = 匹 | 马
pet:
    {cat} ; {dog} ; {bird}
animal:
    {pet} * 3 ; {horse}
adult:
    teacher/teachers = 位 | 老师 ; doctor/doctors = 位 | 医生
kid:
    girl/girls = 个 | 女孩 ; boy/boys = 个 | 男孩 ; child/children = 个 | 孩子
youngster:
    {kid} * 3 ; student/students = 个 | 学生
job:
    # 位 honors somebody else: nobody says it of himself
    student/students = 个 | 学生 ; teacher/teachers = 名 | 老师 ; doctor/doctors = 名 | 医生
friend:
    friend/friends = 个 | 朋友
beverage:
    tea = 茶 ; coffee = 咖啡 ; milk = 牛奶 * 2 ; water = 水 * 1.5
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
    new/newer = 新 ; {seniority}
seniority:
    old/older = 老
youth:
    young/younger = 年轻 (的)
bargain:
    cheap/cheaper = 便宜 (的)
cost:
    expensive/more~expensive = 贵 (的)
price:
    {bargain} ; {cost}
interest:
    interesting/more~interesting = 有趣 (的)
thrill:
    exciting = 精彩 (的)
difficulty:
    hard/harder = 难
weight:
    heavy/heavier = 重 ; light/lighter = 轻
hardness:
    hard/harder = 硬
firmness:
    {hardness} * 1.5 ; comfortable/more~comfortable = 舒服 (的)
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
    happy = 高兴 ; tired = 累 ; hungry = 饿
color:
    red = 红色 (的) ; black = 黑色 (的) ; white = 白色 (的) ; blue = 蓝色 (的)
    orange = 橙色 (的) * 3 ; light_1 blue_2 = 浅_1 蓝色_2 (的)_2 * 3
coat color:
    black = 黑 ; white = 白

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
"""
