"""Which letters look alike: data for `fold`, no rules.

Each row is one plain character and the characters a reader would take for it that compatibility decomposition
(NFKD) does not already turn into it: Cyrillic, Greek, Armenian, Cherokee, small capitals, phonetic letters, dashes,
quotes. The list favours letters that keyboards and "fancy text" pages produce; it is not the whole Unicode table.
Capitals are listed with capitals, so that patterns which heed case still see the case.
"""

from __future__ import annotations

from typing import Final

ROWS: Final[tuple[tuple[str, str], ...]] = (
    ("a", "аɑαᴀӕ⍺"),
    ("b", "ЬьƅᏏʙᑲ"),
    ("c", "сϲᴄⲥ"),
    ("d", "ԁɗđᴅᑯꓒ"),
    ("e", "еєҽᴇɛεəǝ"),
    ("f", "ƒꜰғ"),
    ("g", "ɡցɢǥ"),
    ("h", "һհʜħ"),
    ("i", "іıɪɩιӏⲓ"),
    ("j", "јϳᴊʝ"),
    ("k", "кκᴋⲕ"),
    ("l", "łʟ⏐ℓ"),
    ("m", "мᴍⅿ"),
    ("n", "пոռɴηƞ"),
    ("o", "оοօᴏøⲟ၀"),
    ("p", "рρᴘⲣ"),
    ("q", "ԛզգ"),
    ("r", "гᴦʀɾ"),
    ("s", "ѕꜱʂ"),
    ("t", "тτᴛŧ"),
    ("u", "υսᴜʋ"),
    ("v", "ѵνᴠ"),
    ("w", "ԝωᴡɯ"),
    ("x", "хχҳ"),
    ("y", "уүγʏყ"),
    ("z", "ᴢʐʒ"),
    ("σ", "Σς"),
    ("A", "АΑᎪꓮ"),
    ("B", "ВΒᏴꓐ"),
    ("C", "СϹᏟꓚ"),
    ("D", "ᎠꓓĐ"),
    ("E", "ЕΕᎬꓰЄƐ"),
    ("F", "ҒϜꓝ"),
    ("G", "ԌᏀꓖ"),
    ("H", "НΗᎻꓧҺ"),
    ("I", "ІΙӀꓲ"),
    ("J", "ЈᎫꓙ"),
    ("K", "КΚᏦꓗ"),
    ("L", "ᏞꓡŁ"),
    ("M", "МΜᎷꓟ"),
    ("N", "ΝꓠП"),
    ("O", "ОΟՕꓳØ"),
    ("P", "РΡᏢꓑ"),
    ("Q", "Ԛ"),
    ("R", "ᎡꓣГ"),
    ("S", "ЅᏚꓢ"),
    ("T", "ТΤᎢꓔ"),
    ("U", "ՍꓴԱ"),
    ("V", "ѴᏙꓦ"),
    ("W", "ԜᎳꓪ"),
    ("X", "ХΧꓫ"),
    ("Y", "УΥҮꓬ"),
    ("Z", "ΖᏃꓜ"),
    ("-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u02d7\u058a\u1806\u2e3a\u2e3b\u301c\u3030\u00ac\u06d4"),
    ("'", "\u2018\u2019\u201b\u2032\u02b9\u02bc\u00b4\u055a\u05f3"),
    ('"', "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\u05f4"),
    (".", "\u3002\u00b7\u2022\u2027\u30fb\u2219\u22c5"),
    (",", "\u3001\u060c\u201a\u055d"),
    (":", "\u2236\u02d0\u05c3\u0589\ua789\u1365"),
    (";", "\u061b\u037e"),
    ("/", "\u2044\u2215\u29f8\u2571\u3033\u31d3"),
    ("\\", "\u2216\u29f5\u29f9\u2572\u31d4"),
    ("|", "\u2223\u2502\u01c0\u05c0"),
    ("=", "\u2550\u30a0\ua78a\u2261"),
    ("_", "\u02cd\u2017"),
    ("*", "\u2217\u204e\u066d"),
    ("%", "\u066a"),
    ("(", "\u3010\u300a\u3014\u2768"),
    (")", "\u3011\u300b\u3015\u2769"),
)
"""Plain character, look-alikes. Multi-letter look-alikes stand in `LIGATURES`."""

LIGATURES: Final[tuple[tuple[str, str], ...]] = (("æ", "ae"), ("Æ", "AE"), ("œ", "oe"), ("Œ", "OE"), ("þ", "th"))
"""Characters that read as several letters."""

LETTER_BLOCKS: Final[tuple[int, ...]] = (0x1F150, 0x1F170, 0x1F1E6)
"""First code points of 26-letter alphabets without a decomposition: negative circled, negative squared, regional."""
