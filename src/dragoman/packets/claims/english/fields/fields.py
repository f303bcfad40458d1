"""The seven capabilities as English speaks of them: seven fields of acts, objects and names (see `reading`).

1. `SURE` names a capability by itself (hosted messaging, message relay). `NAMED` names one where it is ours or offered
   (mailbox, certificate). `ACT` is an act that is one with an object (`THING`) of the same field.
2. `SOFT` is an act of daily life, or a result that is told instead of the act: it needs the manner of a machine too.
3. A word may belong to several fields. The longest phrase at a place wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dragoman.packets.claims.english.fields.tags import each, things
from dragoman.packets.claims.english.kinds import nouns, words
from dragoman.packets.claims.seven import Field, Part, Role

_F, _P = Field, Part

_HOSTED: Final = "hosted,managed,cloud,online,always on,central,store and forward,agent,agents,message,hosted agent"
_SAME: Final = """in sync,in step,in lockstep,aligned,level,identical,equal,the same,matched,consistent,converged
        up to date,current,synced,synchronised,synchronized,permanently aligned,on the same page,fresh,mirrored
        updated"""
_LEADERS: Final = "official,first party,officially supported,officially endorsed,officially approved,vendor endorsed," \
    "vendor approved,uaix approved,uaix made,endorsed,partner approved,natively supported,officially maintained," \
    "officially certified,officially approved"  # fmt: skip

ACTS: Final[Mapping[Role, str]] = {
    (
        _F.MESSAGES,
        _P.ACT,
    ): """deliver,relay,forward,transmit,transport,dispatch,carry,convey,route,queue,store,hold,keep,retain,park
        redeliver,pass on,pass along,hand over,hang on to,send on,host,buffer,bring,push,hand out,archive,ferry
        shuttle,courier,shepherd,post,mail,collect,stash,bank,cache,hand,move,circulate,send,exchange,get across
        put through,safeguard,notify,pass,keep safe,bear,channel,find,leave,submit,take along,stow,guard
        look after,pass over,take over,broadcast,multicast,push out,hold on to,hold back,file away,sort,serve
        drop off,get""",
    (
        _F.MESSAGES,
        _P.SOFT,
    ): """live,wait,sit,lie,pile up,come out,come through,get through,turn up,rest,remain,find,reach,arrive
        go out,travel,stay,get,be waiting,find its way""",
    (
        _F.SYNC,
        _P.ACT,
    ): """sync,synch,synchronise,synchronize,mirror,replicate,propagate,align,reconcile,harmonise,harmonize
        update itself,update themselves,refresh itself,autosync,level out,even out,heal,level,square,write into
        replace,share,compare,distribute,restore,detect,correct,repair,resolve,insert,carry over,transfer
        equalise,equalize,unify,unite,clone,duplicate,fuse,merge,pool,bring together,tie together,bind,link up
        backfill,stream,push out,echo,reflect""",
    (
        _F.SYNC,
        _P.SOFT,
    ): """show up,turn up,appear,land,know,flow,travel,settle,pick up,update,refresh,converge,flow back,copy,merge
        see,reach,line up,match,catch up,remember,learn,close,arrive,change,bring up to date,receive,happen
        grow together,have,hear,notice,get,end up,carry over,take place,pop up,spread,ripple""",
    (
        _F.RUN,
        _P.ACT,
    ): """run,start,restart,launch,relaunch,wake,wake up,resume,retry,schedule,coordinate,orchestrate,sequence
        supervise,trigger,execute,assign,hand out,dispatch,distribute,spin up,kick off,pause,stop,monitor,drive
        steer,rouse,chase,kill,replace,re run,rerun,escalate,reassign,allocate,invoke,babysit,direct,initiate
        put to work,get going,set in motion,pick,share out,call,loop,revive,fire up,boot,spawn,respawn,cue
        choose,prioritise,prioritize,parcel out,deal out,give out,start up,shut down,bring up,pick up,take up
        conduct,manage,divide,tell,decide,continue,carry out,control,keep busy,honour,honor,hold back,work off
        activate,delegate,nudge,ping,prod,bring back,balance,remind,follow up,summon,ring,alert,arrange,organise
        organize,cancel,abort,terminate,reschedule,requeue,prompt,command,instruct,line up,sort out,regulate
        lead,marshal,advance,take forward,move on,pass work to,keep moving,look after,see through,deploy,operate
        host,route,work through,get done""",
    (_F.RUN, _P.SOFT): "pick itself up,begin,start,resume,continue,go,go on,is off,get,move on,happen",
    (
        _F.REPO,
        _P.ACT,
    ): """commit,push,merge,rebase,force push,patch,land,check in,apply,open,raise,cherry pick,tag,auto merge
        automerge,squash,fix,write,rewrite,edit,modify,amend,deliver,maintain,roll out,update,create,put in
        write back,alter,place,enter,change,clone,branch,file,bump,refactor,type into,add,implement,resolve
        close,make,write into,auto apply,store""",
    (_F.REPO, _P.SOFT): "appear,show up,turn up,become,get,go in,go live,go straight into,go into,end up,be in",
    (
        _F.IMPORT,
        _P.ACT,
    ): """import,ingest,load,read in,take in,pull in,unpack,convert,upload,populate,fill,bring in,swallow,slurp
        put,absorb,parse,process,incorporate,bring,pull,take,feed,migrate,onboard,extract,unzip,sort out,move
        transfer,inject,restore,insert,place,accept,receive""",
    (
        _F.CERT,
        _P.ACT,
    ): """certify,accredit,license,vouch,attest,approve,vet,declare,bless,endorse,guarantee,award,recognise
        recognize""",
    (_F.ADAPTER, _P.ACT): "integrate,plug,hook,connect",
}
"""Verbs of each field, in their base form."""

NAMES: Final[Mapping[Role, list[str]]] = {
    (_F.MESSAGES, _P.SURE): things(
        _HOSTED,
        """messaging,inbox,mailbox,postbox,channel,message queue,message relay,relay,message bus,message broker
        message service,message exchange,messaging service,mail service,postal service,delivery service
        messaging hub,message store""",
    )
    + things(
        "agent to agent,inter agent,agent",
        "messaging,message delivery,mail,chat,correspondence,message exchange",
    )
    + words(
        """hosted messages,message hosting,guaranteed delivery,guaranteed message delivery,inbox as a service
        store and forward,messaging as a service,messaging backbone,messaging infrastructure,message forwarding
        packet forwarding,packet delivery,handoff delivery,delivery receipts,delivery network,hosted delivery
        message transport,message retention"""
    ),
    (_F.MESSAGES, _P.NAMED): nouns(
        """inbox,mailbox,postbox,post office,relay,message queue,message broker,message bus,message service,tray
        pick up point,messaging service,courier,postal service,delivery service,hosted channel,agent address
        outbox,message exchange,postman,mailman,mail carrier,messenger,mail room,mailroom,go between
        postal address,voicemail,answering machine,carrier,transport,backbone,transport layer,message centre
        sorting office,switchboard,in tray,drop box,dead drop,poste restante,letter box,letterbox,pigeonhole
        dead letter queue"""
    )
    + words(
        """messaging,delivery,in our keeping,in safe keeping,communication between agents,central exchange
        own address,uaix address,store,queue,our box,message delivery"""
    ),
    (_F.MESSAGES, _P.THING): nouns(
        """message,mail,letter,packet,handoff,record,notice,report,acknowledgement,acknowledgment,note,item,blocker
        reply,parcel,envelope,communication,dm,memo,handover,status packet,update,transmission,conversation,chat"""
    )
    + words(
        """correspondence,post,words,word,traffic,mail,undelivered,undeliverable,a line,it,them,everything,things"""
    ),
    (_F.SYNC, _P.SURE): each(
        """automatic,auto,live,real time,background,two way,bidirectional,continuous,seamless,instant,automated
        built in,always on,unattended,hands free""",
        """sync,synchronisation,synchronization,syncing,replication,mirroring,alignment,memory sync,updates
        memory alignment,memory synchronisation,memory synchronization,reconciliation,data sync,state sync""",
    )
    + each("memory,state,context,data", "sync,synchronisation,synchronization,mirroring,replication,alignment")
    + words(
        """auto sync,autosync,live link,one brain,one memory,self updating,self syncing,auto synced
        shared live memory,single source of truth"""
    ),
    (_F.SYNC, _P.NAMED): each("keep,keeps,kept,keeping,stay,stays,staying,held,remain,remains", _SAME)
    + each("keep,keeps,keeping,hold,holds", "_,them,it,both,everyone,everything", "in sync,in step,aligned,level")
    + words(
        """up to date,level,identical,in sync,matched,consistent,the same,equal,fresh,current,goes stale,go stale
        stale,out of step,out of sync,diverge,diverges,disagree,differ,fall behind,out of date,drift apart
        fall out of step,outdated,grow apart,yesterday's memory,sync,synchronisation,synchronization,replication
        mirroring,in step,in lockstep,one truth,kept informed,same story,same picture,shared memory
        single memory,congruent,uniform,parity,the same memory,in unison,in harmony,in agreement,divergence
        the same page,never differ,common memory,common state,newest version,latest version,latest state
        the latest,identical memories,two way link,shared state,aligned,word for word the same,always match
        kept identical,always in step,stay synced,synced,square themselves,align themselves,say the same thing
        reads the same,read the same"""
    ),
    (_F.SYNC, _P.THING): nouns(
        """memory,copy,replica,notebook,store,notes,state,context,knowledge,change,edit,correction,fact,folder,side
        two agents,database,record,update,agents,other agent,each other,memory store,other side,counterpart
        ledger,difference,modification,alteration,memory entry,proposal,machine,laptop,device,version,data set
        participant,each participant,other bot,other party,other place,other end,session,everyone,every agent
        everyone downstream,both end,the other,the rest,another agent,every other agent,the next,drift,conflict
        other assistant,stale copy,colleague agent,recipient's copy,teammate,both agent,decision,summary,plan"""
    )
    + words("""over there,there too,in theirs,on theirs,on their side,it,both,what one,what you write here,memories"""),
    (_F.RUN, _P.SURE): words(
        """orchestration,runtime orchestration,agent orchestration,workflow orchestration,execution engine
        runs on autopilot,on autopilot,parallel execution,dependency handling,load balancing,workflow engine
        built in scheduler,task queue,control plane,task dispatch,job scheduling,agent runner
        orchestration engine,multi agent orchestration,automatic retries,automatic retry,auto retry,auto resume
        agent scheduling,task scheduling,job dispatch,smart task dispatch,workflow execution,managed runtime
        hosted runtime,automatic escalation,work distribution"""
    ),
    (_F.RUN, _P.NAMED): nouns(
        """orchestrator,project manager,traffic controller,air traffic control,foreman,shift manager
        command centre,conductor,scheduler,dispatcher,supervisor,task runner,runtime,engine"""
    )
    + words(
        """scheduling,dispatching,sequencing,does the dispatching,does the scheduling,does the routing,retries
        coordination,coordinating,restarts,restart of,execution"""
    ),
    (_F.RUN, _P.THING): nouns(
        """agent,worker,workflow,job,task,step,pipeline,process,bot,assistant,stage,shift,crew,run,next agent
        execution,agent job,fleet,swarm,sub agent,helper,backlog,open item,ticket,team of agents,planner,coder
        case,turn,attempt,procurement bot,wave,open blocker,project,show,graph,priority,schedule,sequence,order
        player,handoff,follow up action,action"""
    )
    + words(
        """work,everything,anyone,whoever is late,new work,next in line,who does what,who does the next piece
        what to do next,the rest,the next,it happen,what is not ready,when to go,whoever is free,execution order
        the handoff,the right order,blocked run,blocked tasks"""
    ),
    (_F.REPO, _P.SURE): each(
        "repository,repo,git,direct,direct repository,code", "writes,write access,commits,write back,commit access"
    )
    + words(
        """auto merge,auto merges,automatic commits,automatic merge,automatic merging,automatic pull requests
        one click merge,automatic prs,hands free pull requests,automerge,opens prs,opens pull requests
        merges prs,auto commit,auto commits,merges your pr,merges pull requests,pull request creation
        automatic pull request,auto pr,writes itself,commits itself,merges itself"""
    ),
    (_F.REPO, _P.NAMED): words(
        """write access,the coding,git account,account on your git server,push access,committing,merging,rebasing
        patching,cloning,pushing,write permission,commit rights,git commit,git push,becomes a commit
        become commits,the commits,the merges,the push,the merge,does the merge,does the push,does the pushing
        the commit,cherry picking"""
    ),
    (_F.REPO, _P.THING): nouns(
        """pull request,pr,branch,repo,repository,codebase,code base,source tree,commit,patch,diff,fix,source file
        working tree,merge request,release branch,main branch,main line,hotfix,feature branch,merge conflict
        merge,code change,rebase,dependency bump,accepted change,accepted edit,approved change,clause
        failing file"""
    )
    + words(
        """main,master,trunk,git,github,gitlab,bitbucket,code,your code,readme,upstream,in the source,source
        the change,the changes,tag,the tag,version control,version control system,changes,proposed changes
        necessary modifications,such modifications,it,maintenance branches,changelog file,changelog,suggestion
        suggestions,config file,script,file in the repository,your developers,documentation folder,the file
        the files"""
    ),
    (_F.ADAPTER, _P.SURE): each(
        _LEADERS,
        "_,uaix",
        "_,slack,jira,langchain,github,saas,crm,platform,n8n,salesforce,zapier,notion,sap,copilot,vs code",
        """adapter,adapters,adaptor,adaptors,connector,connectors,plugin,plugins,plug in,plug ins,integration
        integrations,bridge,bridges,extension,extensions,node,app,interface,coupling,couplings""",
    )
    + words(
        """natively supported,native support,native uaix support,official support,supported natively,speaks uaix
        speak uaix,built into chatgpt,built uaix support,first class support,speaks uaix natively
        plug and play connectors,plug and play connector,approved listing,includes uaix,ships with uaix
        uaix built in,uaix on board,supports uaix out of the box,connector catalogue,reads uaix natively
        supports uaix natively,connector catalog,uaix support"""
    ),
    (_F.ADAPTER, _P.THING): nouns(
        """adapter,adaptor,connector,plugin,plug in,integration,bridge,extension,coupling,mcp server,zapier app
        jira app,node,app,wrapper,listing,app listing,slack app,marketplace app,add on,add in,add ins"""
    )
    + words("interface,interfaces,these packets,support"),
    (_F.CERT, _P.SURE): words(
        """uaix certified,certified by uaix,uaix certification,uaix accreditation,uaix accredited,compliance badge
        compliance badges,conformance seal,conformity certificate,conformance certificate
        conformance certificates,compliance certificate,certificate of conformity,official certification
        certified status,officially certified,seal of approval,mark of approval,accredited supplier
        accredited suppliers,accredited implementation,certification authority,agent certification,uaix seal
        uaix badge,certified evidence,uaix certificate,compliance seal,compliance attestation,approved by uaix
        accredited by uaix,certification seal,officially approved,formally approved,formal approval
        approved officially,accredited agents,official recognition,officially conformant,iso grade certification
        formal attestation,recognised certification,accredited vendor,certified packet,a seal,certified by us
        officially recognised,officially recognized,certified implementations,officially accredited"""
    ),
    (_F.CERT, _P.NAMED): nouns(
        """certificate,certification,accreditation,badge,attestation,diploma,cert,approval,conformity certificate
        licence,register of approved software,recognised vendor,certified supplier,approved supplier,stamp
        official seal,seal,recognised implementer,certification mark,compliance mark,quality mark,trust badge
        uaix badge,quality seal,trusted implementation,official guarantee,uaix mark,uaix quality mark"""
    )
    + words(
        """certified,accredited,approved,licensed,compliant,conformant,sanctioned,recognised,recognized,official
        vetted,iso certified,soc 2 compliant,gdpr compliant,iso 42001,iso 27001,soc 2,gdpr,tüv mark
        fit for regulated use,safe,trusted,tüv inspection,an audit,third party audit,uaix level
        quality guarantee,good standing,an approved vendor,fully compliant,audit proof,legally compliant
        compliance proof,proof of compliance,proof of conformity,trustworthy"""
    ),
    (_F.CERT, _P.THING): words(
        """pass,passes,passing,passed,validation,validator,valid,validating,validates,validated,green,test suite
        tests,the check,checks,checker,clean run,vendor,vendors,supplier,suppliers,auditor,auditors,regulator
        audit,regulators,product,tool,organisation,organization,company,conformance,conformity,compliance
        conforming,the sending agent,agent,agents,implementer,score,implementation,implementations"""
    ),
    (_F.IMPORT, _P.SURE): things(
        "hosted,online,cloud,web,one click,managed,server side,web based,browser",
        "import,importer,import service,ingestion,upload service,intake,import facility,import endpoint,importing",
    )
    + words(
        """import service,import page,import portal,import wizard,importer page,upload portal,one click import
        hosted loader,import endpoint,import via web form,import via upload,bulk upload,web importer
        cloud import,drop zone,import via the uaix portal,one click cloud import,import as a service"""
    ),
    (_F.IMPORT, _P.NAMED): words(
        """importer,importing,import,the import,whole import,does the import,do the import,makes the import
        imports,uploads,loader,loading,uploading,migration service,import desk,upload form,upload page
        ingestion,migration"""
    ),
    (_F.IMPORT, _P.THING): nouns(
        """file,json,zip,archive,export,dump,bundle,packet,record,memory,history,backup,package,link,memory bundle
        zip file,json file,old chat log,data,upload,content,memory proposal,report,transcript,notes"""
    )
    + words("it,them,everything,the rest,all of it,workspace,old assistant's file"),
}
"""Nouns and phrases of each field."""
