"""The receiver's one private file: strict, complete, and told whole (spec 2 §2, §3.8, DESIGN §6).

1. JSON, or TOML of the same shape. Every section is read strictly; every problem of every section is reported at once,
   each with where it is and how to mend it.
2. The file is 0600 in a folder of 0700, ours, no symlink; judged on the descriptor that is read.
3. The sample values of the published example are refused (`example_values`): they authorise nothing.
4. `autonomy` beside no `owner_instruction` is refused. `autonomy: null` is the attended mode.

It makes no authority: what it says becomes one grant in `authority.py`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from dragoman.channels.account import AccountSection
from dragoman.channels.discord.section import DiscordSection
from dragoman.channels.email.section import EmailSection
from dragoman.channels.irc.section import IrcSection
from dragoman.channels.matrix.section import MatrixSection
from dragoman.channels.mattermost.section import MattermostSection
from dragoman.channels.slack.section import SlackSection
from dragoman.channels.teams.section import TeamsSection
from dragoman.channels.telegram.section import TelegramSection
from dragoman.channels.whatsapp.section import WhatsAppSection
from dragoman.channels.xmpp.section import XmppSection
from dragoman.channels.zulip.section import ZulipSection
from dragoman.errors import DragomanError
from dragoman.gate.accepted import SAVE, accepted, saved_otherwise
from dragoman.identity import Target
from dragoman.ledger.files import NotPrivate, read_private
from dragoman.packets.read import Limits, read
from dragoman.receiver.fields import Path_, Text
from dragoman.receiver.fields import Section as _Section
from dragoman.receiver.handler_config import HandlerSection, handler_problems
from dragoman.receiver.notifier_config import NotifierSection, notifier_problems
from dragoman.wire import ContactId, InstanceId, RoleId

SIZE_LIMIT: Final = 1024 * 1024
GrantId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{3,127}$")]

SAMPLE_GRANT: Final = "a-fresh-random-local-grant-id"
SAMPLE_EXPIRY: Final = 1_900_000_000_000
SAMPLE_CONTACT: Final = "con_0123456789abcdef0123456789abcdef"


class HubSection(_Section, frozen=True, kw_only=True):
    """`hub`: which role at which hub. `instance_id` defaults to the key file's own."""

    url: Annotated[str, Meta(min_length=8, max_length=300)]
    role_id: RoleId
    key_file: Path_
    instance_id: InstanceId | None = None


class AutonomySection(_Section, frozen=True, kw_only=True):
    """`autonomy`: what the owner granted, once (spec 2 §2). `expires_at` is epoch milliseconds."""

    version: Literal[1]
    grant_id: GrantId
    expires_at: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    contact_ids: tuple[ContactId, ...]
    accept_inbound: bool
    max_turns_per_contact: Annotated[int, Meta(ge=1, le=100_000)]
    max_dispatches_per_day: Annotated[int, Meta(ge=1, le=1_000_000)]
    wait_timeout_seconds: Annotated[int, Meta(ge=1, le=90 * 86_400)]
    notification_mode: Literal["milestones", "every_result"] = "milestones"


class MemorySection(AccountSection, frozen=True, kw_only=True):
    """`channels.memory`: a fake platform in a folder, for trying things out."""

    folder: Path_
    workspace: Annotated[str, Meta(min_length=1)] = "memory"
    id: Annotated[str, Meta(min_length=1)] = "agent"

    @property
    def account(self) -> str:
        """Its workspace."""
        return self.workspace


