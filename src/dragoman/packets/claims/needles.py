"""Which words stand in claims? What has none of them is never asked the dear question (`prose.asked_of`).

Every capability of `claims.CAPABILITIES` has one of the needles in its words, in whatever letter case; what only the
weights know (`weights`) has one nearly always. A `^` stands for the beginning of a line. A text with a Han letter
is always asked: any of them may name an act.
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
    "|dialogue|relay|broker|rebase|cherry-pick|crdt|uaix|nativ|our page|our site|our web|our platform|our portal"
    "|not only|not just|merely|the standard|the format |bots| bot |other side|two sides|both sides|other end|far end"
    "|attest|endors|approv|recognis|recogniz|soc 2|undeliver|redeliver|store-and-forward|working tree|drag |drop it"
    "|we run|we hold|we carry|we award|we supply|we keep| by us| with us|no more |straight into|built-in|itself"
    "|themselves|marketplace|website|extension|add-on|ready-made|out of the box|ships with|comes with|first-party"
    "|woken|wakes |instantly|drift|diverg|stale|trigger|passing|click|to work|the moment|hand it|hand over|picks up"
    "|on arrival|resum|partner|in tandem|collected"
    "|both stores|compliance|shared memory|project manager|counterpart|downstream|brought it|authoris|authoriz|our side"
    "|our end|from us|next agent|main line|each other|green tick|without anyone|our institute|shared context"
    "|two assistants|the shift|decides who|built into|supported by|assistant"
    "| you|^you| us |addressee|recipient|delivered|gateway| shall |toolbox"
)
NEEDLES: Final = tuple(_WRITTEN.replace("^", "\n").split("|"))
"""One of these is part of nearly every English claim, in lower case, and of few other texts; a packet without them is
done in one pass (`leaks.Sieve`)."""
