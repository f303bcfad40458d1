"""Whether an English clause says of us that we have one of the seven capabilities (see `reading`).

1. Of UAIX, an act of a field with its object is a claim; so is what it has or gives by its name, and what was spoken
   of and is settled by it (UAIX handles the lot).
2. The packet does a thing only in the active voice, or by "by", with an object that is named. What we do is a claim
   where it is done for the reader; otherwise it is a report.
3. What nobody is named for is a claim where it is a sure name, offered; or done by itself, in the words of a machine.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.fields.bearers import NOBODY, OTHER, OURS, PACKET, THEIRS, agent, before, behind
from dragoman.packets.claims.english.fields.clauses import Word
from dragoman.packets.claims.english.fields.denials import NEGATIONS, denied
from dragoman.packets.claims.english.fields.names import backed, bad, named, official
from dragoman.packets.claims.english.fields.scene import Here
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.english.kinds import words as listed
from dragoman.packets.claims.seven import Field, Part

_S, _F, _P = Sign, Field, Part
_EASY: Final[Signs] = frozenset({_S.AUTO, _S.EASE})
_FOR: Final[Signs] = frozenset({_S.FOR_YOU, _S.YOUR, _S.YOU})
_PRONOUNS: Final = frozenset(("it", "them", "everything", "the rest", "the file", "the files", "changes"))
_MAIL: Final = frozenset(listed("message,messages,mail,letter,letters,note,notes,post,items,reply,replies,words"))
_WEAK: Final = frozenset(
    listed(
        """update,change,close,clo,open,create,store,write,add,place,enter,amend,correct,tell,call,order,move,share
        pick,pa,pass,direct,plan,manage,continue,stop,get,make,decide,choose,host,run,time,follow,honour,fix
        file,put,give,hand,set,bump,tag,edit,modify,implement,resolve,divide,control,escalate,branch,approve
        declare,guarantee,recognise,attest,replace,read,describe,task,line,lead,monitor,track,keep,alert,arrange
        look,route,show,land,step,start"""
    )
)
_AUX: Final = frozenset(listed("does,do,will,can,has"))
_IT: Final = frozenset(("it", "them", "everything", "anything"))
_ADVERBS: Final[Signs] = frozenset({_S.AUTO, _S.MAY, _S.BE, _S.NOT, _S.FILL, _S.EASE, _S.OFFER})
_ALONE: Final = frozenset(("by itself", "by themselves", "on its own", "on their own", "of its own accord", "itself"))
_PLAIN: Final = frozenset(
    listed(
        """and,or,also,to,&,then,now,both,already,even,still,simply,just,actually,really,always,too,again,first
        usually"""
    )
) | {","}


def claimed(here: Here) -> bool:
    """Whether the clause claims something of us that it does not deny."""
    clause = here.clause
    if _S.IF in clause.words[0].signs and _S.RHETORIC not in here.signs:
        return False
    if _flipped(here) or _settled(here) or _whatever(here) or backed(here):
        return True
    return any(_at(here, at) for at, word in enumerate(clause.words) if word.roles)


def _flipped(here: Here) -> bool:
    """Whether it is called wrong that UAIX lacks or leaves something."""
    clause = here.clause
    if _S.WRONG not in here.signs:
        return False
    roles = frozenset[object]().union(*(each.roles for each in here.clauses))
    return bool(roles) and bool(clause.signs & (NEGATIONS | {_S.LESS})) and bool(here.signs & OURS)


def _settled(here: Here) -> bool:
    """Whether one of us is said to settle what is spoken of: UAIX handles the lot."""
    clause = here.clause
    roles = here.roles | clause.roles
    if bad(clause.words):
        return False
    if _S.OURJOB in clause.signs and any(part is not _P.THING for _, part in roles):
        return not denied(here, len(clause.words), sure=True)
    if not any(part is not _P.THING for _, part in roles) and not (roles and here.bid(0)):
        return False
    for at, word in enumerate(clause.words):
        ends = word.text in _AUX and at == len(clause.words) - 1 and _S.EASE in here.signs
        if _S.DOES not in word.signs and not ends:
            continue
        who = agent(clause.words, at) or before(clause.words, at)
        by = agent(clause.words, at)
        firm = here.signs & (_EASY | {_S.RHETORIC}) or by
        ours = who & {_S.UAIX, _S.WE} or (who & PACKET and (firm or ends)) or (not who and _S.FOR_YOU in clause.signs)
        if (
            ours
            and not (who & {_S.WE} and not by and here.signs.isdisjoint(_FOR | _EASY))
            and not denied(here, at, bool(who))
        ):
            return True
    return False


def _whatever(here: Here) -> bool:
    """Whether UAIX does whatever it is with the object of a field, and does not only define it."""
    words = here.clause.words
    roles = here.clause.roles | here.roles
    for at, word in enumerate(words[:-1]):
        if _S.UAIX not in word.signs or behind(words, at) or _S.DEFINE in here.clause.signs:
            continue
        verb = next((each for each in words[at + 1 :] if not each.signs & _ADVERBS and each.text not in _PLAIN), word)
        if not _does(words, at, verb):
            continue
        acted = any(part is not _P.THING for _, part in roles) and here.signs & (_EASY | _FOR)
        strong = any(each.text.startswith(_STRONG) for each in words[at + 1 :])
        things = strong or (any(part is _P.THING for _, part in here.clause.roles) and here.signs & (_EASY | _FOR))
        if (acted or things) and not denied(here, at, sure=True):
            return True
    return False


_STRONG: Final = (
    "agent", "worker", "workflow", "pull request", "branch", "repo", "message", "inbox", "mail", "memor", "codebase",
    "certificate", "accredit", "adapter", "connector", "job", "pipeline", "commit", "plugin", "integration",
)  # fmt: skip


def _does(words: tuple[Word, ...], at: int, verb: Word) -> bool:
    """Whether UAIX is the subject of an act that is more than to define or to tell."""
    if (
        verb.text in _DEFINES
        or verb.signs & {_S.TELL, _S.BE, _S.NOT, _S.NO, _S.DENY}
        or verb.text in ("has", "have", "is")
    ):
        return False
    may = any(_S.MAY in word.signs for word in words[at + 1 : at + 3])
    known = bool(verb.roles) and (_S.S in verb.signs or (may and _S.BASE in verb.signs))
    return known or (not verb.signs and verb.text.endswith("s") and not verb.text.endswith("ss"))


_DEFINES: Final = frozenset(
    listed(
        """gives,selects,determines,ranks,needs,says,calls,stands,consists,allows,expects,assumes,treats,leaves
        distinguishes,identifies,references,separates,represents,expresses,encodes,links,models,captures,carries"""
    )
)


def _at(here: Here, at: int) -> bool:
    word = here.clause.words[at]
    return any(_of(here, at, field, part) for field, part in word.roles)


def _of(here: Here, at: int, field: Field, part: Part) -> bool:
    if part in (_P.SURE, _P.NAMED):
        said, sure = named(here, at, field, part)
    elif part in (_P.ACT, _P.SOFT):
        said, sure = _done(here, at, field, part)
    else:
        said, sure = official(here, at, field)
    return said and not denied(here, at, sure)


def _done(here: Here, at: int, field: Field, part: Part) -> tuple[bool, bool]:
    """Whether an act is done by us, and whether one of us is named."""
    clause = here.clause
    passive = _passive(clause.words, at)
    by = agent(clause.words, at, placed=field in (_F.MESSAGES, _F.IMPORT))
    if not by and not passive and _ordered(clause.words, at):
        return False, False
    who = by or (NOBODY if passive else _acting(here, at))
    if who & (THEIRS | {_S.IT}):
        return False, False
    if not _things(here, at, field) and not (part is _P.ACT and _freely(here, who)):
        return False, False
    if who & {_S.UAIX}:
        return part is _P.ACT or bool(here.signs & (_EASY | _FOR)), True
    if who & {_S.PACKET}:
        return _packet(here, at, field, part, bool(by)), True
    if who & {_S.WE}:
        return _we(here, at, field), True
    return _nobody(here, at, field, part, passive), False


def _freely(here: Here, who: Signs) -> bool:
    """Whether an act needs no object: it is done for the reader, or by UAIX in the manner of a machine."""
    return (bool(who & OURS) and bool(here.clause.signs & _FOR)) or (
        _S.UAIX in who and bool(here.signs & (_EASY | _FOR))
    )


def _packet(here: Here, at: int, field: Field, part: Part, by: bool) -> bool:
    if field is _F.MESSAGES and not (by and _passive(here.clause.words, at)):
        return part is _P.SOFT and not here.signs.isdisjoint({_S.EASE, _S.RHETORIC})
    if part is _P.SOFT and here.clause.signs.isdisjoint(_EASY):
        return False
    words = here.clause.words
    if by:
        return _passive(words, at)
    easy = not here.signs.isdisjoint(_EASY | {_S.FOR_YOU})
    if field is _F.SYNC and not (easy or _two(here)):
        return False
    named_after = any(
        (field, _P.THING) in word.roles and (easy or word.text not in _PRONOUNS) for word in words[at + 1 :]
    )
    firm = part is _P.ACT and words[at].text.rstrip("s") not in _WEAK and field in (_F.RUN, _F.REPO, _F.CERT)
    return (named_after or firm) and not _past(words[at])


def _we(here: Here, at: int, field: Field) -> bool:
    clause = here.clause
    if _past(clause.words[at]) and not _passive(clause.words, at) and clause.signs.isdisjoint(_FOR):
        return False
    if here.bid(at):
        return True
    if field is _F.REPO and here.signs.isdisjoint(_FOR | _EASY):
        return False
    if field is _F.RUN and _passive(clause.words, at) and not bad(clause.words):
        return True
    if field in (_F.IMPORT, _F.CERT) and not bad(clause.words):
        return bool(here.signs & (_FOR | _EASY | {_S.OUR, _S.PASSED, _S.AGENT}))
    if field is not _F.REPO and any(_S.IF in each.signs or _S.WHERE in each.signs for each in here.clauses):
        return not bad(clause.words)
    if field is _F.MESSAGES and not here.signs.isdisjoint(_EASY) and not _past(clause.words[at]):
        return True
    if field is _F.MESSAGES and _kept(here, at):
        return True
    if field is _F.MESSAGES:
        return bool(here.signs & (_FOR | {_S.DEST, _S.FAR, _S.STALE}))
    if field is _F.IMPORT:
        return here.bid(at) or bool(here.signs & (_FOR | _EASY | {_S.OUR}))
    return bool(here.signs & (_FOR | _EASY))


def _kept(here: Here, at: int) -> bool:
    """Whether messages are said to be at our place: the messages live on our side."""
    words = here.clause.words
    told = any(word.text in _MAIL for word in words[:at])
    return told and bool(agent(words, at)) and not bad(words)


def _nobody(here: Here, at: int, field: Field, part: Part, passive: bool) -> bool:
    """Whether an act that nobody is named for is done by itself, or told like a feature."""
    clause = here.clause
    words = clause.words
    if bad(words):
        return False
    easy = bool(clause.signs & _EASY) or here.bid(at)
    if passive:
        return (easy or bool(here.signs & (_EASY | {_S.FOR_YOU}))) and (
            part is _P.ACT or (field is _F.SYNC and _two(here))
        )
    if _S.S in words[at].signs and not _told(words, at):
        return bool(here.signs & (_EASY | _FOR | {_S.OFFER})) and part is _P.ACT
    if field is _F.SYNC and _S.FAR in clause.signs and not clause.signs.isdisjoint(_EASY):
        return _two(here)
    if not easy or not _thing_before(words, at, field):
        return False
    if field is _F.RUN:
        return (
            any(word.text in _ALONE or _S.EASE in word.signs for word in words) and _S.AGENT not in words[at - 1].signs
        )
    if field is _F.REPO:
        return part is _P.SOFT and any((field, _P.THING) in word.roles for word in words[at + 1 :])
    return field is _F.SYNC and (part is _P.ACT or _two(here))


def _told(words: tuple[Word, ...], at: int) -> bool:
    """Whether something stands before a verb that may be its subject."""
    return any(
        not word.signs & (_ADVERBS | {_S.DOES}) and word.text not in _PLAIN and word.text != "-" for word in words[:at]
    )


def _thing_before(words: tuple[Word, ...], at: int, field: Field) -> bool:
    return any((field, _P.THING) in word.roles for word in words[:at])


_SIDES: Final = listed(
    """memor,agent,both,other,replica,peer,each,everyone,everybody,rest,colleague,assistant,side,there,theirs,notebook,state
    context,copies,participant"""
)


def _two(here: Here) -> bool:
    """Whether two sides are spoken of, or a memory: what only appears in one place is no sync."""
    found = {side for clause in here.clauses for word in clause.words for side in _SIDES if side in word.text}
    return bool(found)


def _acting(here: Here, at: int) -> Signs:
    """Who does an act in the active voice."""
    words = here.clause.words
    number = at - 1
    while number >= 0 and words[number].signs & _ADVERBS and not words[number].roles:
        number -= 1
    while number > 0 and words[number].text.isdigit():
        number -= 1
    if number >= 0 and not words[number].signs and not words[number].roles and words[number].text not in _PLAIN:
        return NOBODY if words[number].text.endswith("ly") else OTHER
    who = before(words, at)
    if who and who != {_S.IT}:
        return who
    if not who and number >= 0 and words[number].roles and words[number].text not in _PLAIN:
        return NOBODY
    return (here.near if who else NOBODY) or here.subject or (PACKET if who and here.signs & (_EASY | _FOR) else NOBODY)


def _past(word: Word) -> bool:
    return _S.ED in word.signs and _S.BASE not in word.signs


def _passive(words: tuple[Word, ...], at: int) -> bool:
    if _S.ED not in words[at].signs:
        return False
    return any(_S.BE in word.signs for word in words[max(0, at - 4) : at])


def _ordered(words: tuple[Word, ...], at: int) -> bool:
    """Whether an act is an order to the reader, or a mere noun."""
    signs = words[at].signs
    if _S.BASE not in signs and _S.ING not in signs:
        return False
    if _S.ING in signs:
        return not any(_S.BE in word.signs for word in words[max(0, at - 3) : at])
    for number in range(at - 1, -1, -1):
        word = words[number]
        if word.signs & {_S.MAY} or word.text in ("to", "we", "and", ",", "also"):
            return False
        if not word.signs & _ADVERBS:
            return not word.signs & {_S.WE, _S.UAIX} and not word.roles
    return True


def _things(here: Here, at: int, field: Field) -> bool:
    """Whether the object of a field stands beside the act or was spoken of before."""
    thing = (field, _P.THING)
    packets = field in (_F.MESSAGES, _F.IMPORT)
    for number, word in enumerate(here.clause.words):
        if number == at:
            continue
        if thing in word.roles and (number > at or word.text not in _PRONOUNS):
            return True
        if number > at and (word.text in _IT or (packets and _S.PACKET in word.signs)):
            return True
    if packets and here.packet:
        return True
    return thing in here.roles or (field, _P.SURE) in here.roles or (field, _P.NAMED) in here.roles