class ChannelsSection(_Section, frozen=True, kw_only=True):
    """`channels`: chat platforms that the same life serves. `listen` is where platforms with a webhook call us; nothing
    listens there without one."""

    listen: Annotated[str, Meta(pattern=r"^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}\Z")] = "127.0.0.1:8470"

    memory: MemorySection | None = None
    matrix: MatrixSection | None = None
    teams: TeamsSection | None = None
    email: EmailSection | None = None
    mattermost: MattermostSection | None = None
    zulip: ZulipSection | None = None
    slack: SlackSection | None = None
    telegram: TelegramSection | None = None
    discord: DiscordSection | None = None
    whatsapp: WhatsAppSection | None = None
    xmpp: XmppSection | None = None
    irc: IrcSection | None = None

    def accounts(self) -> list[tuple[str, AccountSection]]:
        """Every configured account, with its platform."""
        named = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [(name, section) for name, section in named if isinstance(section, AccountSection)]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of `listen`."""
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]"), int(port)

    def serving(self, target: Target) -> str | None:
        """The account that can speak to a target, as `platform:account`; a source of messages has the same name."""
        for platform, section in self.accounts():
            if platform == target.platform and section.serves(target.workspace):
                return f"{platform}:{section.account}"
        return None


class ConfigFile(_Section, frozen=True, kw_only=True):
    """The whole file. Relative paths are taken from its folder; `policy` left out means the closed default."""

    version: Literal[1] = 1
    state_dir: Path_
    handler: HandlerSection
    hub: HubSection | None = None
    policy: Path_ | None = None
    notifier: NotifierSection | None = None
    autonomy: AutonomySection | None = None
    owner_instruction: Text | None = None
    spoken: Literal["en", "zh"] | None = msgspec.field(default=None, name="language")
    """The owner's language. Left out: notifications are English, the command line follows the locale."""
    evidence_days: Annotated[int, Meta(ge=1, le=3_650)] = 30
    """How long raw evidence (errors, refused texts) is kept for the operator."""
    draft_reminder_hours: Annotated[int, Meta(ge=1, le=720)] = 4
    """How long a draft waits before the owner is reminded of it, once a day."""
    channels: ChannelsSection = ChannelsSection()
    test_contact_ids: tuple[ContactId, ...] = ()
    """Contacts with whom the owner authorised a test; only these can show that a real peer is answered."""

    @property
    def language(self) -> str:
        """In which language the owner is told."""
        return self.spoken or "en"


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that was read, and where from."""

    path: Path
    file: ConfigFile

    def at(self, name: str) -> Path:
        """A path of the file, taken from its folder."""
        return (self.path.parent / name).absolute()

    @property
    def state_dir(self) -> Path:
        """The state folder."""
        return self.at(self.file.state_dir)

    @property
    def grant_id(self) -> str:
        """The owner's present grant; empty in attended mode."""
        return self.file.autonomy.grant_id if self.file.autonomy else ""


class Problem(msgspec.Struct, frozen=True):
    """One thing that must be mended."""

    code: str
    where: str
    detail: str
    fix: str


class ConfigProblems(DragomanError):
    """The configuration cannot be used; `problems` holds every reason."""

    def __init__(self, problems: list[Problem]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.code, f"{first.detail}{more}", where=first.where, fix=first.fix)
        self.problems = problems


def load_config(path: Path) -> Config:
    """Read and judge the configuration at `path`.

    Raises:
        ConfigProblems: with every problem found.
    """
    raw, problems = _read(path)
    if raw is None:
        raise ConfigProblems(problems)
    file, found = parse_config(raw, toml=path.suffix == ".toml")
    problems += found
    if problems or file is None:
        raise ConfigProblems(problems)
    return Config(path=path.absolute(), file=file)


def parse_config(raw: bytes, *, toml: bool) -> tuple[ConfigFile | None, list[Problem]]:
    """The configuration in `raw`, or None, and every problem of every section."""
    whole, problems = _toml(raw) if toml else _json(raw)
    if problems:
        return None, problems
    if type(whole) is not dict:
        return None, [Problem("config_invalid", "", "expected one object", "write `{...}`")]
    problems = _sections(whole)
    if problems:
        return None, problems
    file = msgspec.convert(whole, ConfigFile)
    problems = _whole(file)
    return (None if problems else file), problems


def _toml(raw: bytes) -> tuple[Any, list[Problem]]:
    try:
        return msgspec.toml.decode(raw), []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        fix = SAVE if saved_otherwise(raw) else "mend the syntax at that place"
        return None, [Problem("config_invalid", "", f"not TOML: {error}", fix)]


def _json(raw: bytes) -> tuple[Any, list[Problem]]:
    """Strict JSON: of a key that stands twice nobody knows which one the owner meant."""
    found = read(raw, Limits(max_bytes=SIZE_LIMIT))
    if not isinstance(found, tuple):
        return found.value, []
    fix = "keep the one that the owner meant", SAVE if saved_otherwise(raw) else "mend the syntax at that place"
    return None, [
        Problem("config_invalid", each.path, f"not JSON: {each.message}", fix[each.rule != "duplicate_key"])
        for each in found
    ]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    return msgspec.json.schema(ConfigFile)


