"""Which calls of Slack's SDK read, and which can be noticed by others? Pure.

1. A call is named as the platform names it: `chat.postMessage`.
2. `READS` change nothing that anybody else could notice, or are how we connect. They pass the guard at any time.
3. `SENDS` are all others: whatever says, changes, marks, invites or ends something.
4. What is in neither is stopped, and a test turns red for every call of the installed SDK that is in neither.
"""

from __future__ import annotations

from typing import Final

_READING: Final = """
    ack.empty admin.analytics.getFile admin.apps.activities.list admin.apps.approved.list
    admin.apps.config.lookup admin.apps.mcp.servers.list admin.apps.mcp.servers.permissions.list
    admin.apps.requests.list admin.apps.restricted.list admin.auth.policy.getEntities admin.barriers.list
    admin.conversations.ekm.listOriginalConnectedChannelInfo admin.conversations.getConversationPrefs
    admin.conversations.getCustomRetention admin.conversations.getTeams admin.conversations.lookup
    admin.conversations.restrictAccess.listGroups admin.conversations.search admin.emoji.list
    admin.functions.list admin.functions.permissions.lookup admin.inviteRequests.approved.list
    admin.inviteRequests.denied.list admin.inviteRequests.list admin.roles.listAssignments
    admin.slackbot.skills.list admin.teams.admins.list admin.teams.list admin.teams.owners.list
    admin.teams.settings.info admin.usergroups.listChannels admin.users.getExpiration admin.users.list
    admin.users.session.getSettings admin.users.session.list admin.workflows.permissions.lookup
    admin.workflows.search agents.conversations.getCanvas agents.conversations.listViews api.test
    apps.connections.open apps.event.authorizations.list apps.manifest.export apps.manifest.validate
    assistant.search.context assistant.search.info auth.teams.list auth.test blocks.validate bookmarks.list
    bots.info calls.info canvases.getContent canvases.sections.lookup channels.history channels.info
    channels.list channels.replies chat.getPermalink chat.scheduledMessages.list conversations.history
    conversations.info conversations.list conversations.listConnectInvites conversations.members
    conversations.replies conversations.requestSharedInvite.list dnd.info dnd.teamInfo emoji.list files.info
    files.list files.remote.info files.remote.list groups.history groups.info groups.list groups.replies
    im.history im.list im.replies migration.exchange mpim.history mpim.list mpim.replies oauth.access
    oauth.v2.access oauth.v2.exchange openid.connect.token openid.connect.userInfo pins.list reactions.get
    reactions.list reminders.info reminders.list rtm.connect rtm.ping rtm.start scim.read search.all
    search.files search.messages slackLists.download.get slackLists.items.info slackLists.items.list
    slackbot.skills.info slackbot.skills.list socket_mode.ack stars.list team.accessLogs team.billableInfo
    team.billing.info team.externalTeams.list team.info team.integrationLogs team.preferences.list
    team.profile.get tooling.tokens.rotate usergroups.list usergroups.users.list users.conversations
    users.discoverableContacts.lookup users.getPresence users.identity users.info users.list users.lookupByEmail
    users.profile.get workflows.featured.list
"""
_SENDING: Final = """
    ack admin.apps.approve admin.apps.clearResolution admin.apps.config.set
    admin.apps.mcp.servers.permissions.set admin.apps.requests.cancel admin.apps.restrict admin.apps.uninstall
    admin.auth.policy.assignEntities admin.auth.policy.removeEntities admin.barriers.create
    admin.barriers.delete admin.barriers.update admin.conversations.archive admin.conversations.bulkArchive
    admin.conversations.bulkDelete admin.conversations.bulkMove admin.conversations.bulkSetProperties
    admin.conversations.convertToPrivate admin.conversations.convertToPublic admin.conversations.create
    admin.conversations.createForObjects admin.conversations.delete admin.conversations.disconnectShared
    admin.conversations.invite admin.conversations.linkObjects admin.conversations.removeCustomRetention
    admin.conversations.rename admin.conversations.restrictAccess.addGroup
    admin.conversations.restrictAccess.removeGroup admin.conversations.setConversationPrefs
    admin.conversations.setCustomRetention admin.conversations.setTeams admin.conversations.unarchive
    admin.conversations.unlinkObjects admin.emoji.add admin.emoji.addAlias admin.emoji.remove admin.emoji.rename
    admin.functions.permissions.set admin.inviteRequests.approve admin.inviteRequests.deny
    admin.roles.addAssignments admin.roles.removeAssignments admin.slackbot.skills.publish
    admin.slackbot.skills.setAutoEnabled admin.slackbot.skills.unpublish admin.teams.create
    admin.teams.settings.setDefaultChannels admin.teams.settings.setDescription
    admin.teams.settings.setDiscoverability admin.teams.settings.setIcon admin.teams.settings.setName
    admin.usergroups.addChannels admin.usergroups.addTeams admin.usergroups.removeChannels admin.users.assign
    admin.users.invite admin.users.remove admin.users.session.clearSettings admin.users.session.invalidate
    admin.users.session.reset admin.users.session.resetBulk admin.users.session.setSettings admin.users.setAdmin
    admin.users.setExpiration admin.users.setOwner admin.users.setRegular admin.users.unsupportedVersions.export
    admin.workflows.collaborators.add admin.workflows.collaborators.remove admin.workflows.unpublish
    agents.conversations.archive agents.conversations.create agents.conversations.removeView
    agents.conversations.setCanvasContent agents.conversations.setCommands agents.conversations.setProperties
    agents.conversations.setView agents.sessions.rename agents.sessions.setStatus apps.icon.set
    apps.managed.permissions.set apps.manifest.create apps.manifest.delete apps.manifest.update apps.uninstall
    apps.user.connection.bulkUpdate apps.user.connection.requestAuth apps.user.connection.update
    assistant.threads.setStatus assistant.threads.setSuggestedPrompts assistant.threads.setTitle auth.revoke
    bookmarks.add bookmarks.edit bookmarks.remove calls.add calls.end calls.participants.add
    calls.participants.remove calls.update canvases.access.delete canvases.access.set canvases.create
    canvases.delete canvases.edit channels.archive channels.create channels.invite channels.join channels.kick
    channels.leave channels.mark channels.rename channels.setPurpose channels.setTopic channels.unarchive
    chat.appendStream chat.delete chat.deleteScheduledMessage chat.meMessage chat.postEphemeral chat.postMessage
    chat.scheduleMessage chat.startStream chat.stopStream chat.unfurl chat.update
    conversations.acceptSharedInvite conversations.approveSharedInvite conversations.archive
    conversations.canvases.create conversations.close conversations.create conversations.declineSharedInvite
    conversations.externalInvitePermissions.set conversations.invite conversations.inviteShared
    conversations.join conversations.kick conversations.leave conversations.mark conversations.open
    conversations.rename conversations.requestSharedInvite.approve conversations.requestSharedInvite.deny
    conversations.setPurpose conversations.setTopic conversations.unarchive dialog.open dnd.endDnd dnd.endSnooze
    dnd.setSnooze entity.presentDetails files.comments.delete files.completeUploadExternal files.delete
    files.getUploadURLExternal files.remote.remove files.remote.share files.revokePublicURL
    files.sharedPublicURL files.upload files.upload_url functions.completeError functions.completeSuccess
    groups.archive groups.create groups.createChild groups.invite groups.kick groups.leave groups.mark
    groups.open groups.rename groups.setPurpose groups.setTopic groups.unarchive im.close im.mark im.open
    mpim.close mpim.mark mpim.open pins.add pins.remove reactions.add reactions.remove reminders.add
    reminders.complete reminders.delete rtm.message scim.change slackLists.access.delete slackLists.access.set
    slackLists.create slackLists.download.start slackLists.items.create slackLists.items.delete
    slackLists.items.deleteMultiple slackLists.items.update slackLists.update slackbot.skills.create
    slackbot.skills.delete slackbot.skills.library.add slackbot.skills.library.remove slackbot.skills.update
    socket_mode.response stars.add stars.remove team.externalTeams.disconnect usergroups.create
    usergroups.disable usergroups.enable usergroups.update usergroups.users.update users.deletePhoto
    users.profile.set users.setPhoto users.setPresence views.open views.publish views.push views.update webhook
    workflows.featured.add workflows.featured.remove workflows.featured.set workflows.stepCompleted
    workflows.stepFailed workflows.updateStep
"""

READS: Final = frozenset(_READING.split())
"""Read, or connect us: nobody else notices."""
SENDS: Final = frozenset(_SENDING.split())
"""Say something, or change what others see or may do."""
