"""Which words stand in every claim? What has none of them is never asked the dear question (`prose.asked_of`).

Every capability of `claims.CAPABILITIES` has one of the needles in its words, in whatever letter case. A `^` stands for
the beginning of a line. A text with a Han letter is always asked: any of them may name an act.
"""

from __future__ import annotations

from typing import Final

_WRITTEN: Final = (
    "^sync| sync|-sync|(sync|autosync|osync|syncs|syncing|synch|/sync|mirror|replic|propagat| in step|lockstep"
    "|self-updat|up to date|up-to-date|updat|refresh|copies| copy|copied|copying|reconcil|identical|spread"
    "|aligned|consistent|messages| message|message host|messaging|conversation| chat| mail|mailbox|reply|replies"
    "| thread|inbox|correspondence|letters| dm| msg|orchestr|conductor|engine| agents|agents | agent|worker"
    "|workflow| task|tasks | job|jobs |process| runtime|runtimes| step|steps |container|pipeline|swarm|fleet"
    "|runner| repo|repos|branch| pr | prs|pull request|codebase|code base|source tree| git|github|gitlab|commit"
    "|push|merg|patch|readme|for you|your behalf|^message|latest|newest|automatic|by itself|on its own"
    "|in the background|real time|autonom|unattended|cloud|server| code|upstream|write access|write perm"
    "|write right|adapter|adaptor|connector|plug|integration|bridge|official|certif|accredit| ca |root ca"
    "|issuing auth|badge| seal|vouch| cert |import|ingest|upload| load|took in|host|schedul|coordinat|supervis"
    "| plan|letter|everywhere|launch|spawn|restart|uaix does|sees to it| flow| show up| shows up|turns up"
    "|transcript|your words|you write|you say|your note|uaix side|with uaix|both sides see|together|_sync|_repo"
    "|repo_|sync_|e-mail| delivers|remark|uaix's machines|the same facts|never differ|never diverge|never drift"
    "| uaix|^uaix|the packet|this packet|the record|this record|the format|the standard|handoff|deliver|queue|assistant"
    "|participant|both stores|both sides|native|compliance| transport|^transport|shared memory|project manager|trigger"
    "|execution|approv|approved listing|inspection|overnight|over there|forward|counterpart|downstream|attestation"
    "|validator|the other |we carry|brought it|authoris|authoriz|our side|our end|with us|to us|from us|by us"
    "|our portal"
    "|our page|our site|undelivered|stamp|next agent|main line|each other|green tick|without anyone|our institute"
    "|shared context|two sides|edit here|accredited|recognised|recognized|two assistants|the shift|post will be"
    "| packets|decides who|built into|platform|supported by"
    "|dialogue|relay|broker|rebase|cherry-pick|crdt"
)
NEEDLES: Final = tuple(_WRITTEN.replace("^", "\n").split("|"))
"""One of these is part of every claim, in lower case; a packet without them is done in one pass (`leaks.Sieve`)."""
