"""What each source becomes: targets as they stood, the closed form for the rest, and every path told."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from dragoman.gate.policy_file import parse_policy
from dragoman.gate.policy_keys import PolicyFile, TargetEntry
from dragoman.gate.workbench.imported.draft import Imported
from dragoman.gate.workbench.imported.field import import_field
from dragoman.gate.workbench.imported.hermes import import_hermes
from dragoman.gate.workbench.imported.openclaw import import_openclaw
from dragoman.gate.workbench.imported.tree import read_tree
from dragoman.gate.workbench.text import policy_text

FIELD = """
schema: illustrative
unknown_audience: external
unknown_unsolicited_participation: mute
channels:
  - platform: slack
    workspace_id: T0SYNTH
    channel_id: C0EXT
    audience: external
    access: allowed
    require_mention: false
    open_question_responses: true
  - {platform: slack, workspace_id: T0SYNTH, channel_id: C0INT, audience: internal, access: allowed,
     operator_messages_are_requests: true}
  - {platform: slack, workspace_id: T0SYNTH, channel_id: C0SHUT, audience: internal, access: denied}
  - {platform: slack, channel_id: C0LOST, audience: internal, access: allowed}
participation:
  historical_thread_is_consent: false
  observe_unmentioned_group_messages: true
output:
  external: [final, safe_error]
autonomy:
  default: auto
  draft_only: [prices_or_rates, contractual]
  never: [signing, money_movement]
"""


def targets(found: Imported) -> dict[str, dict[str, Any]]:
    """The keys of each target that differ from their defaults, by channel."""
    told = {}
    for entry in found.file.targets:
        fields = {field.name: field.default for field in msgspec.structs.fields(TargetEntry)}
        row = {name: getattr(entry, name) for name in fields}
        told[entry.channel] = {
            name: value
            for name, value in row.items()
            if name not in ("platform", "workspace", "channel") and value != fields[name]
        }
    return told


def left(found: Imported, kind: str = "") -> dict[str, str]:
    """What was left, by path."""
    return {each.path: each.kind for each in found.left if kind in ("", each.kind)}


def loads(found: Imported) -> None:
    """What was imported is a policy that loads and says the same."""
    text = policy_text(found.file, found.notes)
    parse_policy(text.encode())
    assert found.file == msgspec.toml.decode(text, type=PolicyFile)


def field(source: str) -> Imported:
    """The field's YAML, imported."""
    found = import_field(read_tree(source.encode()))
    loads(found)
    return found


def claw(channels: dict[str, Any], *accepted: str, **workspaces: str) -> Imported:
    """OpenClaw's channels, imported."""
    raw = json.dumps({"channels": channels, "agents": {"list": []}}).encode()
    found = import_openclaw(read_tree(raw), {"slack": "T0A1", "telegram": "777"} | workspaces, frozenset(accepted))
    loads(found)
    return found


def hermes(source: str, *accepted: str) -> Imported:
    """A Hermes configuration, imported."""
    own = {"slack": "T0A1", "telegram": "777", "discord": "444444", "matrix": "@desk:x.example"}
    found = import_hermes(read_tree(source.encode()), own, frozenset(accepted))
    loads(found)
    return found


