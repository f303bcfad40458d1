"""Which calls of python-telegram-bot read, and which can be noticed by others? Pure.

1. A call is named as the platform names it: `sendMessage`.
2. `READS` change nothing that anybody else could notice, or are how we connect. They pass the guard at any time.
3. `SENDS` are all others: whatever says, changes, marks, invites or ends something.
4. What is in neither is stopped, and a test turns red for every call of the installed SDK that is in neither.
"""

from __future__ import annotations

from typing import Final

_READING: Final = """
    deleteWebhook file getAvailableGifts getBusinessAccountGifts getBusinessAccountStarBalance
    getBusinessConnection getChat getChatAdministrators getChatGifts getChatMember getChatMemberCount
    getChatMenuButton getCustomEmojiStickers getFile getForumTopicIconStickers getGameHighScores
    getManagedBotAccessSettings getManagedBotToken getMe getMyCommands getMyDefaultAdministratorRights
    getMyDescription getMyName getMyShortDescription getMyStarBalance getStarTransactions getStickerSet
    getUpdates getUserChatBoosts getUserGifts getUserPersonalChatMessages getUserProfileAudios
    getUserProfilePhotos getWebhookInfo setWebhook
"""
_SENDING: Final = """
    addStickerToSet answerCallbackQuery answerGuestQuery answerInlineQuery answerPreCheckoutQuery
    answerShippingQuery answerWebAppQuery approveChatJoinRequest approveSuggestedPost banChatMember
    banChatSenderChat close closeForumTopic closeGeneralForumTopic convertGiftToStars copyMessage copyMessages
    createChatInviteLink createChatSubscriptionInviteLink createForumTopic createInvoiceLink createNewStickerSet
    declineChatJoinRequest declineSuggestedPost deleteAllMessageReactions deleteBusinessMessages deleteChatPhoto
    deleteChatStickerSet deleteForumTopic deleteMessage deleteMessageReaction deleteMessages deleteMyCommands
    deleteStickerFromSet deleteStickerSet deleteStory editChatInviteLink editChatSubscriptionInviteLink
    editForumTopic editGeneralForumTopic editMessageCaption editMessageChecklist editMessageLiveLocation
    editMessageMedia editMessageReplyMarkup editMessageText editStory editUserStarSubscription
    exportChatInviteLink forwardMessage forwardMessages giftPremiumSubscription hideGeneralForumTopic leaveChat
    logOut pinChatMessage postStory promoteChatMember readBusinessMessage refundStarPayment
    removeBusinessAccountProfilePhoto removeChatVerification removeMyProfilePhoto removeUserVerification
    reopenForumTopic reopenGeneralForumTopic replaceManagedBotToken replaceStickerInSet repostStory
    restrictChatMember revokeChatInviteLink savePreparedInlineMessage savePreparedKeyboardButton sendAnimation
    sendAudio sendChatAction sendChecklist sendContact sendDice sendDocument sendGame sendGift sendInvoice
    sendLivePhoto sendLocation sendMediaGroup sendMessage sendMessageDraft sendPaidMedia sendPhoto sendPoll
    sendSticker sendVenue sendVideo sendVideoNote sendVoice setBusinessAccountBio setBusinessAccountGiftSettings
    setBusinessAccountName setBusinessAccountProfilePhoto setBusinessAccountUsername
    setChatAdministratorCustomTitle setChatDescription setChatMemberTag setChatMenuButton setChatPermissions
    setChatPhoto setChatStickerSet setChatTitle setCustomEmojiStickerSetThumbnail setGameScore
    setManagedBotAccessSettings setMessageReaction setMyCommands setMyDefaultAdministratorRights
    setMyDescription setMyName setMyProfilePhoto setMyShortDescription setPassportDataErrors setStickerEmojiList
    setStickerKeywords setStickerMaskPosition setStickerPositionInSet setStickerSetThumbnail setStickerSetTitle
    setUserEmojiStatus stopMessageLiveLocation stopPoll transferBusinessAccountStars transferGift
    unbanChatMember unbanChatSenderChat unhideGeneralForumTopic unpinAllChatMessages unpinAllForumTopicMessages
    unpinAllGeneralForumTopicMessages unpinChatMessage upgradeGift uploadStickerFile verifyChat verifyUser
"""

READS: Final = frozenset(_READING.split())
"""Read, or connect us: nobody else notices."""
SENDS: Final = frozenset(_SENDING.split())
"""Say something, or change what others see or may do."""
