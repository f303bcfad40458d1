"""The words that `claims` reads: months, days, numbers, currencies, units, counted nouns. Data, English and Chinese.

Each table maps a folded spelling (lower case, NFKC) to its normal form, so that equal statements meet whichever
language or spelling they were made in. Where letter case carries meaning (`mW`, `MW`) `CASED_UNITS` speaks first.
"""

# Tables of words stay rows of words.
# ruff: noqa: E501, SIM905

from __future__ import annotations

from typing import Final

from dragoman.leaks.hanzi import WRITTEN_AS

SIMPLIFIED: Final = str.maketrans(WRITTEN_AS)
"""For `str.translate`: every way of writing a Han character to one of them; lengths stay."""


def _spellings(table: str) -> dict[str, str]:
    """`normal: spelling | spelling` per line; a normal form spells itself unless it starts with `=`."""
    found: dict[str, str] = {}
    for line in table.strip().splitlines():
        normal, _, rest = line.strip().partition(":")
        for spelling in (normal, *rest.split("|")):
            if spelling.strip():
                found[spelling.strip()] = normal
    return found


MONTHS: Final = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct"
        "|november nov|december dec".split("|"),
        1,
    )
    for name in names.split()
}
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        "monday mon|tuesday tues tue|wednesday weds wed|thursday thurs thur thu|friday fri|saturday sat|sunday sun".split(
            "|"
        ),
        1,
    )
    for name in names.split()
}
ZH_WEEKDAYS: Final = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7}
ORDINALS: Final = {
    name: number
    for number, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth"
        " twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first".split(),
        1,
    )
}
SMALL: Final = (
    {
        name: number
        for number, name in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
            " eighteen nineteen".split()
        )
    }
    | {
        name: 10 * number
        for number, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
    }
    | {"fourty": 40, "ninty": 90}
)
LARGE: Final = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
MAGNITUDES: Final = LARGE | {
    "k": 1_000, "mn": 1_000_000, "bn": 1_000_000_000,
    "百": 100, "千": 1_000, "万": 10_000, "萬": 10_000, "百万": 1_000_000, "千万": 10_000_000, "亿": 100_000_000, "億": 100_000_000,
}  # fmt: skip
ZH_DIGITS: Final = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
ZH_STEPS: Final = {"十": 10, "百": 100, "千": 1_000}
ZH_BIG: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
ZH_NO_NUMBERS: Final = frozenset({"万一", "一一", "千万", "千千万万", "三三两两", "万万", "百千"})

CURRENCIES: Final = _spellings("""
eur: € | euro | euros | 欧元 | 歐元
usd: us$ | us dollar | us dollars | 美元 | 美金 | 美刀
gbp: £ | pounds sterling | pound sterling | 英镑
cny: rmb | yuan | renminbi | 元 | 人民币 | 块钱
jpy: 円 | yen | 日元
hkd: hk$ | 港元 | 港币
twd: nt$ | ntd | 台币
chf: francs | 法郎
inr: ₹ | rupees | rupee
krw: ₩ | 韩元
rub: ₽ | 卢布
cad: ca$ | c$ | 加元
aud: au$ | a$ | 澳元
sgd: s$
$: dollar | dollars
¥:
cent: cents
pence: penny
sek:
nok:
dkk:
pln:
czk:
brl:
mxn:
zar:
aed:
try:
usdt:
""")
GENERIC_CURRENCIES: Final = {"$": ("usd", "cad", "aud", "hkd", "twd", "sgd"), "¥": ("cny", "jpy")}
"""A sign that stands for several currencies: stated by a fact in any of them, never the other way round."""

UNITS: Final = _spellings("""
mm: millimetre | millimetres | millimeter | millimeters | 毫米
cm: 公分 | centimetre | centimetres | centimeter | centimeters | 厘米
m: metre | metres | meter | meters | 米
km: kilometre | kilometres | kilometer | kilometers | 公里 | 千米
inch: inches | 英寸
yd: yard | yards | 码
ft: foot | feet | 英尺
mile: miles | 英里
m^2: ㎡ | m2 | sqm | sq m | square metres | square meters | 平方米 | 平米
m^3: m3 | cbm | cubic metres | cubic meters | 立方米
um: μm | micron | microns | 微米
nm: 纳米
mg: milligram | milligrams | 毫克
g: gram | grams | 克
jin: 斤 | 市斤
li: 里地 | 里路 | 华里
丝:
kg: kgs | kilo | kilos | kilogram | kilograms | 公斤 | 千克
t: tonne | tonnes | ton | tons | 吨 | 噸
lb: lbs
oz: ounce | ounces
ml: millilitre | millilitres | milliliters | 毫升
l: litre | litres | liter | liters | 升
v: volt | volts | 伏 | 伏特
mv:
kv: 千伏
a: amp | amps | ampere | amperes | 安培
ma: 毫安
mah: 毫安时
ah:
w: watt | watts | 瓦
mw:
kw: kilowatt | kilowatts | 千瓦
kwh: 千瓦时 | 度电
wh:
kva:
hz: hertz | 赫兹
khz:
mhz: 兆赫
ghz:
kb:
mb: 兆 | megabyte | megabytes
gallon: gallons | gal | us gal | us gallons
gb: gigabyte | gigabytes
tb: terabyte | terabytes
kbps:
mbps:
gbps:
°c: c | degrees celsius | degrees c | deg c | celsius | 摄氏度 | ℃
°f: f | degrees fahrenheit | fahrenheit | 华氏度
°: degrees | degree | 度
bar: bars | 巴 | 个巴
psi:
pa:
kpa: 千帕
mpa: 兆帕
rpm: 转/分
dpi:
px: pixel | pixels | 像素
ohm: ohms | ω | 欧姆
db: 分贝 | decibel | decibels
nm2:
n: newton | newtons | 牛
km/h: kph | kmh | km/hr
mph:
m/s:
lux: lx
lm: lumen | lumens | 流明
ms: millisecond | milliseconds | 毫秒
""")
CASED_UNITS: Final = {
    "mW": "milliwatt", "MW": "megawatt", "Mb": "megabit", "Gb": "gigabit", "kb": "kilobit", "MPa": "mpa", "mPa": "millipascal",
    "mHz": "millihertz", "MV": "megavolt", "mΩ": "milliohm", "MΩ": "megohm", "kΩ": "kilohm",
}  # fmt: skip
SPACED_UPPER: Final = frozenset({"a", "c", "f", "n"})
"""One-letter units that count only as capitals: `5 A`, never `5 a day`."""

