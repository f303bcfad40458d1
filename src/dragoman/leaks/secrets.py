"""Which shapes of text are secrets, host paths, traces or internal hosts? A table, no logic beyond compiling it.

Each row: opaque rule id, kind, pattern with one group around what is guarded, and an opening. Rules of the table:

1. A pattern sees at most one character before its group and one after; `\\n` stands before and after a text.
2. A pattern without opening matches within one *run* of ASCII characters without white space. A stream holds the
   current run back, so nothing more is needed (`stream`).
3. A pattern that spans white space has an opening: it matches, up to the end of the text, every beginning of the
   pattern that ends behind white space, so that a stream can hold it back. Repeats in it are bounded.
4. A pattern with nothing to begin the search at gives a sign of itself (`shape`), since the pass over all is as slow as
   its slowest row.
5. Case matters unless the row says otherwise; patterns run over `Folded.cased`, so look-alikes do not help.

Ordinary business text must stay clean: dates, prices, `24/7`, `and/or`, order numbers, public links, mail addresses.
"""

# A pattern stays on one line.

from __future__ import annotations

import functools
import re
from itertools import islice
from typing import Final, NamedTuple

import re2

from dragoman.leaks.engines import Engine, Patterns, re2_options
from dragoman.leaks.fold import OVERRIDE
from dragoman.leaks.places import PLACES
from dragoman.leaks.random_runs import SIGN as RANDOM
from dragoman.leaks.shape import Kind, Shape

_S = Kind.SECRET

