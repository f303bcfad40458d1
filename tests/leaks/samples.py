"""The room's shared samples: what must be found for each shape, what comes near it, and ordinary business talk.

Every sample is made up. Keys are written in two pieces so that no scanner of repositories takes them for real ones.
"""

from __future__ import annotations

from typing import Final

SHAPE_SAMPLES: Final[tuple[tuple[str, str, str], ...]] = (
    # rule, must be found, near miss
    ("secret:vendor_token", "gsk_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6", "gsk_short, secret_santa and rnd_3"),
    ("secret:direction_override", "Pro\u202etcej\u202c", "\u200fשלום\u200f and \u2067مرحبا\u2069"),
    ("secret:jwe", "eyJhbGciOiJSU0EtT0FFUCJ9" + "..abc", "wait.. and eyJ.."),
    ("secret:putty_key", "PuTTY-User-Key-File" + "-3: ssh-ed25519", "PuTTY is a program"),
    ("secret:wallet_key", "0x" + "4c0883a69102937d" * 4, "lot 0x4c08"),
    ("secret:wifi_code", "WIFI:T:WPA;S:desk;" + "P:s3cretpw;;", "WIFI: free for guests; P: parking"),
    ("secret:key_data", "LS0tLS1CRUdJTi" + "BSU0EgUFJJVkFURQ==", "LS0 and CRUD"),
    ("secret:webhook", "https://qy.example/cgi-bin/webhook/send?key=" + "693a91f6-7aaa", "the webhook/send page"),
    ("secret:curl_login", "curl -u admin:" + "s3cret https://x.example", "curl -u needs a name"),
    ("secret:cookie", "Set-Cookie: session=" + "0a0a0a0a0a0a", "cookie: chocolate = best"),
    ("secret:env_pass", "DB_PASS=" + "abc123", "the WORK_PASS = valid, HALL_KEY is blue"),
    ("secret:docker_auth", '"auth": "' + 'dXNlcjpwYXNzd29yZA=="', '"auth": "none"'),
    ("path:variable", r"%APPDATA%\x and ${HOME}/y", "50 %TEMP and $HOME"),
    ("path:registry", r"HKLM\Software", "HKLM is short"),
    ("path:bucket", "s3://acme/offers", "S3: see page 4"),
    ("path:packages", "node_modules/express", "site packages and dist"),
    ("path:source", "look into src/agent/main.py", "https://acme.example/js/app.js and and/or"),
    ("trace:error_class", "it was a KeyError", "Errors happen; the Error page; an Exception"),
    ("trace:errno", "[Errno 2] no", "[Errno] two"),
    ("trace:error_name", "ENOENT: no", "ENTER and EXIT"),
    ("trace:sqlstate", "SQLSTATE[42S02]: x", "SQL state 42"),
    ("trace:segfault", "Segmentation fault (core)", "market segmentation, faultless"),
    ("trace:unhandled", "Unhandled exception.", "the parcel was handled; an exception"),
    ("trace:node_internal", "node:internal/process", "node: internal use"),
    ("trace:elixir", "** (RuntimeError) oops", "** (see note) and **bold**"),
    ("trace:ruby", "app:in `foo'", "come in `here`"),
    ("trace:csharp", "Desk.cs:line 12", "see .cs: line 12"),
    ("trace:perl", "died at foo.pl line 12", "at the line 12"),
    ("trace:exit_code", "exited with code 137", "the exit; code 137 opens it"),
    ("trace:error_code", "Error code: 429", "Error: code 3 is the label"),
    ("trace:http", "502 Bad Gateway", "502 gateways, bad weather"),
    ("trace:model_markup", "<think>I should not</think>", "<b>think</b> about it"),
    ("internal:ipv6_bare", "ask fe80::1 now", "at 10::30 or ratio 1::2"),
    ("internal:shared_address", "ask 100.64.0.1 now", "version 100.63.0.1 or 100.64"),
    ("internal:machine", "on ip-10-0-3-4", "ip-10 rated"),
    ("internal:tunnel", "desk.tail1234.ts.net", "parts.net and ngrok"),
    ("internal:intranet", "intranet.acme.example", "our intranet. Thanks"),
    ("internal:port", "ask db:5432", "db: 5432 rows, order db1:54"),
    ("secret:aws_access_key", "key AKIA" + "IOSFODNN7EXAMPLE ok", "key AKIA" + "IOSFODNN7EX ok"),
    ("secret:github_token", "use ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", "use ghp_" + "a1B2"),
    ("secret:github_fine_token", "github_pat_" + "11ABCDEFG0123456789_abcdefghijkl", "github_pat_" + "11AB"),
    ("secret:gitlab_token", "glpat-" + "abcdefghij0123456789", "glpat-" + "abc"),
    ("secret:slack_token", "xoxb-" + "1234567890-abcdefghij", "xoxb-" + "12"),
    ("secret:slack_app_token", "xapp-1-" + "A0123456789-abc", "xapp-one"),
    ("secret:slack_webhook", "hooks.slack.com/" + "services/T00000000/B0000/XXXXXX", "see hooks.slack.com/help"),
    ("secret:discord_webhook", "discord.com/api/" + "webhooks/123456789/abcdefghijklmnopqrst", "discord.com/api/docs"),
    ("secret:discord_token", "MTIzNDU2Nzg5MDEyMzQ1Njc4." + "GabcdE." + "abcdefghijklmnopqrstuvwxyz0", "MTI.GabcdE.abc"),
    ("secret:telegram_token", "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1", "110201543:AAHdq"),
    ("secret:sk_key", "sk-" + "ant-api03-abcdefghijklmnop1234", "sk-short and risk-adjusted figures"),
    ("secret:stripe_key", "sk_" + "live_abcdefghij0123", "sk_live is a prefix"),
    ("secret:stripe_webhook", "whsec_" + "abcdefghijklmnop1234", "whsec_abc"),
    ("secret:google_api_key", "AIza" + "SyA0123456789abcdefghijklmnopqrstuvw", "AIzaSy0"),
    ("secret:google_oauth", "ya29." + "a0AfH6SMBabcdefghijk123", "ya29.short"),
    ("secret:npm_token", "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789", "npm_install"),
    ("secret:pypi_token", "pypi-" + "AgEIcHlwaS5vcmcCJGFiY2RlZmdoaWprbG1ub3BxcnN0", "pypi-mirror"),
    ("secret:huggingface_token", "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH", "hf_model"),
    ("secret:sendgrid_key", "SG." + "abcdefghijklmnopqrst.uvwxyzabcdefghijkl01", "SG.1 and SG.2"),
    ("secret:twilio_key", "AC" + "0123456789abcdef0123456789abcdef", "AC0123456789abcdef"),
    ("secret:mailgun_key", "key-" + "0123456789abcdef0123456789abcdef", "key-account"),
    ("secret:digitalocean_token", "dop_v1_" + "0123456789abcdef" * 4, "dop_v1_0123"),
    ("secret:shopify_token", "shpat_" + "0123456789abcdef0123456789abcdef", "shpat_01"),
    ("secret:databricks_token", "dapi" + "0123456789abcdef0123456789abcdef", "dapi0123"),
    ("secret:vault_token", "hvs." + "CAESIabcdefghijklmnop123", "hvs.CAES"),
    ("secret:azure_key", "AccountKey=" + "abcdefghijklmnopqrstuvwxyz0123456789ABCD==", "AccountKey= to follow"),
    ("secret:signed_link", "https://x.example/a?sig=" + "abcdefghijklmnop0123456789", "https://x.example/a?sig=no"),
    ("secret:age_key", "AGE-SECRET-KEY-1" + "QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ", "AGE-SECRET-KEY-1"),
    ("secret:jwt", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "eyJhbGciOiJIUzI1NiJ9 alone"),
    ("secret:private_key", "-----BEGIN RSA " + "PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----"),
    ("secret:private_key_body", "MII" + "EvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "MIIEvQ"),
    ("secret:ssh_private_key", "b3BlbnNzaC1rZXktdjE" + "AAAAABG5vbmUAAAAEbm9uZQ", "b3BlbnNzaC1rZXktdjE"),
    ("secret:url_password", "https://kim:hunter2@acme.example/", "https://acme.example:443/@kim"),
    ("secret:bearer", "Authorization: Bearer abcdef1234567890abcdef", "the bearer responsibilities of the courier"),
    ("secret:basic_authorization", "Authorization: Basic a2ltOmh1bnRlcjI=", "authorization: basic terms apply"),
    ("secret:assignment", "password = hunter2", "password = ?"),
    ("secret:told", "the password is hunter2!x", "the password is wrong, please ask for a new one"),
    ("path:posix", "it lies in /home/kim/offer.txt", "and/or, 24/7, w/o, home/office"),
    ("path:posix_file", "see /data/customers/list.csv", "see https://acme.example/data/customers/list.csv"),
    ("path:home", "it lies in ~/offers", "about ~5/kg"),
    ("path:hidden", "copy it to x/.ssh/config", "visit acme.example/env"),
    ("path:file_url", "open file:///C:/x", "the file: three pages"),
    ("path:drive", r"open C:\Users\kim", "option C: blue"),
    ("path:drive_slash", "open C:/Users/kim", "class C:/B"),
    ("path:unc", r"open \\fileserver\offers", r"a \ b"),
    ("trace:python", "Traceback (most recent call last):", "the traceback of the parcel (most recent)"),
    ("trace:python_file", 'File "a b.py", line 3', 'File "offer", page 3'),
    ("trace:exception_line", "ValueError: bad date", "Error: the date is taken"),
    ("trace:java_exception", "java.lang.NullPointerException", "see acme.example. Exception dates follow"),
    ("trace:java_thread", 'Exception in thread "main"', "with the exception in our terms"),
    ("trace:frame", "at com.acme.Desk.answer(Desk.java:10)", "at noon (room 3:1)"),
    ("trace:source_line", "desk.py:12", "desk.py is a file; meet at 12:30"),
    ("trace:go_routine", "goroutine 1 [running]:", "goroutine 1 of 3"),
    ("trace:go_panic", "panic: runtime error: index", "don't panic: runtime is two hours"),
    ("trace:rust_panic", "thread 'main' panicked at src", "the thread 'offers' is closed"),
    ("trace:stack", "Stack trace:", "stack, trace and sort"),
    ("internal:host", "ask 192.168.1.20 or localhost", "version 10.2.1, 192.168 boxes, localhosting"),
    ("internal:ipv6", "http://[::1]:80/", "see [1] and [::]"),
    ("internal:name", "db1.acme.internal is up", "our internal team; local.acme.example; corp."),
    ("internal:url", "http://wiki/offers", "https://wiki.acme.example/offers"),
    ("internal:service", "postgresql://db/x", "we use postgresql: and redis"),
)
"""Rule, a text with it, and a text that comes near and holds nothing."""

ORDINARY_EN: Final[tuple[str, ...]] = tuple(
    line.strip()
    for line in """
Oct 6 and 13 are open.
Thanks! We can do Tuesday 10/6/2026 at 3:30 pm.
The price is EUR 1,250.00 per pallet, net of VAT.
Order #48213-77 ships on Friday.
Please call +49 30 901820 or (555) 014-2231.
We need and/or delivery, 24/7 support, w/o extra cost.
See https://acme.example/dates?month=10 for the calendar.
Write to kim@acme.example or sales@northwind.example.
Invoice INV-2026-000431 is attached.
The minimum order is 500 units; 1,500 units get 5% off.
Our VAT id is DE123456789.
IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX.
Meeting room 4.12, second floor, 9:00-10:30.
Version 2.10.3 of the catalogue is out.
The parcel is 42.5 x 30 x 12 cm and weighs 7.2 kg.
Could you confirm by EOD Thursday?
Tracking number 1Z999AA10123456784.
Flight LH 454 lands at 14:05, gate B22.
I'll be at the office at noon (room 3).
The password reset page is on our website; I can't do it for you.
Please don't send your password by mail.
We never ask for a password, PIN or token.
Your token of appreciation arrived, thank you!
The secret is good packaging.
Is the key account manager available?
The API documentation is public: https://docs.acme.example/api/v2/orders
Terms: 30 days net, 2% discount within 10 days.
Delivery address: 12 Home Street, Springfield 62704.
Files: offer.pdf, drawing_v3.dwg, list.xlsx
Scale 1:50, A3, 300 dpi.
Yes/no/maybe?
He/she/they may sign.
c/o Acme GmbH, P.O. Box 12
The ratio is 3:2 and the margin 12.5%.
Use code SPRING26 at checkout.
Temperature range -20 to +60 degrees.
M8x40 bolts, DIN 912, grade 8.8
Part no. AB-1234/56-C
ISO 9001:2015 certified
RFC 3834 and EN 1090-2 apply.
Open Mon-Fri 8-17, Sat 9-12.
We'd love to help! What quantity do you need?
Internal parts are made of steel, external ones of brass.
Local pickup is possible.
Corp. rates apply to groups above 20.
The lan cable is 5 m long.
Call me at home / at work.
Pls see the var. prices below.
Usr. manual in three languages.
Root causes were found; root vegetables too.
Tmp. closed on Monday.
The file: three pages, signed.
Error: the date is already taken. Please choose another.
An exception in clause 4 covers this.
Stack the boxes, trace the number, then call.
At 10:30 (CET) we start; at 12 we stop.
Bearer of this letter: Ms. Li.
Bearer shares are not accepted by our counterparties.
The thread 'Offer October' is the right one.
Traceback is not what we need; a refund is.
Don't panic: we have 300 in stock.
$42, €39.90 or £35 - your choice.
Q3/2026 results; FY26 outlook.
12 x 250 ml @ 1.19 each
5'11" tall, 3/4" pipe
Lat 52.5200, Long 13.4050
https://maps.example/place/12345?zoom=14&lang=en
https://www.acme.example/catalogue/2026/autumn/pallets-and-boxes.html
https://acme.example:8443/portal
Our office: 10 Downing Street; the other: 127 Main Street.
We have 192 boxes and 168 lids.
UPC 036000291452, EAN 4006381333931
ISBN 978-3-16-148410-0
Ref: 2026-10-06T14:30:00Z
Telecommunications-infrastructure-maintenance is included.
Internationalization and responsibilities, uncharacteristically long words.
Order id 7f9c2ba4-e88f-11ed-a05b-0242ac120003 received.
Checksum d41d8cd98f00b204e9800998ecf8427e
#pallets #october #sale
:) :-) ;-) <3 ¯\\_(ツ)_/¯
Price list: A) 10.50 B) 11.00 C) 12.25
"Quoted", 'single', `code` and *bold* words
Regards, Kim Park | Acme Sales | acme.example
Naïve café résumé - façade, Zürich, Łódź, São Paulo
Счёт на оплату № 18 от 6 октября
Ευχαριστούμε για την παραγγελία
ご注文ありがとうございます。10月6日に発送します。
주문해 주셔서 감사합니다. 10월 6일에 배송됩니다.
""".strip().splitlines()
)

ORDINARY_ZH: Final[tuple[str, ...]] = tuple(
    line.strip()
    for line in """
10月6日和13日有空。
您好，请问需要多少数量？
单价为12.5元，含税。
订单号48213-77周五发货。
请拨打010-6552-9988或138 0013 8000。
最小起订量500件，1500件以上九五折。
详情见 https://acme.example/dates?lang=zh 页面。
请发邮件到 kim@acme.example，谢谢！
发票号 INV-2026-000431 已附上。
会议室4.12，上午9:00至10:30。
产品尺寸42.5×30×12厘米，重7.2公斤。
请在周四下班前确认。
快递单号SF1234567890123。
航班CA1234下午2点05分到达。
我们不会索要您的密码。
密码重置请访问官网，我无法代办。
忘记密码：请联系客服。
口令牌已寄出。
质保期为12个月。
付款方式：月结30天。
地址：北京市朝阳区建国路88号。
附件：报价单.pdf、图纸.dwg
比例1:50，A3纸。
是/否/待定？
温度范围：-20至60摄氏度。
型号AB-1234/56-C，M8×40螺栓。
符合ISO 9001:2015标准。
营业时间：周一至周五 8:00—17:00。
本地自提也可以。
内部零件为钢制，外部为黄铜。
根目录的说明书请参考官网。
文件：共三页，已签字。
错误：该日期已被占用，请另选。
第四条有例外情况。
价格：甲）10.50 乙）11.00 丙）12.25
经度116.4074，纬度39.9042
二〇二六年十月六日
３５０元／件，２４小时服务
“引号”、‘单引号’和《书名》
收到，谢谢！
""".strip().splitlines()
)
"""Ordinary messages; none may be stopped."""