def test_the_fields_yaml() -> None:
    """Targets with their openings, the denied one, the incomplete one left; rules that hold here always are told so."""
    found = field(FIELD)

    assert {
        "C0EXT": {"audience": "external", "require_mention": False, "open_question_responses": True},
        "C0INT": {"audience": "internal", "operator_messages_are_requests": True},
        "C0SHUT": {"audience": "internal", "access": "deny"},
    } == targets(found)
    assert "auto" == found.file.autonomy
    assert {
        "channels[3]": "closed",
        "unknown_audience": "always",
        "unknown_unsolicited_participation": "always",
        "participation.historical_thread_is_consent": "always",
        "participation.observe_unmentioned_group_messages": "closed",
        "output.external": "always",
        "autonomy.draft_only": "always",
        "autonomy.never": "always",
    } == left(found)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("    access: allowed\n", "", "channels[0].access"),
        ("access: allowed\n", "access: maybe\n", "channels[0].access"),
        ("    audience: external\n", "    audience: friends\n", "channels[0].audience"),
        ("unknown_audience: external", "unknown_audience: internal", "unknown_audience"),
        ("historical_thread_is_consent: false", "historical_thread_is_consent: true", "participation.historical"),
        ("external: [final, safe_error]", "external: [final, reasoning]", "output.external"),
        ("default: auto", "default: full", "autonomy.default"),
        ("never: [signing", "frozen: [x]\n  never: [signing", "autonomy.frozen"),
        ("never: [signing", "never: [flying", "autonomy.never"),
    ],
)
def test_what_is_broader_or_unclear_is_closed(old: str, new: str, path: str) -> None:
    """Each change is told as closed at its path."""
    found = field(FIELD.replace(old, new, 1))

    assert [each for each in left(found, "closed") if each.startswith(path)]


@pytest.mark.parametrize("change", [("default: auto", "default: full"), ("never: [signing", "never: [flying")])
def test_an_unclear_autonomy_files_everything(change: tuple[str, str]) -> None:
    """Every answer to an outsider becomes a draft."""
    assert "draft_only" == field(FIELD.replace(*change)).file.autonomy
    assert "draft_only" == field("channels: []\n").file.autonomy


def test_a_target_that_stands_twice_is_denied() -> None:
    """Which of the two was meant is unclear."""
    row = "{platform: slack, workspace_id: T0SYNTH, channel_id: C0EXT, audience: external, access: allowed}"
    found = field(f"channels: [{row}, {row}]\n")

    assert {"C0EXT": {"audience": "external", "access": "deny"}} == targets(found)


def test_every_key_nobody_knows_is_told_and_no_value() -> None:
    """A foreign file may hold secrets: the path is told, the value never."""
    found = field(FIELD + "bot_token: xoxb-very-secret\n")

    assert "no_counterpart" == left(found)["bot_token"]
    assert "very-secret" not in policy_text(found.file, found.notes) + repr(found.left)


def test_openclaw_slack() -> None:
    """Exact ids with their lists; names, wildcards, one-to-ones and defaults of many are told."""
    found = claw(
        {
            "slack": {
                "botToken": "xoxb-1",
                "groupPolicy": "allowlist",
                "channels": {
                    "C0A1": {"allow": True, "requireMention": False, "users": ["U0A1", "slack:U0B2", "@kim", "*"]},
                    "C0B2": {"users": []},
                    "C0C3": {"allow": False},
                    "#general": {"allow": True},
                    "D0A1": {},
                    "*": {"requireMention": False},
                },
                "dm": {"policy": "open", "allowFrom": ["*"]},
                "allowBots": True,
            }
        }
    )
    senders = ("slack/T0A1/U0A1", "slack/T0A1/U0B2")

    assert {
        "C0A1": {"audience": "external", "require_mention": False, "allowed_senders": senders},
        "C0B2": {"audience": "external", "allowed_senders": ()},
        "C0C3": {"audience": "external", "access": "deny"},
    } == targets(found)
    base = "channels.slack"
    assert {f"{base}.channels.{id}" for id in ("#general", "D0A1", "*", "C0A1.users")} | {f"{base}.dmPolicy"} == set(
        left(found, "closed")
    )
    assert {f"{base}.allowBots", "agents"} == set(left(found, "no_counterpart"))


def test_openclaw_telegram() -> None:
    """Groups need a list of senders; a named user's own chat is known by the user's id."""
    found = claw(
        {
            "telegram": {
                "dmPolicy": "allowlist",
                "allowFrom": ["tg:5551", 5552, "@kim"],
                "groups": {
                    "-1001": {"requireMention": False},
                    "-1002": {"groupPolicy": "open"},
                    "-1003": {"allowFrom": ["5553"]},
                    "-1004": {"topics": {"7": {"enabled": False}}},
                    "5559": {},
                },
            }
        }
    )
    listed = ("telegram/777/5551", "telegram/777/5552")

    assert {
        "-1001": {"audience": "external", "require_mention": False, "allowed_senders": listed},
        "-1002": {"audience": "external"},
        "-1003": {"audience": "external", "allowed_senders": ("telegram/777/5553",)},
        "-1004": {"audience": "external", "access": "deny"},
        "5551": {"audience": "external", "allowed_senders": ("telegram/777/5551",)},
        "5552": {"audience": "external", "allowed_senders": ("telegram/777/5552",)},
    } == targets(found)


