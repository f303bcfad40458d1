"""Further words of claims, by kind (see `kinds`): what is said of a capability without its usual name.

1. What waits, is kept or is taken in *at UAIX* (`AT_UAIX`), and what somebody says or writes (`MSG_SAID`).
2. Sync without the word: something flows, follows, shows up or stays the same.
3. Who decides which agent runs when.
4. A packet that proves that a party is certified.
"""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.kinds import Kind, Table, nouns, verbs, words


def _each(first: list[str], second: list[str], gap: str = " ") -> list[str]:
    return [f"{one}{gap}{two}" for one in first for two in second]


_SAID: Final = verbs("say,write,tell") + words("said,wrote,told")
_SOON: Final = words("one,two,three,four,five,six,ten,twenty,thirty,a few,1,2,3,5,10,30")
_SPANS: Final = words("second,seconds,minute,minutes,moments,a second,a moment,a minute,a blink")
_SAME: Final = words("identical,in agreement,alike,equal")
_PARTED: Final = words(
    "never differ,never diverge,never drift,never drift apart,never out of step,never get out of step,never disagree"
)
_TOGETHER: Final = words("change together,changes together,update together,move together")

ENGLISH: Final[Table] = {
    Kind.EASE: words(
        "no lag,there is no lag,no latency,never sleeps,never rests,never closes,nothing is lost,nothing gets lost"
    ),
    Kind.OFFICIAL: _each(words("straight from,directly from,come from,comes from"), words("uaix"))
    + words("uaix's own"),
    Kind.DEFINED: nouns("field,id,schema,profile,language,vocabulary,format,identifier,meaning,syntax"),
    Kind.HOST_IS: _each(
        words("uaix,uaix's,the uaix"),
        words("side,end,machine,machines,disks,disk,site,storage,datacentre,data centers"),
    ),
    Kind.AT_UAIX: _each(words("with,at"), words("uaix")),
    Kind.MSG_SAID: _each(words("what,whatever,everything,anything,all"), _each(words("you,your agent,they"), _SAID))
    + words(
        """your words,your text,your lines,your note,your notes,your answer,their words,its words,the conversation
        the transcript,the words of both sides,transcripts,transcript"""
    ),
    Kind.MSG_DO: verbs("park,stash,preserve,save,ferry,bring,post,hand over,pass along,convey")
    + words(
        """the host of,host of,keeper of,home of,takes,taken,brought,leave,leaves,left,lives,sits,sit,hosts,rests
        stays,stay,remains,remain"""
    ),
    Kind.MSG_TO: words(
        """across,over,until the peer,until the other,to the peer,to the other side,to the other agent
        to the other party,to the receiver"""
    ),
    Kind.FILL: words(
        """whatever is edited here,who wrote this,wrote this,one lane,other lanes,made in,all others
        elsewhere too,everywhere else"""
    ),
    Kind.AUTO: _each(words("within,in"), [*_each(_SOON, _SPANS), *_SPANS])
    + _each(words("stay,stays,remain,remains"), _SAME)
    + words(
        """with every keystroke,with every edit,with each edit,as you type,a moment later
        moments later,right away,without anyone,without anybody"""
    )
    + _PARTED
    + _TOGETHER,
    Kind.SYNC_SAME: _each(words("stay,stays,remain,remains"), _SAME)
    + _each(words("read,reads,look,looks,has,have"), words("the same,the same text,the same content,the same state"))
    + words("the same facts,the same notes,the same words,the same version,agree,match,identical,the same text,alike"),
    Kind.SYNC_MAY: _each(words("stay,stays,remain,remains"), _SAME),
    Kind.TELL: words("means that,shows that"),
    Kind.SYNC_EVER: _TOGETHER + _each(words("stay,stays,remain,remains"), _SAME) + _PARTED,
    Kind.SYNC_MANY: nouns("other copy,linked copy")
    + words(
        """both,two,copies,replicas,memories,lanes,folders,every copy,each copy,every other machine
        every other copy,all copies,all machines,every machine"""
    ),
    Kind.REPO_SURE: words("the commit,a commit,each commit,every commit"),
    Kind.SYNC_SURE: words(
        """sees to it that,see to it that,sees to it,makes sure that,makes sure,ensures that,ensures,takes care that
        guarantees that,guarantees,keeps,will see to it that,makes certain that"""
    ),
    Kind.SYNC_FLOW: words(
        "flow,flows,flowing,travel,travels,spread,spreads,spreading,ripple,ripples,follow,follows,appear,appears"
    )
    + words("propagate,propagates,carry over,carries over,trickle,reach all,reaches all,reach every,reaches every")
    + words("see it,sees it,show up,shows up,turn up,turns up,is seen,are seen,pop up,pops up"),
    Kind.SYNC_OF: nouns("plan file,linked file,other copy,linked copy,lane,memory,update,machine")
    + words("both sides"),
    Kind.RUN_MAY: verbs("route,assign,allot+,pick,select,choose,allocate,distribute,prioritise,prioritize,rank")
    + words(
        """tells,tries,says which,says who,hands each,calls,deals out,hands back,gives,sends,chose,chosen
        decides,decide,determines
        brings back"""
    ),
    Kind.RUN_WHO: words("when to run,what to run,when to start,what to do next,whose turn it is,turns"),
    Kind.RUN_DO: verbs("rouse,summon,nudge,revive,rerun")
    + words("woken,woken up,woke,woke up,awakened,begun,brought up")
    + words("releases the next"),
    Kind.RUN_SURE: words("back on its feet,back on their feet,back to life"),
    Kind.RUN_OF: nouns("reviewer,tester,next agent") + words("the next one,the next agent,the next in line"),
    Kind.REPO_FIX: words("the commit,a commit,each commit,every commit,the fix,its fix,the patch,the pull request"),
    Kind.CERT_PROOF: verbs("prove,confirm,attest,guarantee,demonstrate,establish,certify,show,mean,testify")
    + words("is proof that,is proof,proof that,means that,shows that,is evidence that,evidence that"),
    Kind.CERT_STATE: words("certified,accredited,officially approved,uaix has approved,approved by uaix,uaix approved"),
    Kind.CERT_WHO: nouns("sender,agent,receiver,party,side,author,runtime,issuer,signer,implementation"),
}
