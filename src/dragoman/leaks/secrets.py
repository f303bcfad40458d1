"""Which shapes of text are secrets, host paths, traces or internal hosts? A table, no logic beyond compiling it.

Each row: opaque rule id, kind, pattern with one group around what is guarded, and an opening. Rules of the table:

1. A pattern sees at most one character before its group and one after; `\\n` stands before and after a text.
2. A pattern without opening matches within one *run* of ASCII characters without white space. A stream holds the
   current run back, so nothing more is needed (`stream`).
3. A pattern that spans white space has an opening: it matches, up to the end of the text, every beginning of the
   pattern that ends behind white space, so that a stream can hold it back. Repeats in it are bounded.
4. Case matters unless the row says otherwise; patterns run over `Folded.cased`, so look-alikes do not help.

Ordinary business text must stay clean: dates, prices, `24/7`, `and/or`, order numbers, public links, mail addresses.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

import re2


class Kind(StrEnum):
    """What was found (spec 1 §5)."""

    TERM = "term"
    SECRET = "secret"  # noqa: S105
    PATH = "path"
    TRACE = "trace"
    INTERNAL_HOST = "internal_host"


class Shape(NamedTuple):
    """One row: `opening` is empty when the pattern never spans white space."""

    rule: str
    kind: Kind
    pattern: str
    opening: str = ""


RUN_LIMIT: Final = 4096
"""Longest run without white space, in folded characters, that can be checked; a longer one is `secret:unbroken_run`."""

_S, _P, _T, _H = Kind.SECRET, Kind.PATH, Kind.TRACE, Kind.INTERNAL_HOST

_NAMES: Final = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|credentials?|api[ _-]?(?:key|secret|token)|access[ _-]?(?:key|token)"
    r"|auth[ _-]?(?:key|token)|client[ _-]?secret|private[ _-]?key|secret[ _-]?key|密码|口令|密钥|令牌)"
)
_HALF_NAMES: Final = r"(?:(?:api|access|auth|client|private|secret) ?|[密口令])"
_STRONG: Final = r"(?:[!-~]{3,64}[0-9@#$%^&]|[0-9@#$%^&][!-~]{3,64}|[!-~]{1,64}[0-9@#$%^&][!-~]{2,64})"
_PRIVATE_HOST: Final = (
    r"(?:localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|10\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}"
    r"|192\.168\.[0-9]{1,3}\.[0-9]{1,3}|172\.(?:1[6-9]|2[0-9]|3[01])\.[0-9]{1,3}\.[0-9]{1,3}"
    r"|169\.254\.[0-9]{1,3}\.[0-9]{1,3}|0\.0\.0\.0)"
)
_ROOTS: Final = (
    r"(?:home|Users|root|var|etc|srv|opt|usr|tmp|private|mnt|proc|sys|dev|run|boot|lib|lib64|bin|sbin|Library"
    r"|Volumes|Applications|workspace|workspaces|snap|nix)"
)
_SOURCE: Final = r"(?:py|pyc|js|mjs|cjs|ts|tsx|jsx|java|kt|scala|cs|rb|go|rs|php|cpp|swift)"
_FILE: Final = r"(?:csv|json|jsonl|log|conf|cfg|ini|ya?ml|toml|db|sqlite3?|pem|key|env|sh|sql|xlsx|parquet|bak)"

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
    Shape("secret:telegram_token", _S, r"\b([0-9]{8,10}:[A-Za-z0-9_-]{35})\b"),
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
    # forms
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
    # host paths
    Shape("path:posix", _P, rf"[^A-Za-z0-9_/.~%-](/{_ROOTS}/)"),
    Shape("path:posix_file", _P, rf"[^A-Za-z0-9_/.~%-]((?:/[A-Za-z0-9_.-]{{1,64}}){{2,12}}\.(?:{_SOURCE}|{_FILE}))\b"),
    Shape("path:home", _P, r"[^A-Za-z0-9_/.~%-](~(?:[a-z_][a-z0-9_-]*)?/[A-Za-z0-9_.])"),
    Shape("path:hidden", _P, r"(/\.(?:ssh|aws|kube|docker|gnupg|config|env|git|npmrc|netrc|pypirc)\b)"),
    Shape("path:file_url", _P, r"\b((?i:file):/{1,3}[A-Za-z0-9_.%~])"),
    Shape("path:drive", _P, r"[^A-Za-z0-9_]([A-Za-z]:\\{1,2}[A-Za-z0-9_.$%-])"),
    Shape(
        "path:drive_slash",
        _P,
        r"[^A-Za-z0-9_]([A-Za-z]:/(?i:users|windows|program|programdata|temp|inetpub|dev|src)\b)",
    ),
    Shape("path:unc", _P, r"[^A-Za-z0-9_\\:](\\\\[A-Za-z0-9_.-]{1,64}\\[A-Za-z0-9_.$-])"),
    # stack traces
    Shape(
        "trace:python",
        _T,
        r"\b(Traceback\s{1,4}\(most\s{1,4}recent\s{1,4}call\s{1,4}last\))",
        r"\bTraceback\s{1,4}(?:\(most\s{1,4}(?:recent\s{1,4}(?:call\s{1,4})?)?)?",
    ),
    Shape(
        "trace:python_file",
        _T,
        r"\b(File\s{1,4}\"[^\"\n]{1,256}\",\s{1,4}line\s{1,4}[0-9])",
        r"\bFile\s{1,4}(?:\"[^\"\n]{0,256}(?:\",\s{1,4}(?:line\s{1,4})?)?)?",
    ),
    Shape(
        "trace:exception_line", _T, r"\b((?:[a-z_][a-z0-9_]{0,64}\.){0,8}[A-Z][A-Za-z0-9]{1,64}(?:Error|Exception))[:(]"
    ),
    Shape(
        "trace:java_exception", _T, r"\b((?:[a-z][a-z0-9_]{0,64}\.){2,8}[A-Z][A-Za-z0-9]{0,64}(?:Error|Exception))\b"
    ),
    Shape("trace:java_thread", _T, r"\b(Exception\s{1,4}in\s{1,4}thread)\b", r"\bException\s{1,4}(?:in\s{1,4})?"),
    Shape(
        "trace:frame",
        _T,
        r"\b(at\s{1,4}(?:(?:async|new)\s{1,4})?[A-Za-z0-9_.$<>/\[\]]{1,128}\s{0,4}\([!-'*-~]{1,256}:[0-9])",
        r"\bat\s{1,4}(?:(?:async|new)\s{1,4})?(?:[A-Za-z0-9_.$<>/\[\]]{1,128}\s{1,4})?",
    ),
    Shape("trace:source_line", _T, rf"([A-Za-z0-9_][A-Za-z0-9_-]{{0,64}}\.{_SOURCE}:[0-9]{{1,6}})"),
    Shape(
        "trace:go_routine",
        _T,
        r"\b(goroutine\s{1,4}[0-9]{1,9}\s{1,4}\[[a-z])",
        r"\bgoroutine\s{1,4}(?:[0-9]{1,9}\s{1,4})?",
    ),
    Shape("trace:go_panic", _T, r"\b(panic:\s{1,4}runtime\s{1,4}error)", r"\bpanic:\s{1,4}(?:runtime\s{1,4})?"),
    Shape(
        "trace:rust_panic",
        _T,
        r"\b(thread\s{1,4}'[^'\n]{1,64}'\s{1,4}(?:\([0-9]{1,9}\)\s{1,4})?panicked\s{1,4}at)\b",
        r"\bthread\s{1,4}(?:'[^'\n]{0,64}(?:'\s{1,4}(?:\([0-9]{1,9}\)\s{1,4})?(?:panicked\s{1,4})?)?)?",
    ),
    Shape("trace:stack", _T, r"\b((?i:stack)\s{0,4}(?i:trace):)", r"\b(?i:stack)\s{1,4}(?:(?i:trace))?"),
    # internal URLs and hosts
    Shape("internal:host", _H, rf"[^A-Za-z0-9_.-]({_PRIVATE_HOST})(?:[^A-Za-z0-9_.-]|\.[^A-Za-z0-9_])"),
    Shape("internal:ipv6", _H, r"(\[(?:::1|f[cd][0-9a-f]{2}:[0-9a-f:]{1,40}|fe80:[0-9a-f:]{1,40})\])"),
    Shape(
        "internal:name",
        _H,
        r"\b([A-Za-z0-9_-]{1,63}\.(?:internal|local|corp|lan|localdomain|intranet|INTERNAL|LOCAL|CORP|LAN"
        r"|home\.arpa|svc\.cluster\.local))(?:[^A-Za-z0-9_.-]|\.[^A-Za-z0-9_])",
    ),
    Shape(
        "internal:url",
        _H,
        r"\b((?i:https?|wss?|ftp|ssh|grpc)://[A-Za-z0-9_-]{1,63})(?:[^A-Za-z0-9_.@-]|\.[^A-Za-z0-9_])",
    ),
    Shape(
        "internal:service",
        _H,
        r"\b((?i:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|rediss|amqps?|kafka|ldaps?|smb|nfs|jdbc:[a-z]{1,20})://)",
    ),
)
"""Every shape."""

HITS_PER_RULE: Final = 16
"""Most places reported of one rule in one text; bounds the work on hostile text."""

BASE64: Final = r"[A-Za-z0-9+/_-]{16}"
"""What may be base64 (the last pattern of the set)."""


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    return options


class Shapes:
    """The compiled table: one pass says which rows match, and only those are searched again for positions."""

    __slots__ = ("_opening", "_rows", "_set")

    def __init__(self, shapes: tuple[Shape, ...] = SHAPES) -> None:
        options = _options()
        self._rows = [(shape, re2.compile(shape.pattern, options)) for shape in shapes]
        self._set = re2.Set.SearchSet(options)
        for shape in shapes:
            self._set.Add(shape.pattern)
        self._set.Add(BASE64)
        self._set.Compile()
        openings = "|".join(shape.opening for shape in shapes if shape.opening)
        self._opening = re2.compile(rf"((?:{openings})\z)", options)

    def find(self, text: str) -> tuple[list[tuple[Shape, int, int]], bool]:
        """Every shape in padded cased `text` with its span (`HITS_PER_RULE` each at most); whether base64 may be."""
        matched = self._set.Match(text)
        if not matched:
            return [], False
        found = []
        for index in matched:
            if index < len(self._rows):
                shape, pattern = self._rows[index]
                for nth, match in enumerate(pattern.finditer(text)):
                    if nth == HITS_PER_RULE:
                        break
                    found.append((shape, *match.span(1)))
        return found, len(self._rows) in matched

    def open_from(self, text: str) -> int | None:
        """The earliest position from which cased `text` could become a shape that spans white space, else None."""
        match = self._opening.search(text)
        return match.start(1) if match else None