def test_openclaw_telegram_without_any_list_lets_nobody_in() -> None:
    """An allow-list policy without a list is nobody."""
    found = claw({"telegram": {"groups": {"-1001": {}}}})

    assert {"-1001": {"audience": "external", "allowed_senders": ()}} == targets(found)


def test_openclaw_discord_servers() -> None:
    """The server is the workspace; a whole server, its defaults and its roles are told."""
    found = claw(
        {
            "discord": {
                "guilds": {
                    "444444": {
                        "requireMention": False,
                        "users": ["555555"],
                        "channels": {"666666": {"enabled": True}, "help": {}, "777777": {"roles": ["1"]}},
                    },
                    "888888": {},
                }
            }
        }
    )

    assert {
        "666666": {"audience": "external", "allowed_senders": ("discord/444444/555555",)},
        "777777": {"audience": "external", "allowed_senders": ("discord/444444/555555",)},
    } == targets(found)
    assert {"444444"} == {entry.workspace for entry in found.file.targets}
    assert {
        "channels.discord.guilds.444444.requireMention",
        "channels.discord.guilds.444444.channels.help",
        "channels.discord.guilds.888888",
        "channels.discord.dmPolicy",
    } == set(left(found, "closed"))


def test_openclaw_teams() -> None:
    """The tenant of the file is the workspace; conversations stand under their teams, names are told."""
    tenant = "0a0a0a0a-0b0b-0c0c-0d0d-0e0e0e0e0e0e"
    rooms = {"19:abc@thread.tacv2": {"requireMention": False}, "General": {}}
    found = claw({"msteams": {"tenantId": tenant, "teams": {"team-1": {"channels": rooms}}}})

    assert {"19:abc@thread.tacv2": {"audience": "external", "require_mention": False}} == targets(found)
    assert {("teams", tenant)} == {(entry.platform, entry.workspace) for entry in found.file.targets}
    assert "closed" == left(found)["channels.msteams.teams.team-1.channels.General"]


def test_openclaw_matrix_is_taken_over_only_when_accepted() -> None:
    """Replies and one-to-ones would ask here and not there."""
    channels = {
        "matrix": {
            "userId": "@desk:x.example",
            "groupAllowFrom": ["@a:x.example", "@b:x.example"],
            "groups": {"!one:x.example": {"users": ["@b:x.example", "@c:x.example"]}, "#two:x.example": {}},
        }
    }

    assert {} == targets(claw(channels)) == targets(claw(channels, "replies"))
    found = claw(channels, "replies", "direct")
    assert {
        "!one:x.example": {"audience": "external", "allowed_senders": ("matrix/@desk:x.example/@b:x.example",)}
    } == targets(found)
    assert "accepted" in left(found).values()


@pytest.mark.parametrize(
    "block",
    [
        {"enabled": False, "channels": {"C0A1": {}}},
        {"accounts": {"work": {}}, "channels": {"C0A1": {}}},
        {"groupPolicy": "disabled", "channels": {"C0A1": {}}},
        {"groupPolicy": "whatever", "channels": {"C0A1": {}}},
    ],
)
def test_openclaw_blocks_that_stay_out_whole(block: dict[str, Any]) -> None:
    """Switched off, several accounts, a policy that says no or nothing known."""
    assert {} == targets(claw({"slack": block}))


def test_openclaw_without_our_own_account_takes_nothing_over() -> None:
    """A workspace is never guessed."""
    found = import_openclaw(read_tree(b'{"channels": {"slack": {"channels": {"C0A1": {}}}}}'), {})

    assert () == found.file.targets
    assert "--workspace slack=ID" in found.left[0].why


