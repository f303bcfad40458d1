"""Which shapes of text are host paths, traces, a model's own markup or internal hosts? Rows for `secrets`, same rules."""

# A pattern stays on one line.
# ruff: noqa: E501

from __future__ import annotations

from typing import Final

from dragoman.leaks.shape import Kind, Shape

_P, _T, _H = Kind.PATH, Kind.TRACE, Kind.INTERNAL_HOST

_PRIVATE_HOST: Final = (
    r"(?:localhost|LOCALHOST|Localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|10\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}"
    r"|192\.168\.[0-9]{1,3}\.[0-9]{1,3}|172\.(?:1[6-9]|2[0-9]|3[01])\.[0-9]{1,3}\.[0-9]{1,3}"
    r"|169\.254\.[0-9]{1,3}\.[0-9]{1,3}|0\.0\.0\.0)"
)
_ROOTS: Final = (
    r"(?:home|Users|root|var|etc|srv|opt|usr|tmp|private|mnt|proc|sys|dev|run|boot|lib|lib64|bin|sbin|Library"
    r"|Volumes|Applications|workspace|workspaces|snap|nix|app|code|src|data|work|github|builds|storage|cygdrive|nas|config|logs"
    r"|content|overlay|export|scratch)"
)
_SOURCE: Final = r"(?:py|pyc|js|mjs|cjs|ts|tsx|jsx|java|kt|scala|cs|rb|go|rs|php|cpp|swift)"
_FILE: Final = r"(?:csv|json|jsonl|log|conf|cfg|ini|ya?ml|toml|db|sqlite3?|pem|key|env|sh|sql|xlsx|parquet|bak)"