COUNTED: Final = _spellings("""
second: seconds | sec | secs | s | 秒 | 秒钟
minute: minutes | min | mins | 分钟 | 分鐘
hour: hours | hr | hrs | h | 小时 | 个小时 | 小時 | 钟头 | 个钟头
day: days | 天 | 日历天
working day: working days | workdays | business day | business days | 工作日 | 个工作日
night: nights | 晚 | 个晚上 | 晚上 | 夜
week: weeks | wk | wks | 周 | 个星期 | 星期 | 个礼拜
month: months | 个月 | 個月
quarter: quarters | 个季度
year: 周年 | years | yr | yrs | 年
pallet: pallets | 托盘 | 个托盘 | 托 | 栈板 | 卡板
box: boxes | 箱 | 个箱子 | 箱子
carton: cartons | 纸箱 | 个纸箱
crate: crates
container: containers | 集装箱 | 个集装箱 | 货柜 | 个货柜 | 柜
case: cases
parcel: parcels | package | packages | 包裹 | 个包裹
piece: pieces | pc | pcs | 件
unit: units | 台
set: sets | 套
item: items
roll: rolls | 卷
bag: bags | 袋
bottle: bottles | 瓶
truck: trucks | 卡车 | 辆卡车 | 辆 | 车
dock: docks | 个月台 | 月台 | 个泊位 | 泊位
gate: gates
shelf: shelves | 货架 | 个货架
slot: slots | 个时段 | 时段
sample: samples | 样品 | 个样品 | 件样品
order: orders | 订单 | 个订单
person: people | persons | guests | attendees | participants | visitors | heads | 人 | 个人 | 位 | 名 | 名员工 | 位客人
seat: seats | chair | chairs | 座位 | 个座位 | 个位子
room: rooms | 间 | 个房间 | 间房 | 间客房 | 房间
page: pages | pp | 页
copy: copies | 份
寸:
株: 棵
layer: layers | 层
batch: batches | 批
shift: shifts
label: labels
date: dates | 日期 | 个日期
board: boards | 层板 | 块板 | 隔板 | 块层板 | 块隔板 | 层隔板
colour: colours | color | colors | 颜色 | 种颜色
option: options | 选项 | 个选项
time: times | 次
个: 個
只: 隻
盒: 盒子 | 个盒子
桶:
罐: 罐子
条: 條
张: 張
块: 塊
家:
根:
把:
支:
双:
对:
组:
本:
种:
封:
折:
成:
楼:
""")
CLASSIFIERS: Final = frozenset("个隻条张块组根把支")
"""Measure words that stand for a noun said before them ("货架共42个")."""
ARTICLE_LIKE: Final = frozenset(
    {
        "个",
        "person",
        "time",
        "copy",
        "条",
        "张",
        "家",
        "把",
        "种",
        "封",
        "件",
        "piece",
        "块",
        "组",
        "本",
        "对",
        "批",
        "batch",
        "成",
        "盒",
        "桶",
        "罐",
    }
)
"""Behind a Chinese 一 these make an article ("一个问题"), not a count."""

FUNCTION_WORDS: Final = frozenset(
    "a an the and or but of in on at by for from to with without as is are was were be been has have had can could will would"
    " shall should may might must do does did not no if then than that this these those it its he she we you they i who what which"
    " when where why how there here so until till per each every about around over under up down off out into only also just"
    " more less most least both either neither because since while after before between through during against please thanks"
    " okay ok yes today tomorrow yesterday now soon still already again our your my their his her instead left work works suit"
    " suits x remain remains available free".split()
)
TIME_ZONES: Final = "utc|gmt|central european (?:summer )?time|british (?:summer )?time|uk time|eastern (?:standard )?time|pacific (?:standard )?time|北京时间|cest|cet|bst|est|edt|cst|cdt|pst|pdt|ist|jst|sgt|hkt"