def test_openclaw_whose_replies_do_not_count_stays_out() -> None:
    """Where the source switched replies off, a reply would ask here."""
    block = {"implicitMentions": {"replyToBot": False}, "groups": {"-1001": {"groupPolicy": "open"}}}

    assert {} == targets(claw({"telegram": block}))
    assert ["-1001"] == list(targets(claw({"telegram": block}, "replies")))


def test_hermes_slack() -> None:
    """The allowed chats with the users of the file; freed ones by name, tightened ones not."""
    found = hermes(
        """
slack:
  require_mention: false
  allowed_channels: [C0A1, C0B2, C0C3, "#ops"]
  free_response_channels: "C0B2,C0C3,C0D4"
  require_mention_channels: C0C3
  allowed_users: [U0A1, '*']
platforms:
  slack:
    token: xoxb-secret
    extra: {allow_bots: all}
"""
    )
    senders = ("slack/T0A1/U0A1",)

    assert {
        "C0A1": {"audience": "external", "allowed_senders": senders},
        "C0B2": {"audience": "external", "require_mention": False, "allowed_senders": senders},
        "C0C3": {"audience": "external", "allowed_senders": senders},
        "C0D4": {"audience": "external", "access": "deny"},
    } == targets(found)
    assert {"slack.allowed_channels", "slack.allowed_users", "slack.require_mention"} == set(left(found, "closed"))
    assert {"platforms"} == set(left(found, "no_counterpart"))


def test_hermes_telegram() -> None:
    """Members of an authorised group are let in; without any users nobody else is."""
    found = hermes("telegram: {allowed_chats: [-1001, -1002, 5551], group_allowed_chats: ['-1001']}\n")

    assert {
        "-1001": {"audience": "external"},
        "-1002": {"audience": "external", "allowed_senders": ()},
    } == targets(found)
    shut = hermes("telegram: {group_allowed_chats: ['-1001'], ignored_threads: [7]}\n")
    assert {"-1001": {"audience": "external", "access": "deny"}} == targets(shut)


def test_hermes_where_a_reply_would_ask_only_here() -> None:
    """A chat that needs a mention stays out; a free one, where any text asks, comes over."""
    source = "matrix: {allowed_rooms: ['!a:x.example', '!b:x.example'], free_response_rooms: ['!b:x.example']}\n"

    assert ["!b:x.example"] == list(targets(hermes(source)))
    assert ["!a:x.example", "!b:x.example"] == list(targets(hermes(source, "replies")))


def test_hermes_two_places_say_the_stricter() -> None:
    """Lists of two places are met, a list of users too."""
    found = hermes(
        "slack: {allowed_channels: [C0A1, C0B2], allow_from: [U0A1, U0B2]}\n"
        "platforms: {slack: {extra: {allowed_channels: [C0B2], allow_from: [U0B2]}}}\n"
    )

    assert {
        "C0A1": {"audience": "external", "access": "deny"},
        "C0B2": {"audience": "external", "allowed_senders": ("slack/T0A1/U0B2",)},
    } == targets(found)


def test_hermes_full_identities() -> None:
    """`message_audience` entries carry their workspace and audience, and are not named a second time by a list."""
    found = hermes(
        """
slack:
  allowed_channels: [C0A1]
  allowed_users: [U0A1]
  extra:
    message_audience:
      - {platform: slack, workspace_id: T0ZZ, channel_id: C0A1, audience: internal, desk_voice: true,
         operator_messages_are_requests: true}
      - {platform: slack, workspace_id: T0ZZ, channel_id: C0OPS, audience: private_operator}
      - {platform: slack, channel_id: C0LOST, audience: internal}
"""
    )

    assert {
        "C0A1": {
            "audience": "internal",
            "operator_messages_are_requests": True,
            "allowed_senders": ("slack/T0ZZ/U0A1",),
        },
        "C0OPS": {"audience": "operator", "access": "deny"},
    } == targets(found)