_NAMES: Final = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|credentials?|api[ _-]?(?:key|secret|token)|access[ _-]?(?:key|token)"
    r"|auth[ _-]?(?:key|token)|client[ _-]?secret|private[ _-]?key|secret[ _-]?key|密码|口令|密钥|令牌)"
)
_HALF_NAMES: Final = r"(?:(?:api|access|auth|client|private|secret) ?|[密口令])"
_STRONG: Final = r"(?:[!-~]{3,64}[0-9@#$%^&]|[0-9@#$%^&][!-~]{3,64}|[!-~]{1,64}[0-9@#$%^&][!-~]{2,64})"
_VENDORS: Final = (
    r"(?:gsk_|xai-|pplx-|r8_|lsv2_(?:pt|sk)_|tvly-|pcsk_|csk-|nvapi-|fw_|tgp_v1_|sk_[0-9a-f]{8}|dckr_[po]at_|vercel_[a-z]{2,8}_"
    r"|nfp_|fm[12]_|fo1_|HRKU-|rnd_|railway_|sbp_|sb_secret_|pscale_(?:tkn|pw|oauth)_|napi_|cfut_|dp\.(?:pt|st|ct|scim|audit)\."
    r"|pul-|gls[ab]_|glc_|NRAK-|sntry[su]_|ph[xcs]_|sgp_|xkeysib-|PMAK-|ntn_|secret_|lin_(?:api|oauth)_|fig[doru]{1,2}_|CFPAT-"
    r"|rubygems_|sq0(?:atp|csp|idp)-|EAAA|EAAC|rzp_(?:live|test)_|ATATT|ATCTT|ATBB|ABSK|AKLT|AKID|LTAI|AQVN|y0_|tskey-[a-z]{2,8}-"
    r"|syt_|ops_ey|n8n_api_|oy2|cio|gl(?:agent|ft|imt|soat|ffct)-|xox[cd]-|rt_|sl\.(?:u\.)?|bce-v3/|IGQV|ya29|1//0)"
)
SHAPES: Final[tuple[Shape, ...]] = (
    # vendors' keys and tokens
    Shape("secret:aws_access_key", _S, r"\b((?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16})\b"),
    Shape("secret:github_token", _S, r"\b(gh[pousr]_[A-Za-z0-9]{30,})"),
    Shape("secret:github_fine_token", _S, r"\b(github_pat_[A-Za-z0-9_]{30,})"),
    Shape("secret:gitlab_token", _S, r"\b(gl(?:pat|dt|rt|ptt|cbt|oas)-[A-Za-z0-9_-]{20,64})"),
    Shape("secret:slack_token", _S, r"\b(xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,})"),
    Shape("secret:slack_app_token", _S, r"\b(xapp-[0-9]-[A-Za-z0-9-]{10,})"),
    Shape("secret:slack_webhook", _S, r"(hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{16,})"),
    Shape("secret:discord_webhook", _S, r"(discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/[A-Za-z0-9_-]{16,})"),
    Shape("secret:discord_token", _S, r"\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"),
    Shape("secret:telegram_token", _S, r"\b([0-9]{8,10}:[A-Za-z0-9_-]{35})\b", sign="[0-9]{8}:[A-Za-z0-9_-]"),
    Shape("secret:sk_key", _S, r"\b(sk-(?:ant-|proj-|svcacct-|live-|test-|or-)?[A-Za-z0-9_-]*[A-Za-z0-9_]{16})"),
    Shape("secret:stripe_key", _S, r"\b((?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,})"),
    Shape("secret:stripe_webhook", _S, r"\b(whsec_[A-Za-z0-9+/=]{16,})"),
    Shape("secret:google_api_key", _S, r"\b(AIza[A-Za-z0-9_-]{35})"),
    Shape("secret:google_oauth", _S, r"\b(ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,64})"),
    Shape("secret:npm_token", _S, r"\b(npm_[A-Za-z0-9]{30,64})"),
    Shape("secret:pypi_token", _S, r"\b(pypi-[A-Za-z0-9_-]{40,})"),
    Shape("secret:huggingface_token", _S, r"\b(hf_[A-Za-z0-9]{30,64})"),
    Shape("secret:sendgrid_key", _S, r"\b(SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64})"),
    Shape("secret:twilio_key", _S, r"\b((?:AC|SK)[0-9a-f]{32})\b"),
    Shape("secret:mailgun_key", _S, r"\b(key-[0-9a-f]{32})\b"),
    Shape("secret:digitalocean_token", _S, r"\b(do[opr]_v1_[0-9a-f]{40,64})"),
    Shape("secret:shopify_token", _S, r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"),
    Shape("secret:databricks_token", _S, r"\b(dapi[0-9a-f]{32})"),
    Shape("secret:vault_token", _S, r"\b(hv[sbr]\.[A-Za-z0-9_-]{20,})"),
    Shape("secret:azure_key", _S, r"(?:\b|_)((?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/=]{30,128})"),
    Shape(
        "secret:signed_link", _S, r"[?&]((?i:sig|signature|x-amz-signature|x-goog-signature)=[A-Za-z0-9%+/=_-]{24,})"
    ),
    Shape("secret:age_key", _S, r"\b(AGE-SECRET-KEY-1[A-Z0-9]{40,64})"),
    Shape(
        "secret:vendor_token", _S, rf"\b({_VENDORS}[A-Za-z0-9_./+=$-]{{16,}})", sign=rf"\b{_VENDORS}[A-Za-z0-9_./+=$-]"
    ),
    Shape("secret:direction_override", _S, f"({OVERRIDE})"),
    # forms
    Shape("secret:jwe", _S, r"\b(eyJ[A-Za-z0-9_-]{8,}\.\.)"),
    Shape("secret:putty_key", _S, r"(PuTTY-User-Key-File-[0-9])"),
    Shape("secret:wallet_key", _S, r"\b(xprv[A-Za-z0-9]{40,}|0x[0-9a-fA-F]{64}\b|5[HJK][1-9A-HJ-NP-Za-km-z]{49})"),
    Shape("secret:wifi_code", _S, r"(WIFI:[!-~]{0,64};P:[!-~]{4,64};)"),
    Shape("secret:key_data", _S, r"(LS0tLS1CRUdJTi[A-Za-z0-9+/=]{4,})"),
    Shape(
        "secret:webhook",
        _S,
        r"((?:webhook/send\?key=|robot/send\?access_token=|bot/v2/hook/|/IncomingWebhook/|hooks\.zapier\.com/hooks/)"
        r"[A-Za-z0-9/_-]{8,})",
    ),
    Shape("secret:curl_login", _S, r"\b(curl\s{1,4}-u\s{1,4}[!-9;-~]{1,64}:[!-~]{2,})", r"\bcurl\s{1,4}(?:-u\s{1,4})?"),
    Shape("secret:cookie", _S, r"\b((?i:cookie):\s{0,4}[A-Za-z0-9_.-]{1,64}=[!-~]{8,})", r"\b(?i:cookie):\s{0,4}"),
    Shape(
        "secret:env_pass", _S, r"\b([A-Z][A-Z0-9_]{1,40}_(?:PASS|PASSWORD|PWD|SECRET|TOKEN|KEY(?:_BASE)?)=[!-~]{4,})"
    ),
    Shape("secret:docker_auth", _S, r"(\"auth\":\s{0,4}\"[A-Za-z0-9+/=]{8,})", r"\"auth\":\s{0,4}"),
    Shape("secret:jwt", _S, r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.)"),
    Shape("secret:private_key", _S, r"(-----BEGIN[\sA-Z0-9]{1,40}PRIVATE\s{1,4}KEY)", r"-----BEGIN[\sA-Z0-9]{1,52}"),
    Shape("secret:private_key_body", _S, r"\b(MI[IGH][A-Za-z0-9+/]{60,})"),
    Shape("secret:ssh_private_key", _S, r"\b(b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{16,})"),
    Shape("secret:url_password", _S, r"\b([a-zA-Z][a-zA-Z0-9+.-]{1,20}://[!-.0->A-~]*:[!-.0-?A-~]+@)"),
    Shape(
        "secret:bearer",
        _S,
        r"\b((?i:bearer)\s{1,4}[A-Za-z0-9._~+/=-]*[0-9][A-Za-z0-9._~+/=-]{15,})",
        r"\b(?i:bearer)\s{1,4}",
    ),
    Shape(
        "secret:basic_authorization",
        _S,
        r"\b((?i:authorization):\s{0,4}(?i:basic)\s{1,4}[A-Za-z0-9+/=]{8,})",
        r"\b(?i:authorization):\s{0,4}(?:(?i:basic)\s{1,4})?",
    ),
    Shape(
        "secret:assignment",
        _S,
        rf"((?i:{_NAMES})[\"']?\s{{0,4}}={{1,2}}>?\s{{0,4}}[\"']?[!-~]{{4,}})",
        rf"(?i:{_NAMES}|{_HALF_NAMES})[\"']?\s{{0,4}}(?:={{1,2}}>?\s{{0,4}})?",
    ),
    Shape(
        "secret:told",
        _S,
        rf"((?i:{_NAMES})[\"']?\s{{0,4}}(?::|(?i:\bis\b)|是|为)\s{{0,4}}[\"']?{_STRONG})",
        rf"(?i:{_NAMES}|{_HALF_NAMES})[\"']?\s{{0,4}}(?:(?::|(?i:is)|是|为)\s{{0,4}})?",
    ),
    *PLACES,
)
"""Every shape."""

HITS_PER_RULE: Final = 16
"""Most places reported of one rule in one text; bounds the work on hostile text."""

BASE64: Final = r"[A-Za-z0-9+/_-]{16}"
"""What may be base64, base32 or hex."""
ALIKE: Final = r"[A-Za-z][0134578|$@!]|[0134578|$@!][A-Za-z]|[a-z]I"
"""What may be a digit or sign in the place of a letter."""
WRITTEN: Final = r"[%&\\=<\[]"
"""What may begin an escape or markup."""
_WIDE: Final = re.compile(r"\{([0-9]+),([0-9]+)\}")
_NARROW: Final = 24


class Hints(NamedTuple):
    """What the one pass over a text says of the slower looks at it: whether they could find anything."""

    base64: bool
    random: bool
    alike: bool
    written: bool
    opening: bool

    def nothing_else(self, *, terms: bool) -> bool:
        """Whether no slower look could find anything; only a term is written in digits for letters."""
        return not (self.base64 or self.random or self.written or (terms and self.alike))


@functools.cache
def _hints(given: tuple[int, ...]) -> Hints:
    """The hints of these places in `Hints`."""
    return Hints(*(nth in given for nth in range(len(Hints._fields))))


NOTHING: Final = _hints(())


class Shapes:
    """The compiled table: one pass says which rows may match, and only those are searched for positions.

    Args:
        engine: as in `engines`.
    """

    __slots__ = ("_hints_from", "_opening", "_patterns", "_rows")

    def __init__(self, engine: Engine | None = None) -> None:
        options = re2_options()
        self._rows = [(shape, re2.compile(shape.pattern, options)) for shape in SHAPES]
        self._hints_from = len(self._rows)
        openings = "|".join(shape.opening for shape in SHAPES if shape.opening)
        self._opening = re2.compile(rf"((?:{openings})\z)", options)
        hints = [BASE64, RANDOM, ALIKE, WRITTEN, rf"(?:{openings})\s*\z"]
        self._patterns = Patterns(
            [shape.pattern for shape in SHAPES] + hints,
            [wide(shape.sign or shape.pattern) for shape in SHAPES] + hints,
            engine=engine,
        )

    def find(self, raw: bytes) -> tuple[list[tuple[Shape, int, int]], Hints]:
        """Every shape in a padded cased text (UTF-8), its span in characters (`HITS_PER_RULE` at most), and hints."""
        matched = self._patterns.match(raw)
        if not matched:
            return [], NOTHING
        found = []
        rows = [self._rows[index] for index in matched if index < self._hints_from]
        if rows:
            text = raw.decode("utf-8")
            for shape, pattern in rows:
                found += [(shape, *match.span(1)) for match in islice(pattern.finditer(text), HITS_PER_RULE)]
        return found, _hints(tuple(sorted(index - self._hints_from for index in matched if index >= self._hints_from)))

    def may_occur(self, raw: bytes) -> bool:
        """Whether `find` would find, or hint at, anything."""
        return bool(self._patterns.match(raw))

    def open_from(self, text: str) -> int | None:
        """The earliest position from which cased `text` could become a shape that spans white space, else None."""
        match = self._opening.search(text)
        return match.start(1) if match else None


@functools.cache
def shapes(engine: Engine | None) -> Shapes:
    """The table compiled for an engine, once for each process."""
    return Shapes(engine)


def wide(pattern: str) -> str:
    """The pattern with its longer repeats unbounded: matches whenever the pattern does, and compiles to less."""
    return _WIDE.sub(lambda found: found[0] if int(found[2]) <= _NARROW else f"{{{found[1]},}}", pattern)
