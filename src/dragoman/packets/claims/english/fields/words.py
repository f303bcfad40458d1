"""English words that decide how a capability is spoken of: by whom, denied, asked, wished, only told (`reading`).

A word may carry several signs; the longest phrase at a place wins, so a phrase under `FILL` or `EASE` takes the
negation inside it out of sight (not only, no need to, without lifting a finger). The manners stand in
`manners`, the capabilities in `fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dragoman.packets.claims.english.fields.tags import Sign, each
from dragoman.packets.claims.english.kinds import nouns, words

_NOBODY: Final = "nobody,no one,no human,no operator,no developer,no user,neither of you,no team,no person"
_NO_MORE: Final = """stale context,copying,copy and paste,copy paste,copying by hand,glue code,manual work,waiting
        more waiting,stale copies,drift,manual imports,manual sync,hand copying,lost messages,merge conflicts"""

WORDS: Final[Mapping[Sign, list[str]]] = {
    Sign.UAIX: words(
        """uaix,uaix's,uai 1,the standard,this standard,our standard,the format,this format,our format,the spec
        the project,the uaix project,uaix project,the uaix team,uaix team,the uaix site,uaix site
        the uaix portal,the standard itself,the standard's,the format itself,the uaix platform,uaix engine
        the uaix engine,this spec,the uaix service,the uaix layer,the uaix layer itself,the packet format
        uaix maintainers,uaix users,the specification,the uaix website,uaix cloud,uaix.org,the uaix runtime
        the uaix programme,standard body,the uaix maintainers,the project's own,the uaix mailbox,the licensor
        uaix portal,uaix standard,the uaix standard,the uaix format"""
    ),
    Sign.PACKET: each(
        "this,the,each,every,a,any,our,a single,one,the present,accepted,uaix,the accepted,the handoff,the status",
        """packet,record,handoff,final report,packet itself,record itself,handoff packet,blocker packet
        memory proposal,status packet,uaix record,uaix packet,bundle""",
    )
    + words(
        """this file,this document,packet,status packet,blocker packet,final report,uaix records,packets
        the packets,handoff packets,packet itself,this notice,this handoff itself,these packets,records"""
    ),
    Sign.WE: words(
        "we,we'll,we've,we're,us,ours,ourselves,our staff,our team,our own team,our institute,the supplier's uaix"
    ),
    Sign.OUR: words("our,our own,uaix's own"),
    Sign.IT: words("it,it'll,it's,itself"),
    Sign.YOU: words("you,you'll,you've,you're,you'd"),
    Sign.YOUR: words("your"),
    Sign.OTHER: nouns(
        """operator,maintainer,customer,client,user,colleague,engineer,reader,owner,admin,administrator
        receiver's own,bidder,contractor's,competitor,reseller,salesman,intern,reviewer,trainer,participant's
        member,commenter,reporter,newspaper,forum,third party,mail server,ci pipeline,cron job,platform vendor
        platform's,witness,complainant,runtime,vendor,supplier,partner,developer,maintainer's,operator's
        gitlab runner,git hook,purchasing department,own scheduler,mail provider"""
    )
    + words(
        """he,she,his,her,their own,someone,somebody,anyone,people,your own,ci,your ci,cron,i,my,me,systemd
        your team,your developers,your operators,your runtime,your platform,your scheduler,client's,customer's
        own tools,your tool,your tools,the other team,other formats,competitors,third parties
        the parties themselves,your operator,hand,vendor's,supplier's,user's,whoever,the reader's"""
    ),
    Sign.NAME: words(
        """slack,jira,zapier,notion,github,gitlab,dropbox,syncthing,rabbitmq,temporal,airflow,renovate,dependabot
        kubernetes,jenkins,salesforce,zendesk,hubspot,microsoft,google,openai,anthropic,outlook,exchange
        onedrive,icloud,tüv,bsi,celery,prefect,langgraph,langchain,linear,asana,teams,discord,mattermost
        telegram,matrix,obsidian sync,codex,claude code,claude,chatgpt,gemini,cursor,copilot,mergify,postgres
        aws,amazon sqs,sqs,azure devops,github actions,github copilot,servicenow,sap,oracle,jetbrains,mailchimp
        airtable,home assistant,autogen,crewai,semantic kernel,docker,terraform,kafka,nats,rsync,git,n8n,ollama
        mistral,bitbucket,atlassian,workday,vertex,carcinus,localendpoint,dragoman,mcp,a2a,make.com,ifttt
        google drive,gmail,whatsapp,signal,redis,twilio,sendgrid,argo,dagster,nomad,circleci,travis,bamboo
        buildkite,snyk,perforce,svn,confluence,trello,monday,stripe,shopify"""
    ),
    Sign.AGENT: nouns("agent,worker,bot,runtime,assistant,process,daemon,service account,job,team,human,person"),
    Sign.NOT: words(
        """not,never,cannot,can't,cant,didnt,havent,wasnt,arent,shouldnt,wouldnt,couldnt,hasnt,don't,doesn't,didn't
        won't,isn't,aren't,wasn't,weren't,hasn't,haven't,hadn't,wouldn't,shouldn't,couldn't,mustn't,needn't
        ain't,dont,doesnt,wont,isnt,nowhere,by no means,in no way,has yet to,have yet to,yet to
        under no circumstances,at no point,at no time,no longer,neither,nor,hardly,scarcely,barely,none of it"""
    ),
    Sign.NO: words("no,none,nothing,nobody,no one,nor,without,zero,no such,not one,not a single,none of,noone"),
    Sign.DENY: words(
        """something else,something different,different thing,another matter,another thing,two different,differs from
        a far cry,far cry,worlds apart,distinct from,separate from,as opposed to,one thing,different from,only means
        means only,only says,says only,only shows,shows only,only tells,only proves,proves only,only checks
        checks only
        nothing beyond,your auditor,an auditor of,accredited body of,for that you,look elsewhere,you need a
        you will need a
        you'll need a,you would need,you'd need,needs a runtime,requires a runtime,is where it ends
        more than it is,too far
        stretch,mislead,misleading,mislabelled,mislabeled,misnomer,misread,misinterpret,exaggeration,overclaim
        oversold
        hype,joke,kidding,as much as a,about as,no more than,is all it,all it does is,all it is,that is the extent
        left to,leaves it to,up to you,up to your,out of scope,outside,beyond,excluded,far from,responsibility
        responsible for,remains with,remain with,your own job,your job,your own affair,is yours,yours to
        own business,nothing to do with,without us,without the project,up to the,rests with,rest with,falls to
        fall to,belongs to,belong to,is for the,remains a matter,you have to,you must,you'll have to
        you will have to,someone has to,somebody has to,somebody else,someone else,only a format,only a file
        just a file,just a format,just json,is only,are only,it only,a mere,is merely,are merely,purely
        nothing more,ends there,common mistake,wishful thinking,fairy tale,overstated,exaggerated
        too much to say,devoid,void,withdrawn,discontinued,abandoned,scrapped,taken out,retired,ceased
        leaves your,leaves the,leaves all,alone,off limits,hands are tied,blind to,deaf to,is passive,is static
        a snapshot,opposite,the opposite,refuses to,anybody but,prohibited,forbidden to,outside our,outside the
        opt out,in vain,unheard of,wide of the mark,overestimate,ask too much,own risk,your own responsibility
        must come from,has to come from,would have to,of third parties,your own runtime,own runtime,non existent
        nonexistent,inexistent,shan't,mightn't,nah,nil,fails to,fail to,failed to,stops short,free of,free from
        disclaims,disclaim,disclaimed,disavow,disavows,excludes,exclude,excluding,precludes,prohibits,rules out
        ruled out,steers clear,steer clear,keeps out of,keep out of,stays out of,stay out of,stays away
        hands off,leaves,is left,are left,stays with,stay with,lies with,lie with,rests solely,solely with
        exclusively yours,absence of,in the absence,last thing,if only,little more than,at best,fictional
        fiction,fantasy,imaginary,invented,invention,legend,fable,baseless,unfounded,bogus,nonsense,debunk
        set the record straight,confused with,confuse,confuses,confusion,mixes up,mix up,too good to be true
        pure invention,dream on,forget about,in your dreams,wrong tool,wrong address,wrong place,job of your
        task of your,job of the,task of the,duty of,province of,domain of,preserve of,takes a person
        takes a human,a human has to,your operators,your engineers,your admin,by its operator,by the operator
        by a person,by people,by a human,by hand only,by the recipient,by the maintainers,by their,by its owner
        by your own,by whoever,you run yourself,own means,own devices,your own means,bring your own
        supply your own,arrange your own,at your own,you decide,you alone,only you,only people,only humans
        only a person,only a human,only your,only the maintainer,only the operator,purely descriptive,purely a
        descriptive only,for reading only,read only,informational,informative only,for information only
        nothing else,full stop,period,end of story,and that is all,that is all,that's all,that's it
        and that's it,we wish,unlikely,ill suited,unsuited,unsuitable,unfit,useless for,useless as,no good
        lacking,deprived,out of reach,out of our hands,over to you,refrains from,refrain from,unable,incapable
        lacks,lack,declines,decline,refuses,omitted,absent,missing,was dropped,been removed,drift apart
        unchanged,myth,misunderstanding,misconception,mistake to,mistaken,untrue,false,wrong to,rumour,rumor
        error to,contrary to,not available,unavailable,unofficial,unsupported,impossible,pointless,elsewhere
        by yourself,third parties,somebody else's,someone else's,matter for,stops at,apply it yourself
        falls outside,lies outside,untouched,inert,lies still,documentation only,community scripts,own counsel
        merely a,merely describes,only describes,only records,just describes,only a snapshot,inaccurate,struck
        not included,not planned,not offered,not supported,incorrect,nope,does nothing,have to be
        remain responsible,remains the,anyone who told,whoever told,lets down,let alone,anything but,short of
        nothing like,≠,carry it over,to arrange,must be done,must be opened,stays where,stays here,goes nowhere
        go nowhere,please don't"""
    ),
    Sign.EASE: each(_NOBODY, "has to,had to,needs to,need,needed to,will have to,must")
    + each("no,no more", _NO_MORE)
    + each(
        "you,you'll,users,operators,staff,teams,your developers,your staff,your team leads,your team,_",
        """don't have to,do not have to,don't need to,do not need to,need not,needn't,won't have to,won't need
        will not need to,will never have to,never have to,never need to,no longer have to,no longer need
        no longer,don't need,do not need,needn't worry,won't need to,don't worry,have not to,don't bother
        must do nothing,do nothing,don't have to do""",
    )
    + each(
        "without,w/o,without any,with no",
        """lifting a finger,anyone lifting a finger,anybody lifting a finger,asking,anyone asking
        human intervention,intervention,further action,further instruction,any act,action,effort,delay
        supervision,supervising,a human,a human present,any dispatcher,an operator,operator intervention
        manual steps,manual work,setup,anyone noticing,you doing anything,anybody having to lift a finger
        action on your part,action from the user,additional software,configuration,button to press
        human in between,interruption,exception,fail,any transport of yours,further work,any action,any effort
        you having to,having to,anyone having to,a single click,a single line of code,waiting,any setup
        any further action,anybody asking,touching,any intervention,leaving,a server,a server of your own""",
    )
    + words(
        """no need,no need to,no need for,there is no need,nothing to install,nothing to configure,nothing to host
        nothing to set up,so you don't have to,so that you don't have to,so that you do not have to
        nothing to do,not a problem,no problem,no drama,no matter,no setup,no effort,no hassle,no glue code
        no glue,no code,no worries,no further,no extra,no local tooling,no cron jobs,no cron job,no dispatcher
        no server of your own,no transport,no server on your end,no action,no config,no configuration
        no further action,no downtime,no delay,no doubt,no manual,no human in between,no questions asked
        no button to press,no installation,no further audit,no extra charge,never again,never worry
        no two agents,no more,say goodbye to,forget,rest assured,stop,nothing gets lost,never lose,never loses
        never forgets,never miss,never misses,never fails,never stale,never sleeps,never refuses
        never leaves an agent idle,not leave your agents idle,not leave,is ever forgotten,never drift
        never drift apart,can never drift apart,cannot fall out of step,never fall out of step,never goes stale
        ever goes stale,never lost a single,never lost,none for you,nothing gets left,nothing is lost,no drift
        not a moment,there is never a moment when,needn't install anything,don't have to host,hardly any effort
        even though no one,no one is logged in,neither needs,neither needs to,so neither needs
        so that neither needs,never awake,never the wiser,never out of date,never out of sync,never late
        without fail,no matter how,no matter where,no matter what,whether or not,not busy,not logged in
        not online,not running,is not ready,isn't ready,is not there,can't read the file,can't even read
        not available to pick up,at no cost,at no extra cost,no charge,no strings attached,no less than
        nothing less than,nothing short of,no exceptions,no exception,no limits,no limit,need no,needs no
        no parser,no tooling,no tools,no broker,no scripts,no script,no middleware,no rsync,no intermediary
        no middleman"""
    ),
    Sign.FILL: words(
        """not only,not just,not merely,not simply,doesn't merely,does not merely,doesn't just,does not just
        isn't just,is not only,is not just,is not merely,isn't merely,isn't only,not only does,more than
        nothing but,nothing else but,far more than,no wonder,no longer just,not least,less a,in no time
        no sooner,no doubt,last but not least,why not,whatever,whichever,either way,no small,no mean
        beyond recording,beyond documenting,apart from,in addition to,one way or another,not to mention
        not for nothing,without doubt,without question,without saying,none other than,do not merely,do not just
        don't just,won't just,will not just,not alone,nor is that all,not long,not far,no secret,not bad
        not surprisingly,beyond,in between,please note,please note that,please be informed,please be advised
        mistake it,ourselves included,from now on,from here on,later on,as of now,from day one,early on
        from then on,far less,far more,far better,outside of office hours"""
    ),
    Sign.WRONG: words(
        """it would be wrong to say,would be wrong to say,it isn't true that you must,it isn't true that
        it is not true that,it is not the case that,it's not true that,it is wrong to say
        it would be wrong to say that,it's a myth that,isn't true that,it is false that
        it would be a mistake to say"""
    ),
    Sign.LESS: words(
        """leaves,leave,lacks,lack,lacking,must,have to,untouched,without,uncertified,misses,needs you,up to you
        to the customer,yourself,manually,left"""
    ),
    Sign.SAY: words(
        """said,says,wrote,writes that,asked,asks,ask,claimed,claims,claim,replied,stated,typed,posted by,we read
        answered,enquired,inquired,complains,complaint,complained,told us,told the,told me,told you
        told procurement,according to,quoted,quote,quotes,read that,reads that,suggests,suggested,alleged
        alleges,describes himself,promised,promises,promise,believed,thinks,thought,believes,wondered,wonders
        headline,advertises,advertise,advertised,reportedly,heard,stating,speaks of,hints at,hint at,imply
        implies,rumour has it,wrongly,counts as accreditation for,mentioned,mentions,calls itself,calling itself
        wrote that,expected,assume,assumes,expects"""
    ),
    Sign.TASK: words(
        """check,verify,ask,find,review,test,remove,delete,strike,rewrite,compare,investigate,look,explain
        make sure,search,grep,decide,flag,reject,collect,try,describe,reproduce,cite,clarify,confirm,discuss
        escalate,inspect,list,mark,reword,avoid,ensure,todo,fixme,task,exercise,quiz,question,open question
        review question,test case,note down,tell,report,write down,count,document,replace,schedule a,contact
        email,evaluate,assess,audit,do not write,don't write,do not use,don't use,banned,forbidden
        not to be used,prohibited,see if,see whether,before you quote,could somebody,could someone,can somebody
        can someone,would you,could you,can you,could the,could we,someone should,somebody should,have the
        has anyone,has anybody,has the,operator to,next step for,next steps: ask,please,kindly ask,assign,rerun
        proposed for,plan,proposal,suppose,imagine,wanted,agent b is to,blocker,training exercise,search for"""
    ),
    Sign.MENTION: words(
        """topic,chapter,to avoid,phrase,phrases,wording,wordings,slogan,sentence,sentences,titled,the title
        the heading,the words,the word,the term,the text,headings,heading,statements,brochure,old blog,blog post
        blog we,leaflet said,flyer,landing page,lint rule,commenter,a forum user,one user,forum user,wish list
        wish from,wishes,wished,hopes,hope,hoping,would like,would love,we'd like,we'd love,i'd love,i wish
        wants,want to know,wanted,someone wants,some day,someday,one day,next year,a later date
        in a later version,future version,later version,was suggested,has proposed,proposed for,is proposed
        was proposed,proposed to,not been written,not yet agreed,no decision,awaiting,to be renegotiated
        would welcome,be nice,were ever,were able,is ever,were to,ever gets planned,might be considered
        may be considered,roadmap,whether,who owns,should look,tender asks,tender requires a certified
        bidders to,bidders shall,bidders should,the draft by,old slide,misread as,supposed to,the idea that
        rumour,the quote,this quote,example of a sentence,does the,do you,is there,has requested,requests that
        the client's iso,expires,a request for,request for,shall describe,shall state,was marked as,considers
        considering,the ticket asks,wonder,under consideration,no one has decided,yet to be decided
        a partner offers,complaint,must flag,must fail,be rejected,slide 12,ticket is titled,first draft"""
    ),
    Sign.IF: words("if,unless,in case,in the event that,provided that,assuming,suppose,supposing,even if,as if"),
    Sign.WISH: words("would,could,might,should,perhaps,maybe,may one day"),
    Sign.MUST: words("must,should,ought,need to,needs to,has to,have to,is to,are to,required to,shall be obliged"),
    Sign.CONTRAST: words("but,however,yet,nevertheless,nonetheless,still,instead,rather"),
    Sign.WHERE: words(
        "once,when,whenever,as soon as,the moment,the second,the minute,the instant,upon,after,until,while"
    ),
}