PLACES: Final[tuple[Shape, ...]] = (
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
    Shape(
        "path:variable",
        _P,
        r"(%(?:USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMFILES|TEMP|HOMEPATH|SYSTEMROOT)%|\$\{?HOME\}?/)",
    ),
    Shape("path:registry", _P, r"\b((?:HKEY_[A-Z_]{4,24}|HKLM|HKCU)\\)"),
    Shape("path:bucket", _P, r"\b((?:s3|gs|abfss?|wasbs?|hdfs|vscode|unix)://[A-Za-z0-9/])"),
    Shape("path:packages", _P, r"((?:site-packages|dist-packages|node_modules)[/\\])"),
    Shape(
        "path:source",
        _P,
        rf"[^A-Za-z0-9_/.~%@:-](\.{{0,2}}/?(?:[A-Za-z0-9_-]{{1,64}}/){{1,12}}[A-Za-z0-9_.-]{{1,64}}\.{_SOURCE})\b",
    ),
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
    Shape(
        "trace:go_panic",
        _T,
        r"\b(panic:\s{1,4}(?:runtime\s{1,4}error|assignment\s{1,4}to))",
        r"\bpanic:\s{1,4}(?:(?:runtime|assignment)\s{1,4})?",
    ),
    Shape(
        "trace:rust_panic",
        _T,
        r"\b(thread\s{1,4}'[^'\n]{1,64}'\s{1,4}(?:\([0-9]{1,9}\)\s{1,4})?panicked\s{1,4}at)\b",
        r"\bthread\s{1,4}(?:'[^'\n]{0,64}(?:'\s{1,4}(?:\([0-9]{1,9}\)\s{1,4})?(?:panicked\s{1,4})?)?)?",
    ),
    Shape(
        "trace:stack", _T, r"\b((?i:stack)\s{0,4}(?i:trace(?:back)?):)", r"\b(?i:stack)\s{1,4}(?:(?i:trace(?:back)?))?"
    ),
    Shape(
        "trace:error_class", _T, r"[^A-Za-z0-9_.]([A-Z][a-z0-9]{1,32}(?:[A-Z][a-z0-9]{1,32}){0,6}(?:Error|Exception))\b"
    ),
    Shape("trace:errno", _T, r"(\[Errno\s{1,2}-?[0-9]{1,3}\])", r"\[Errno\s{1,2}"),
    Shape(
        "trace:error_name",
        _T,
        r"\b(E(?:NOENT|CONNREFUSED|CONNRESET|ACCES|PIPE|TIMEDOUT|ADDRINUSE|PERM|EXIST|NOTFOUND|NOSPC|MFILE)|SIG(?:SEGV|KILL|TERM|ABRT)"
        r"|ORA-[0-9]{5}|RUST_BACKTRACE|AddressSanitizer)\b",
    ),
    Shape("trace:sqlstate", _T, r"\b(SQLSTATE\[[0-9A-Z]{5}\])"),
    Shape("trace:segfault", _T, r"\b((?i:segmentation)\s{1,4}fault)\b", r"\b(?i:segmentation)\s{1,4}"),
    Shape(
        "trace:unhandled",
        _T,
        r"\b((?i:(?:unhandled|uncaught))\s{0,4}(?:(?i:promise)\s{0,4})?(?i:exception|error|rejection|typeerror))",
        r"\b(?i:(?:unhandled|uncaught))\s{0,4}(?:(?i:promise)\s{0,4})?",
    ),
    Shape("trace:node_internal", _T, r"\b(node:internal/)"),
    Shape("trace:elixir", _T, r"(\*\*\s{1,2}\([A-Z][A-Za-z.]{2,64}\))", r"\*\*\s{1,2}"),
    Shape("trace:ruby", _T, r"(\((?:[A-Z][A-Za-z]{1,32}::)?NoMethodError\)|:in\s{1,2}[`'][a-z])", r":in\s{1,2}"),
    Shape("trace:csharp", _T, r"(\.cs:line\s{1,2}[0-9])", r"\.cs:line\s{1,2}"),
    Shape(
        "trace:perl",
        _T,
        r"\b(at\s{1,2}[A-Za-z0-9_/.-]{1,128}\.p[lm]\s{1,2}line\s{1,2}[0-9])",
        r"\bat\s{1,2}(?:[A-Za-z0-9_/.-]{1,128}\.p[lm]\s{1,2}(?:line\s{1,2})?)?",
    ),
    Shape(
        "trace:exit_code",
        _T,
        r"\b(exit(?:ed)?\s{1,2}(?:with\s{1,2})?code\s{1,2}[0-9])",
        r"\bexit(?:ed)?\s{1,2}(?:with\s{1,2})?(?:code\s{1,2})?",
    ),
    Shape("trace:error_code", _T, r"\b(Error\s{1,2}code:\s{1,2}[45][0-9]{2})\b", r"\bError\s{1,2}(?:code:\s{1,2})?"),
    Shape(
        "trace:http",
        _T,
        r"\b([45][0-9]{2}\s{1,2}(?:Internal\s{1,2}Server\s{1,2}Error|Bad\s{1,2}Gateway|Service\s{1,2}Unavailable))",
        r"\b[45][0-9]{2}\s{1,2}(?:Internal\s{1,2}(?:Server\s{1,2})?|Bad\s{1,2}|Service\s{1,2})?",
    ),
    # a model's own markup
    Shape(
        "trace:model_markup",
        _T,
        r"(</?(?:think|thinking|reasoning|scratchpad|tool_call|tool_calls|tool_use|tool_result|function_calls?|function_results?|invoke)>"
        r"|\"(?:tool_calls|tool_use_id|function_call|finish_reason)\"|<\|(?:im_start|im_end|endoftext|system|assistant|start_header_id)\|>)",
    ),
    # internal URLs and hosts
    Shape("internal:host", _H, rf"[^A-Za-z0-9_.-]({_PRIVATE_HOST})(?:[^A-Za-z0-9_.-]|\.[^A-Za-z0-9_])"),
    Shape(
        "internal:ipv6_bare",
        _H,
        r"[^A-Za-z0-9:.](fe80::[0-9a-f:]{0,40}|f[cd][0-9a-f]{2}:[0-9a-f]{0,4}:[0-9a-f:]{1,32}|::1)(?:[^A-Za-z0-9:.]|\.[^A-Za-z0-9_])",
    ),
    Shape(
        "internal:shared_address",
        _H,
        r"[^A-Za-z0-9_.-](100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.[0-9]{1,3}\.[0-9]{1,3})[^A-Za-z0-9_.-]",
    ),
    Shape("internal:machine", _H, r"\b(ip-10-[0-9]{1,3}-[0-9]{1,3}-[0-9]{1,3})\b"),
    Shape(
        "internal:tunnel",
        _H,
        r"\b([A-Za-z0-9.-]{1,63}\.(?:ts\.net|ngrok(?:-free)?\.(?:app|dev|io)|trycloudflare\.com|onion|svc|fritz\.box))\b",
    ),
    Shape("internal:intranet", _H, r"\b((?i:intranet)\.[A-Za-z0-9-]{1,63}\.[A-Za-z]{2,24})\b"),
    Shape(
        "internal:port",
        _H,
        r"[^A-Za-z0-9_.:/@-]((?:db|redis|cache|postgres|mysql|mongo|kafka|rabbitmq|elasticsearch|api|web|worker|vault|consul|etcd):[0-9]{4,5})\b",
    ),
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
"""Every row."""