def _read(path: Path) -> tuple[bytes | None, list[Problem]]:
    where = str(path)
    private = "chmod 600 the file and 700 its folder, owned by you"
    problems: list[Problem] = []
    try:
        folder = os.stat(path.parent)
        if folder.st_uid != os.geteuid() or folder.st_mode & 0o077:
            mode = stat.S_IMODE(folder.st_mode)
            problems.append(Problem("config_not_private", str(path.parent), f"mode {mode:04o}, expected 0700", private))
        problems += _open_above(path)
        return read_private(path, SIZE_LIMIT), problems
    except FileNotFoundError:
        problems.append(Problem("config_missing", where, "no such file", "write one; see `dragoman doctor --schema`"))
    except NotPrivate as error:
        problems.append(Problem("config_not_private", where, str(error), private))
    except (OSError, ValueError) as error:
        problems.append(Problem("config_unreadable", where, str(error), "check the path and its owner; no symlinks"))
    return None, problems


def _open_above(path: Path) -> list[Problem]:
    """The folders above in which everybody may rename: whoever does could put another configuration in this place."""
    return [
        Problem("config_not_private", str(folder), "everybody may rename what is in it", "chmod o-w that folder")
        for folder in path.parent.resolve().parents
        if (mode := folder.stat().st_mode) & stat.S_IWOTH and not mode & stat.S_ISVTX
    ]


def _sections(whole: dict[str, Any]) -> list[Problem]:
    """Each key judged alone, so that one fault hides no other."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(ConfigFile)}
    problems = [
        Problem("config_invalid", key[:80], "unknown key", f"accepted keys: {', '.join(fields)}")
        for key in sorted(whole.keys() - fields.keys())
    ]
    for name, field in fields.items():
        if name not in whole:
            if field.required:
                problems.append(Problem("config_invalid", name, "missing", f"add `{name}`"))
            continue
        try:
            msgspec.convert(whole[name], field.type)
        except msgspec.ValidationError as error:
            detail, _, inside = str(error).partition(" - at `$")
            where = name + inside.rstrip("`")
            problems.append(Problem("config_invalid", where, detail, accepted(field.type, str(error))))
    return problems


def _whole(file: ConfigFile) -> list[Problem]:
    """What only shows between the sections."""
    problems = []
    problems += [Problem("config_invalid", *found) for found in handler_problems(file.handler)]
    if file.hub is None and not file.channels.accounts():
        problems.append(Problem("config_invalid", "hub", "no channel at all", "add `hub`, or one of `channels`"))
    if file.notifier is not None:
        found = notifier_problems(file.notifier, file.channels)
        problems += [Problem("config_invalid", *problem) for problem in found]
    autonomy = file.autonomy
    if autonomy is None:
        return problems
    if file.hub is None:
        problems.append(Problem("config_invalid", "autonomy", "needs a `hub`", "add `hub`, or set it to null"))
    if not (file.owner_instruction or "").strip():
        fix = "write purpose, what may be answered and disclosed, when to ask, when it is done"
        problems.append(Problem("config_invalid", "owner_instruction", "missing beside `autonomy`", fix))
    if not autonomy.contact_ids and not autonomy.accept_inbound:
        problems.append(
            Problem("config_invalid", "autonomy.contact_ids", "empty, and `accept_inbound` is false", "name a contact")
        )
    if strangers := sorted(set(file.test_contact_ids) - set(autonomy.contact_ids)):
        fix = "name it in `autonomy.contact_ids` too, when the owner granted it"
        detail = f"`{strangers[0]}` is no contact of the grant: nothing would be answered there"
        problems.append(Problem("config_invalid", "test_contact_ids", detail, fix))
    samples = {
        "autonomy.grant_id": autonomy.grant_id == SAMPLE_GRANT,
        "autonomy.expires_at": autonomy.expires_at == SAMPLE_EXPIRY,
        "autonomy.contact_ids": SAMPLE_CONTACT in autonomy.contact_ids,
    }
    fix = "put in what the owner actually granted"
    problems += [
        Problem("example_values", where, "the sample's value", fix) for where, found in samples.items() if found
    ]
    return problems
