"""English words of claims, by kind (see `kinds`)."""

from __future__ import annotations

from typing import Final

from dragoman.packets.claims.english.kinds import Kind, Table, nouns, verbs, words

_HOSTED: Final = "hosted,managed,cloud,cloud based,cloud hosted"
_MAILBOXES: Final = "messaging,messages,message queue,message service,message store,message relay,message broker," \
    "inbox,inboxes,mailbox,mailboxes,mail,queue,queues,broker,relay,chat,chats,conversations"  # fmt: skip
_SYNCS: Final = "sync,syncs,syncing,synced,synch,synchronization,synchronisation,synchronizing,synchronising," \
    "synchronize,synchronise,synchronized,synchronised,synchronizes,synchronises,replication"  # fmt: skip
_NUMBERS: Final = "two,three,four,five,six,ten,twelve,fifteen,twenty,thirty,sixty,few,2,3,4,5,6,10,12,15,20,24,30,60,90"
_REPOS: Final = "repository,repositories,repo,repos"


def _each(first: str, second: str) -> list[str]:
    return [f"{one} {two}" for one in words(first) for two in words(second)]


TABLE: Final[Table] = {
    Kind.UAIX: words("uaix,uaix's,uai 1,uai"),
    Kind.PACKET: nouns("packet,handoff,hand off,handover,record,bundle,envelope")
    + words(
        """certified packet,certified record,certified handoff,this is not a runtime,this is no runtime
        this isn't a runtime,made here,edited here,changed here,packet's,this message,the message,this profile
        the profile,this file,this document,handoff's"""
    ),
    Kind.WE: words("we,we'll,we've,we're,our,ours,us"),
    Kind.IT: words("it,it's,it'll,its,it'd"),
    Kind.OTHER: nouns(
        """runtime,supplier,vendor,customer,client,counterparty,provider,manufacturer,carrier,buyer,seller,shop
        platform,team,maintainer,developer,reviewer,colleague,operator,human,engineer,receiver,recipient,sender
        scheduler,pipeline,competitor,blog,contractor,admin,administrator,person,user,owner,tool,bot,department
        manager,partner,author,company,organisation,organization,third party,endpoint,cron job,script,daemon"""
    )
    + words(
        """they,he,she,i,someone,somebody,people,anyone,their,his,her,your own,their own,our own,herself,himself
        agent's own,receiver's own,ci,carcinus,carcinus.org,localendpoint,mcp,a2a,openai,codex,claude,dragoman
        your machine,your side,your end,a human,by hand,manually,locally"""
    ),
    Kind.YOU: words("you,you'll,you've,you'd"),
    Kind.NO_ONE: words(
        "there is no,there's no,not one,not a single,there are no,no packet,no record,never a,nobody,none of"
    ),
    Kind.GIVE: verbs(
        """provide,offer,support,include,enable,perform,handle,guarantee,deliver,execute,ship+,give,feature,publish
        promise,supply,bundle,contain,maintain,operate,host,release,launch,introduce,grant,award,advertise,sell"""
    )
    + words(
        """provided,has,have,had,is,are,comes,come,comes with,come with,does,do,via,get,gets,built in,built into
        run,runs,available,ready,given,got,makes,make,made,part of,can,will,shall,may,must,able to,now,holds
        carries,use,install,powered,thanks to,saves,spares,capabilities,features,feature list,lets you
        allows you,allows you to,enables you to,enabled by default,on by default,live"""
    ),
    Kind.NOT: words(
        """not,no,never,without,neither,nor,none,nothing,nobody,nowhere,let alone,much less,hands off,off limits
        removed,removes,any hint of,elsewhere,to others,left to,leaves,is up to,are up to,the job of others
        no one,no such,there is no,there's no,there are no,not one,not a single,no packet,no record,none of
        isn't,isnt,aren't,arent,wasn't,weren't,doesn't,doesnt,don't,dont,didn't,didnt,can't,cant,cannot,couldn't
        won't,wont,wouldn't,shouldn't,hasn't,haven't,hadn't,mustn't,ain't,hardly,scarcely,zero,n/a,far from
        free of,rather than,instead of,anything but,out of scope,outside,beyond,unsupported,unavailable
        unofficial,untouched,not yet,yet to,nonexistent,absent,missing,impossible,by no means,in no way
        under no circumstances,forbidden,prohibited,out of the question,off the table,mistaken for
        stops short of,deliberately omitted,omitted,void,unlike"""
    ),
    Kind.LACK: verbs("lack,refuse,exclude,forbid,disclaim,decline,omit+,prohibit,fail to,prevent,deny,avoid,refrain")
    + words("unable,incapable,devoid,ruled out,rules out"),
    Kind.WRONG: words(
        """it is false that,it is not true that,it isn't true that,it's not true that,it is untrue that
        wrong to say,would be wrong,incorrect to say,is false,is untrue,not true,a myth that
        a misconception that,not the case that,is incorrect,false to say,untrue to say,untrue that,false that
        simply not true,it is wrong that,is not true,isn't true,isn't the case,is not the case"""
    ),
    Kind.BACK: words(
        """which was wrong,which is wrong,was wrong,is wrong,is nonsense,is a myth,a myth,misconception,withdrawn
        retracted,was deleted,been deleted,was removed,been removed,struck out,was a mistake,was an error
        mistakenly,wrongly,in error,nonsense,we do not claim,we don't claim,was incorrect,misunderstanding
        erroneously,a false statement,is mistaken,are mistaken,mistaken,they are wrong,got it wrong
        been corrected,was corrected,corrects,drop the line,was misleading,taken back,no longer holds,misprint
        typo,was never true,urban legend,hearsay,wishful thinking"""
    ),
    Kind.EASE: words(
        """no need to,no need for,no need,no longer,never have to,never need to,not have to,don't have to
        doesn't have to,dont have to,don't need to,do not need to,does not need,doesn't need,do not need
        don't need,needn't,need not,do not have to,does not have to,dont need,nobody has to,nobody had to
        nobody needs to,no one has to,no one had to,without anybody lifting a finger,without lifting a finger
        without asking,w/o asking,without anyone,without anybody,without any manual,without manual,no manual
        no local,without local,no server needed,no server,without a server,no extra,at no cost,free of charge
        at no extra cost,no charge,with no delay,without delay,without any delay,no delay,no hassle,no setup
        without any setup,no configuration,no further,no approval,without approval,without review,no review
        no human,without human,without a human,without human intervention,without any human,without you
        not have to lift,no parser,nothing to set up,nothing to install,nothing to configure
        nothing for you to do,no cron job,no rsync,no effort,without effort,no waiting,no matter,no installation
        without installing,without leaving,no code,no glue,no more,no additional,no matter how,no downtime
        no questions asked,not a single click,without a single,not a single manual,not a finger,no one lifting
        nobody lifting,say goodbye to,nobody asked,no action,never again,never worry,don't worry,not worry
        without having to,never lose,never miss,no data loss,no limit,without limit,no broker,dont run any
        don't run any,without interruption,without exception,no exceptions,without fail,without further
        not to mention,no strings attached,no doubt,without doubt,not just yours,no one needs to,without waiting
        without intervention"""
    ),
    Kind.TELL: words(
        """describes,describe,lists,list,explains,shows,names,documents,document,notes,summarizes,summarises,cites
        refers,requests,request,defines,specifies,validates,verifies,tracks,contains,contain,records,reports
        states,asks,checks,recommends,requires,allows,lets,keeps track,separates,distinguishes,means,follows
        needs,assumes,considers,treats,marks,covers,reserves,permits,suggests,advises,helps,only records
        merely records"""
    ),
    Kind.FILL: words(
        """that,which,who,in other words,in a word,think of,let,thing about,best about,good about,great about
        you are reading,you're reading,you read,you see,you receive,you received,you hold,you have here
        think of it as,at,across,between,among,into,within,to you,with you,before you ask,before you even ask
        without being asked,it's about time,toward,towards,against,under,after,before,during,not only,not just
        not merely,not simply,isn't just,isn't only,not alone,isn't merely,doesn't just,doesn't only
        does not just,does not only,don't just,aren't just,all about,no doubt about it,the,a,an,also,and,or,both
        either,as well as,with,direct,directly,full,fully,already,as of,version,this release,release,in addition
        plus,but also,to,of,for,all,every,any,in,on,from,new,our new,good news,here,yes,please note that
        note that,always,even,now,remember that,let me,be assured that,rest assured,conformance,built,real,too
        if you like,whether you like it,if you wish,if needed,if necessary,by default,officially"""
    ),
    Kind.BY: words("by,via,through,thanks to,using,courtesy of,powered by"),
    Kind.BE: words("is,are,was,were,be,been,being,gets,get,got,getting"),
    Kind.SAY: verbs("claim,believe,assume,suggest,allege,rumour,rumor,imagine,suspect,hope,wish,propose,quote")
    + words(
        """states that,stated,reportedly,reported that,reports that,mentions that,mentioned,it reads,reading that
        said,says,say,saying,wrote,writes that,told,tells,think,thinks,thought,heard,put it,earlier draft
        had put,according to,expects,expected,expect,dream,dreams,fear,fears,supposedly,in theory,theoretically
        allegedly,so called,would like,wants,planned,plans to,on the roadmap,wish list,wishlist,someday
        hypothetical,suppose,proposal,proposes,guess,guesses,might,maybe,perhaps,marketing says,joked,jokes
        pretend,pretends,should,would,could,feature request"""
    ),
    Kind.ASK: verbs("ask,wonder,enquire,inquire,clarify,discuss,debate,investigate,question")
    + words(
        """whether,decide by,decide who,to decide,decide if,research if,want to know,wants to know,wanted to know
        find out,unclear,unsure,not sure,open question,who issues,who writes,tbd,to be decided,look into
        looks into,curious,compare,evaluate,see if,check if,know if,check that,verify that,make sure that
        confirm if"""
    ),
    Kind.TOPIC: nouns(
        """blog post,article,chapter,heading,headline,title,phrase,slogan,subject line,comparison,leaflet
        faq answer,faq,glossary,column,talk,slide,essay,survey,tutorial,book,ticket,todo,task title,paragraph
        webinar"""
    )
    + words(
        """the term,the word,the words,about,regarding,concerning,page on,section on,chapter on,note on,notes on
        post on,talk on,question of"""
    ),
    Kind.IF: words("if,unless,were to,imagine,in case,provided that,assuming,supposing,as if,as though"),
    Kind.CONTRAST: words(
        """but,however,yet,instead,instead of,rather than,unlike,whereas,while,although,though,nevertheless
        nonetheless,except that,on the contrary,only that"""
    ),
    Kind.PLACE: nouns(
        "server,cloud,backend,back end,data centre,data center,datacenter,relay,queue,broker,hosted,mail server"
    )
    + words(
        """infrastructure,server side,serverside,our side,our end,uaix side,hosted,online,remotely,in the browser
        centrally,on its side,saas,managed,hosting,endpoint"""
    ),
    Kind.AUTO: [f"every {n} {unit}" for n in words(_NUMBERS) for unit in words("seconds,minutes,hours,days,min,mins")]
    + words(
        """automaticaly,automaticly,automtically,automaticlly,automtic,self,automatically,automatic,automated,auto
        itself,itself current,itself fresh,by itself,by themselves,themselves,on its own,on their own
        in the background,in real time,realtime,continuously,instantly,immediately,within seconds,within minutes
        live,unattended,at once,seamlessly,effortlessly,magically,periodically,round the clock,every minute
        hourly,every hour,at every session,at all times,all the time,constantly,always,on each change
        every session,in seconds,autonomously,everywhere,across all,hands free,behind the scenes,on every change"""
    ),
    Kind.FOR_YOU: words(
        "for you,on your behalf,on behalf of,for free,in your name,for your team,for both,for them,for us"
    ),
    Kind.OFFICIAL: words(
        """offical,official,officially,officially supported,first party,native,natively,bundled,endorsed,blessed
        authorised,authorized,certified,sanctioned,approved,genuine,maintained by,published by,supported"""
    ),
    Kind.HOST_IS: _each(
        "uaix,uaix's,the uaix,uaix's own",
        """server,servers,cloud,cloud service,platform,infrastructure,backend,website,data centre,relay,queue
        hosting,inbox,mailbox""",
    ),
    Kind.AUTO_SURE: words(
        """automatically,by itself,on its own,in the background,in real time,autonomously,unattended
        without anybody lifting a finger"""
    ),
    Kind.MSG_BOX: words(
        """messaging,mailbox,mailboxes,inbox,inboxes,mail server,message queue,message broker,message relay
        message bus,message store,chat server,message delivery,chat backend"""
    ),
    Kind.MSG_IS: _each(_HOSTED, _MAILBOXES)
    + words(
        """hosted uaix messaging,hosted channel,message services,chat service,hosted message,message hosting
        messages hosting,messaging hosting,hosting of messages,messaging server,messaging servers
        messaging service,messaging platform,messaging backend,chat hosting,hosts messages,host messages
        hosting messages,messaging infrastructure,hosted message delivery,messaging as a service,mail hosting"""
    ),
    Kind.MSG_DO: verbs(
        """store,relay,deliver,host,queue,route,forward,retain,transport,transmit+,distribute,buffer,dispatch
        archive,pass+ on,carry,redeliver,broker,shuttle"""
    )
    + words(
        """hold,holds,held,keep,keeps,kept,deliver's,sends,send,hand over,hands over,sit on,sits on,wait on
        waits on,waits,delivery,store and forward,went over,sit in,waiting on"""
    ),
    Kind.MSG_OF: words("the message,this message")
    + nouns("message,conversation,chat,dm,mail,reply,inbox,mailbox,thread,direct message,email,msg,letter")
    + words("replies,correspondence,messaging"),
    Kind.SYNC_IS: [
        f"{a} {s}"
        for a in words("auto,automatic,automated,automtic,real time,live,background,continuous")
        for s in words(_SYNCS)
    ]
    + [f"{s} automatically" for s in words(_SYNCS)]
    + [f"automatically {s}" for s in words(_SYNCS)]
    + [
        f"{v} {o}"
        for v in verbs("update,refresh,sync,synchronize,synchronise,replicate")
        for o in words("itself,themselves")
    ]
    + words(
        """two way sync,bidirectional sync,live sync,instant sync,itself current,itself fresh,autosync,autosyncs
        autosynced,auto update,auto updates,automatic updates,automatic replication"""
    ),
    Kind.SYNC_DO: verbs("sync,synch,synchronize,synchronise,syncronize,syncronise,mirror,replicate,propagate")
    + words(
        """in sync,in step,in lockstep,self updating,self syncing,synchronization,synchronisation,replication
        sync'd,itself current,itself fresh,stays current,stay current,stays fresh,up to date,up-to-date,aligned
        consistent"""
    ),
    Kind.SYNC_MAY: verbs("update,refresh,copy,reconcile,appear,pull,fetch,change")
    + words("latest,newest,identical,everybody else's copy,spread,spreads"),
    Kind.SYNC_OF: nouns(
        """copy,memory,memory store,memory file,state,replica,change,fact,note,folder,lane file,plan copy
        twin record,linked record,other record,store,edit,context,version,correction"""
    ),
    Kind.RUN_IS: words(
        """orchestration,runtime orchestration,run time orchestration,agent orchestration,workflow orchestration
        orchestration of agents,orchestration of runtimes,orchestration of workflows,workflow engine
        multi agent orchestration,task orchestration,orchestration engine,orchestration layer
        orchestration service,execution engine,agent runner"""
    ),
    Kind.RUN_NOUN: nouns("orchestrator,conductor,task runner,job scheduler") + words("orchestration,orchestrating"),
    Kind.RUN_SURE: verbs("orchestrate,coordinate,schedule,supervise"),
    Kind.RUN_DO: verbs(
        """orchestrate,schedule,start,stop+,pause,launch,spawn,coordinate,execute,restart,dispatch,supervise,boot
        trigger,terminate,kick off,spin off,assign,manage,steer,direct,control,resume,wake,invoke,fire up,kill
        conduct,sequence"""
    )
    + words(
        """hand out,hands out,handed out,work through,works through,carry out,carries out,carried out,brings back
        bring back,brings it back,brings them back,revives,wakes up,wake up,run,runs,ran,running,spins up
        spin up,spun up,brings up,tears down,drives,drive,driven,controlled,at run time"""
    ),
    Kind.RUN_OF: nouns(
        "agent,worker,workflow,task,job,process,runtime,step,container,pipeline,sub agent,subagent,swarm,fleet,plan"
    )
    + words("your agents,anything,processes"),
    Kind.REPO_IS: _each(_REPOS, "write,writes,writing")
    + _each("write to,writes to,writing to,written to,write into,writes into", "repositories,repository,repos")
    + words("repository write access,repo write access"),
    Kind.REPO_SURE: verbs("commit+,merge,git push")
    + words("opens prs,opens pull requests,pushes code,pushes commits,merges prs"),
    Kind.REPO_DO: verbs("commit+,push,merge,patch,rebase,cherry pick+,check in,land")
    + words("commit to,git push,git commit"),
    Kind.REPO_MAY: verbs(
        "open,create,apply,edit+,edit,modify,change,alter,rewrite,update,touch,raise,file,amend,delete"
    )
    + words("write,writes,wrote,written,writing"),
    Kind.REPO_OF: nouns(
        """repository,repo,branch,pull request,merge request,pr,codebase,code base,source tree,monorepo
        working tree,source file,source code,git repo"""
    )
    + words(
        """git,github,gitlab,gitee,readme,main,origin,the files,files under,your files,source files,your code
        the code,code,commits,bitbucket,upstream,source"""
    ),
    Kind.ACCESS: _each(
        "write,push,commit,merge,read write,writing",
        "access,rights,right,permission,permissions,capability,privileges,authority",
    ),
    Kind.ADAPTER_IS: _each(
        "official,first party,officially supported,official uaix,uaix official",
        """adapters,adapter,adaptor,adaptors,connector,connectors,plugin,plugins,plug in,plug ins,integration
        integrations,bridge,bridges,extension,extensions,ones,one""",
    ),
    Kind.ADAPTER: nouns("adapter,adaptor,connector,plugin,plug in,integration,bridge,extension"),
    Kind.CERT_ANY: words("certification"),
    Kind.CERT_IS: words(
        """certified packet,certified record,certified handoff,certificate authority,certification authority
        certificate authorities,certifying authority,root ca,issuing authority,certifying body
        certification body,accreditation body,uaix certified,certified by uaix,uaix certification
        uaix certificate,uaix certificates,certification by uaix"""
    ),
    Kind.CERT_DO: verbs("certify,accredit")
    + words("certified by,certified as,certified for,certified under,vouch for"),
    Kind.CERT_OF: nouns(
        "certificate,certification,accreditation,ca,badge,cert,certification mark,seal of approval,seal"
    ),
    Kind.IMPORT_IS: _each(
        "hosted,cloud,server side,online,managed,remote", "import,imports,importer,importers,importing,ingest,ingestion"
    )
    + words(
        """hosted uaix importer,hosted uaix import,uaix importer,uaix import service,import service,import services
        import endpoint,import server,importing service,ingestion service,importer service"""
    ),
    Kind.IMPORT_DO: verbs("import,ingest,upload,load")
    + words("took in,takes in,take in,taken in,reads in,ingestion,slurps"),
}
