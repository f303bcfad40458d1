"""Which calls of discord.py read, and which can be noticed by others? Pure.

1. A call is named as the platform names it: a method and the SDK's route, or `gateway` and an opcode.
2. `READS` change nothing that anybody else could notice, or are how we connect. They pass the guard at any time.
3. `SENDS` are all others: whatever says, changes, marks, invites or ends something.
4. What is in neither is stopped, and a test turns red for every call of the installed SDK that is in neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_READING: Final[Mapping[str, str]] = {
    "GET": """
        /applications/{application_id}/commands
        /applications/{application_id}/commands/{command_id}
        /applications/{application_id}/emojis
        /applications/{application_id}/emojis/{emoji_id}
        /applications/{application_id}/entitlements
        /applications/{application_id}/entitlements/{entitlement_id}
        /applications/{application_id}/guilds/{guild_id}/commands
        /applications/{application_id}/guilds/{guild_id}/commands/permissions
        /applications/{application_id}/guilds/{guild_id}/commands/{command_id}
        /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions
        /applications/{application_id}/skus
        /channels/{channel_id}
        /channels/{channel_id}/invites
        /channels/{channel_id}/messages
        /channels/{channel_id}/messages/pins
        /channels/{channel_id}/messages/{message_id}
        /channels/{channel_id}/messages/{message_id}/reactions/{emoji}
        /channels/{channel_id}/polls/{message_id}/answers/{answer_id}
        /channels/{channel_id}/thread-members
        /channels/{channel_id}/thread-members/{user_id}
        /channels/{channel_id}/threads/archived/private
        /channels/{channel_id}/threads/archived/public
        /channels/{channel_id}/users/@me/threads/archived/private
        /channels/{channel_id}/webhooks
        /gateway/bot
        /guilds/templates/{code}
        /guilds/{guild_id}
        /guilds/{guild_id}/audit-logs
        /guilds/{guild_id}/auto-moderation/rules
        /guilds/{guild_id}/auto-moderation/rules/{rule_id}
        /guilds/{guild_id}/bans
        /guilds/{guild_id}/bans/{user_id}
        /guilds/{guild_id}/channels
        /guilds/{guild_id}/emojis
        /guilds/{guild_id}/emojis/{emoji_id}
        /guilds/{guild_id}/integrations
        /guilds/{guild_id}/invites
        /guilds/{guild_id}/members
        /guilds/{guild_id}/members/{member_id}
        /guilds/{guild_id}/onboarding
        /guilds/{guild_id}/preview
        /guilds/{guild_id}/prune
        /guilds/{guild_id}/roles
        /guilds/{guild_id}/roles/member-counts
        /guilds/{guild_id}/roles/{role_id}
        /guilds/{guild_id}/scheduled-events
        /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}
        /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/users
        /guilds/{guild_id}/soundboard-sounds
        /guilds/{guild_id}/soundboard-sounds/{sound_id}
        /guilds/{guild_id}/stickers
        /guilds/{guild_id}/stickers/{sticker_id}
        /guilds/{guild_id}/templates
        /guilds/{guild_id}/threads/active
        /guilds/{guild_id}/vanity-url
        /guilds/{guild_id}/voice-states/@me
        /guilds/{guild_id}/voice-states/{user_id}
        /guilds/{guild_id}/webhooks
        /guilds/{guild_id}/welcome-screen
        /guilds/{guild_id}/widget.json
        /invites/{invite_id}
        /oauth2/applications/@me
        /skus/{sku_id}/subscriptions
        /skus/{sku_id}/subscriptions/{subscription_id}
        /soundboard-default-sounds
        /stage-instances/{channel_id}
        /sticker-packs
        /sticker-packs/{sticker_pack_id}
        /stickers/{sticker_id}
        /users/@me
        /users/@me/guilds
        /users/{user_id}
        /webhooks/{webhook_id}
        /webhooks/{webhook_id}/{webhook_token}
        /webhooks/{webhook_id}/{webhook_token}/messages/@original
        /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}
    """,
}

_SENDING: Final[Mapping[str, str]] = {
    "POST": """
        /applications/{application_id}/commands
        /applications/{application_id}/emojis
        /applications/{application_id}/entitlements
        /applications/{application_id}/entitlements/{entitlement_id}/consume
        /applications/{application_id}/guilds/{guild_id}/commands
        /auth/logout
        /channels/{channel_id}/followers
        /channels/{channel_id}/invites
        /channels/{channel_id}/messages
        /channels/{channel_id}/messages/bulk-delete
        /channels/{channel_id}/messages/{message_id}/crosspost
        /channels/{channel_id}/messages/{message_id}/threads
        /channels/{channel_id}/polls/{message_id}/expire
        /channels/{channel_id}/send-soundboard-sound
        /channels/{channel_id}/threads
        /channels/{channel_id}/typing
        /channels/{channel_id}/webhooks
        /guilds
        /guilds/templates/{code}
        /guilds/{guild_id}/auto-moderation/rules
        /guilds/{guild_id}/bulk-ban
        /guilds/{guild_id}/channels
        /guilds/{guild_id}/emojis
        /guilds/{guild_id}/integrations
        /guilds/{guild_id}/integrations/{integration_id}/sync
        /guilds/{guild_id}/mfa
        /guilds/{guild_id}/prune
        /guilds/{guild_id}/roles
        /guilds/{guild_id}/scheduled-events
        /guilds/{guild_id}/soundboard-sounds
        /guilds/{guild_id}/stickers
        /guilds/{guild_id}/templates
        /interactions/{webhook_id}/{webhook_token}/callback
        /stage-instances
        /users/@me/channels
        /users/{user_id}/channels
        /webhooks/{webhook_id}/{webhook_token}
    """,
    "PUT": """
        /applications/{application_id}/commands
        /applications/{application_id}/guilds/{guild_id}/commands
        /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions
        /channels/{channel_id}/messages/pins/{message_id}
        /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me
        /channels/{channel_id}/permissions/{target}
        /channels/{channel_id}/thread-members/@me
        /channels/{channel_id}/thread-members/{user_id}
        /channels/{channel_id}/voice-status
        /guilds/{guild_id}/bans/{user_id}
        /guilds/{guild_id}/incident-actions
        /guilds/{guild_id}/members/{user_id}/roles/{role_id}
        /guilds/{guild_id}/templates/{code}
        /guilds/{id}/onboarding
    """,
    "PATCH": """
        /applications/@me
        /applications/{application_id}/commands/{command_id}
        /applications/{application_id}/emojis/{emoji_id}
        /applications/{application_id}/guilds/{guild_id}/commands/{command_id}
        /channels/{channel_id}
        /channels/{channel_id}/messages/{message_id}
        /guilds/{guild_id}
        /guilds/{guild_id}/auto-moderation/rules/{rule_id}
        /guilds/{guild_id}/channels
        /guilds/{guild_id}/emojis/{emoji_id}
        /guilds/{guild_id}/integrations/{integration_id}
        /guilds/{guild_id}/members/@me
        /guilds/{guild_id}/members/{user_id}
        /guilds/{guild_id}/roles
        /guilds/{guild_id}/roles/{role_id}
        /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}
        /guilds/{guild_id}/soundboard-sounds/{sound_id}
        /guilds/{guild_id}/stickers/{sticker_id}
        /guilds/{guild_id}/templates/{code}
        /guilds/{guild_id}/vanity-url
        /guilds/{guild_id}/voice-states/@me
        /guilds/{guild_id}/voice-states/{user_id}
        /guilds/{guild_id}/welcome-screen
        /guilds/{guild_id}/widget
        /stage-instances/{channel_id}
        /users/@me
        /webhooks/{webhook_id}
        /webhooks/{webhook_id}/{webhook_token}
        /webhooks/{webhook_id}/{webhook_token}/messages/@original
        /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}
    """,
    "DELETE": """
        /applications/{application_id}/commands/{command_id}
        /applications/{application_id}/emojis/{emoji_id}
        /applications/{application_id}/entitlements/{entitlement_id}
        /applications/{application_id}/guilds/{guild_id}/commands/{command_id}
        /channels/{channel_id}
        /channels/{channel_id}/messages/pins/{message_id}
        /channels/{channel_id}/messages/{message_id}
        /channels/{channel_id}/messages/{message_id}/reactions
        /channels/{channel_id}/messages/{message_id}/reactions/{emoji}
        /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me
        /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/{member_id}
        /channels/{channel_id}/permissions/{target}
        /channels/{channel_id}/thread-members/@me
        /channels/{channel_id}/thread-members/{user_id}
        /guilds/{guild_id}
        /guilds/{guild_id}/auto-moderation/rules/{rule_id}
        /guilds/{guild_id}/bans/{user_id}
        /guilds/{guild_id}/emojis/{emoji_id}
        /guilds/{guild_id}/integrations/{integration_id}
        /guilds/{guild_id}/members/{user_id}
        /guilds/{guild_id}/members/{user_id}/roles/{role_id}
        /guilds/{guild_id}/roles/{role_id}
        /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}
        /guilds/{guild_id}/soundboard-sounds/{sound_id}
        /guilds/{guild_id}/stickers/{sticker_id}
        /guilds/{guild_id}/templates/{code}
        /invites/{invite_id}
        /stage-instances/{channel_id}
        /users/@me/guilds/{guild_id}
        /webhooks/{webhook_id}
        /webhooks/{webhook_id}/{webhook_token}
        /webhooks/{webhook_id}/{webhook_token}/messages/@original
        /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}
    """,
}


def _named(table: Mapping[str, str]) -> frozenset[str]:
    return frozenset(f"{method} {path}" for method, paths in table.items() for path in paths.split())


READS: Final = _named(_READING) | {"gateway 1", "gateway 2", "gateway 6", "gateway 8", "cdn"}
"""Read, or connect us: nobody else notices. Of the gateway: heartbeat, identify, resume, and who is in a guild."""

SENDS: Final = _named(_SENDING) | {"gateway 3", "gateway 4"}
"""Say something, or change what others see or may do. Of the gateway: our presence, and entering a voice channel."""
