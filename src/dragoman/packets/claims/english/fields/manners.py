"""English words that tell how a capability is offered: by itself, for the reader, with what effort (see `reading`).

The other half of `words`, written in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dragoman.packets.claims.english.fields.tags import Sign
from dragoman.packets.claims.english.kinds import nouns, words

MANNERS: Final[Mapping[Sign, list[str]]] = {
    Sign.AUTO: words(
        """in the blink of an eye,at the push of a button,on autopilot,by magic,like clockwork,within moments
        moments later
        a moment later,in a flash,in one go,at the same time,simultaneously,without fail,around the globe
        every hour,hourly,daily
        every few seconds,every few minutes,every minute,on every save,with every save,after every change
        after each change
        with each change,on each change,at every turn,everywhere at once,in lockstep,unprompted,silently
        quietly,invisibly
        automatically,automatic,automated,auto,by itself,by themselves,on its own,on their own,of its own accord
        of their own accord,all by itself,itself,themselves,in the background,in real time,continuously
        instantly,immediately,at once,within seconds,within minutes,within the minute,a second later
        behind the scenes,overnight,seconds later,in seconds,every minute,every 30 seconds,every night,nightly
        round the clock,to all,to every,across all,all connected,every connected,on all the others
        around the clock,at all times,always,unattended,seamlessly,effortlessly,magically,right away,on time
        hands free,straight away,forthwith,the moment,the minute,the second,the instant,instant,while you sleep
        on demand,as needed,when due,in turn,behind the curtain,on schedule,forever,end to end,before you
        in no time,constantly,permanently,autonomously,untouched by human hands,live,at the same moment
        on every change,by breakfast,no sooner,straight into,straight to,directly,along by itself,as soon as
        upon,the way,as you make it,every time,whenever,day and night,24/7,in three steps"""
    ),
    Sign.FOR_YOU: words(
        """for you,on your behalf,so you,so you can,you only,you just,you merely,sit back,spares you,saves you
        lets you,to you,on the customer's behalf,on behalf of,for free,for them,each customer,for both
        for your team,users,for our customers,on the customer's,in your name,so your"""
    ),
    Sign.OFFER: words(
        """new,new in,as standard,come as standard,comes as standard,in the box,on board,part of the package,added
        now,changed,fixed,improved,feat,included,comes with,come with,ships with,ships,available,is live
        out of the box,available today,since version,release notes,release,big news,added:,one click
        at no extra charge,just,free,with this release,ready made,on by default,built in,default,introduces
        announcing,meet,enjoy,welcome,with unread counters,for your,per project,per agent,today,lets you
        guaranteed,included in every plan,yes,feature,features,finally,unlike,better than,faster than,forget
        slide,changelog,plan,tier,zero setup"""
    ),
    Sign.GIVE: words(
        """has,have,offers,offer,provides,provide,gives,give,includes,include,operates,operate,runs,run,hosts,host
        maintains,maintain,publishes,publish,supplies,supply,ships,ship,issues,issue,awards,award,grants,grant
        confers,confer,enjoys,enjoy,comes with,come with,owns,own,furnishes,features,brings,bring,delivers,makes
        make,released,built,build,do,does,adds,add,earns,earn,receives,receive,get,gets,hold,holds,is,are
        becomes,become,means,counts as,amounts to,serves as,provided,maintained,supplied,issued,awarded,granted
        published,operated,hosted,furnished,given,offered,built by,made by,released by,exists,bears,displays
        carries,entitled,with,satisfies,meets,met,fulfilled,satisfied,uses,used,handles,handle,handled
        takes care of,taken care of,looks after,see to,sees to,saw to,there's,there is,we've"""
    ),
    Sign.BY: words("by,thanks to,courtesy of,through,via,from,with,by means of,powered by,using,under"),
    Sign.PREP: words(
        """of,for,in,into,to,on,at,between,among,across,within,against,about,over,than,like,unlike,off,onto,behind
        per,without,toward,towards"""
    ),
    Sign.BE: words(
        """is,are,was,were,be,been,being,gets,get,got,getting,isn't,will be,is being,become,becomes,has been"""
    ),
    Sign.MAY: words(
        """will,can,shall,may,does,do,did,to,let,lets,help,helps,makes,make,have,has,had,could,we'll,it'll"""
    ),
    Sign.DET: words("the,a,an,this,that,these,those,each,every,any,all,both,some,which,who,what,there,one"),
    Sign.PLACE: nouns(
        """server,cloud,platform,infrastructure,relay,site,website,web site,portal,page,web form,side,end,machine
        box,service,backend,queue,importer,scheduler,engine,runtime,web portal,upload page,import page
        import service,hosted importer,hosted service,cloud service,store,network,delivery network,mailbox,inbox
        loader,adapter,connector,plugin,integration,certificate,certification,stamp,accreditation,badge
        web importer,cloud importer,extension,bridge,online importer,online form,message service,relay network
        runtimes,agent mailbox,hosted channel"""
    ),
    Sign.SITE: words(
        """uaix.org,site,website,portal,web form,upload page,import page,page,online form,intake page,drop zone
        web portal,web importer,hosted importer,online importer,import service,cloud importer,import button
        import@uaix.example"""
    ),
    Sign.PASSED: words(
        """pass,passes,passing,passed,validation,validator,valid,validating,validates,validated,green,clean run
        test suite,hereby,the check,our checks,the tests,verdict,conforming,conformance,the schema,schema check
        check turns green,validator says pass,validator says,checker says"""
    ),
    Sign.TELL: words(
        """describes,describe,lists,list,explains,shows,names,documents,notes,summarises,summarizes,cites,requests
        defines,specifies,tracks,contains,records,reports,states,recommends,requires,means,needs,covers,proposes
        refers,marks,asks,describing,recorded,includes,lays out,follows,uses,reads"""
    ),
    Sign.DOES: words(
        """do the rest,does the rest,handles the lot,handle the lot,takes care of,take care of,take it from there
        does it all,makes it happen,make it happen,sees to it,see to it,saw to that,sees to that,see to that
        handles everything,does it,handle everything,supplies the rest,does the merge,does the copying
        does the dispatching,does the work,handles it,does the push,does the import,does the delivery
        do the import,makes the import,handles the,handle the,handles all,is on us,brought it,covers the
        does the routing,does the scheduling,does that,does so,do it all,taken care of,looked after,handled
        performed,carried out,takes over,take over,see that it gets there,carries it out,carries out
        does everything,does the pushing,provides the rest,accomplishes,settles,takes the traffic"""
    ),
    Sign.DEST: words(
        """to another,to each,to any,to whichever,to whoever,whoever you,whomever,the other team,other company
        other desk
        partner's agent,supplier's agent,customer's agent,client's agent,colleague's agent,sleeping agent
        sleeping agents
        offline agents,absent agents,next agent,right agent,right door,right desk,destination,its destination
        bots,both parties
        across organisations,across companies,between organisations,between companies,between teams,between bots
        between your agents,between the agents,between the two,between any two,awake,wakes up,is back,are back
        reconnects
        until morning,until it wakes,until they wake,until it is read,until read,until fetched,until picked up
        until collected
        recipient,receiver,addressee,other agent,other side,other bot,other party,counterpart,peer,undelivered
        collected,undeliverable,offline,the receiving agent,whichever agent,right recipient,the next agent
        to the party,until somebody,inter agent,between agents,between the parties,from sender,the other end
        comes online,comes back online,logs in,whoever is meant,the target agent,designated recipient"""
    ),
    Sign.DEFINE: words(
        """field,fields,schema,schemas,profile,profiles,language,id,ids,names,structure,layout,vocabulary,type
        types,enum,states,rules,checksum,syntax,definition,definitions,meaning,example,examples,keys
        order of fields,version number"""
    ),
    Sign.SELF: words("by hand,manually,yourself,yourselves,instead of,rather than,on your own"),
    Sign.STALE: words(
        """stale,goes stale,go stale,gets lost,get lost,is lost,lost,drift apart,out of step,out of sync
        fall out of step,forgotten,is forgotten,idle,diverge,diverges,disagree,differ,differs,fall behind
        falls behind,left behind,outdated,out of date,yesterday's,goes missing,go missing,slips through,sit idle
        lose,loses,miss,misses,missed,waits around,grow apart,conflict,contradict,yesterday's memory
        lying around"""
    ),
    Sign.HERE: words(
        """here,one agent,one assistant,one place,one side,one end,one laptop,one copy,in one place,on one,one bot
        your copy,on the left,in your notebook,agent a,your version,one session,what one,one agent's memory
        your notebook,on monday,your side,the summary,the address,the box,supplier's agent,buyer's agent
        in one agent"""
    ),
    Sign.FAR: words(
        """there,over there,there too,the other,the other's,the others,the rest,theirs,in theirs,their side
        on their side,on theirs,everyone downstream,the other place,the other end,on the other,the other bot
        b sees,on the right,in the next,the next,their copy,the far side,far end,elsewhere too,everywhere
        colleague agent,on tuesday,both,every other agent,the second machine,buyer's agent knows,other agent's"""
    ),
    Sign.EDIT: words(
        """edit,edits,edited,change,changes,changed,amend,amended,amends,learn,learns,learned,correct,correction
        corrected,write,close,closes,closed,save,saved,remove,removed,removes,add,added,tick,fix,knows,know
        agreed,note down,type,touch,rename,update,updates,delete,deleted,revise,revised,modification,alteration
        alterations,wording,in your notebook"""
    ),
    Sign.OURJOB: words(
        """on us,our job,our business,our problem,our concern,our worry,our task,our department
        no longer your problem,no longer your job,no longer your worry,no longer your concern,leave it to us
        leave that to us,leave it to uaix,leave the rest to us,leave the rest to uaix,not your problem any more
        count on us for,you can leave,trust us with,in our hands,in uaix's hands,in good hands,is our part
        our end of the deal,ours to do,ours to run,ours to keep"""
    ),
    Sign.WANT: words(
        """need,needs,need an,want,wants,use,using,bought,buy,require,requires,required,ask,ordered,order
        looking for,miss,missing,installed,tested,evaluated,evaluating,waiting for,installing,configured
        reviewed,broke,replaced"""
    ),
    Sign.BID: words(
        """watch,take,point,pick,set,open,do,let,say yes,approve,accept,tell us,fill in,list,upload,drop,paste,drag
        send,hand,give,post,mail,attach,throw,choose,press,click,submit,edit,amend,correct,save,set it,leave
        go to,browse to,simply,just,sign in,hit,change,feed,email,put,write to,write it,add,hand over"""
    ),
    Sign.BAD: words(
        """finished,completed,complete,failed,fails,failing,fail,failure,slow,broken,blocked,error,errors,bug,down
        full,pending,issue,timed out,crashed,skipped,late,stuck,expired,offline,wrong,exit code,passed,was,were
        had"""
    ),
    Sign.RHETORIC: words(
        """why would you,why bother,why pay,why copy,why keep,why still,who needs,who still,what else is
        isn't it nice,isn't it great,did you know that,does anyone still,do you still,wouldn't it be nice
        is there really,who wants to,why not let,why should you,ever wished,tired of,need a,looking for
        want proof,want a,why write,why wait,why run,what is a passing run worth,isn't it time,who has time
        why do it yourself,is it not nice"""
    ),
}
