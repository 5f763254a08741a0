"""Classes of words and phrases that, for the learned model, suggest a change or no change."""

from __future__ import annotations

from evaluation.statebench.language.words import stem, tokens

_MOST_WORDS = 4  # of a phrase

_CLASSES: dict[str, str] = {
    "swap": """
        replace replacement swap supplant dethrone succeed successor supersede oust displace substitute
        exchange inherit deputise deputize relieve stand-in understudy trade
        | instead | in place of | place of | stead | in her stead | in his stead | in their stead | takes over
        | taking over | took over | taken over | take over | took his place | taken the place | takes the place
        | took the place | fills in | filling in | filled in | stepping in | steps in | stepped in | stepped up
        | covering for | covers for | handed over | hand over | handing over | handed the | handed her | handed his
        | passed to | passes to | goes to | fallen to | falls to | now has | now does | does it now | stand in
        | standing in | stands in | standing in for | on loan | in for | picks up | picked up | inherits
        | traded for | rather than | as opposed to | not the | out and | is out | are out | in his shoes
        | holding the fort | acting | has the | have the | gave way to | giving way to | gives way to | over to
    """,
    "move": """
        move relocate shift haul cart wheel transplant rehouse rehome reroute divert diversion redirect
        switch transfer drag lug ferry tow carry migrate decamp upstake rehang restow restack rebook
        reschedule reassign rejig reshuffle replan
        | moved to | over to | across to | shunted | bumped to | bumped | brought forward | bring forward
        | pushed back | pushed to | put back | put off | slipped to | slid to | set back | hopped to | kicked to
        | held over | carried over | gone to | been put | been taken | came forward | up to | down to | over in
        | over at | round to | into the | out of the | off to | now in | now at postpone delay slip slide advance
    """,
    "gone": """
        gone died dead death buried sold scrap scrapped binned chucked ditched axed shelved cancelled
        canceled cancel quit resign resigned retire retired withdraw withdrew withdrawn close closed shut
        folded cull culled abandon abandoned drop dropped lapsed expired discontinued demolished burnt
        burned flooded collapsed broke broken snapped stolen lost ruined written-off bust defunct deleted
        removed stopped ended over finish finished pulled terminated revoked repealed rescinded voided
        vetoed nixed binning scuppered torpedoed sank capsized perished strike-off disbanded euthanised
        euthanized slaughtered resigns quits leaving left leave exit departed parted kaput extinct cease
        ceased
        | called off | calls off | call off | off the | no longer | no more | not any more | any more | anymore
        | not anymore | any longer | done away | did away | gave up | given up | gave notice | handed in
        | stood down | stood us down | step down | steps down | stepped down | stepping down | bowed out | bows out
        | begged off | dropped out | drops out | pulled out | pulled the | pull out | backed out | packed in
        | packed it in | packed up | fell through | fallen through | off the menu | off the table | off the list
        | out of | ran out | run out | sold out | sold it | sold the | had to go | has gone | have gone | is gone
        | are gone | is off | are off | it's off | all off | out sick | off sick | rung in sick | called in sick
        | gone under | gone bust | went under | won't be | isn't happening | not happening | can't make it
        | cannot make it | down with | laid up | hung up | moved on | moved out | gave back | given back | sent back
        | written off | knocked on the head | no go | dead in the water | has left | have left | we've lost
        | we lost | without | let go | tore up | torn up | threw out | thrown out | got rid | rid of | taken off
        | took off | struck off | scratch | scratched | crossed off | cross off | bit the dust
    """,
    "up_down": """
        rise risen rose climb jump grow grew grown soar dear dearer cheap cheaper sink sank sunk drop fall
        fell fallen dip shrink shrank shrunk double triple halve raise lower increase decrease reduce cut
        trim bump hike extend lengthen shorten stretch add extra another fewer less lost gain swell dwindle
        creep balloon slash knock plummet
        | up to | down to | up by | down by | gone up | went up | come down | came down | gone down | went down
        | goes up | comes down | up from | down from | on top | more than | less than | crept up | topped up
        | put up | puts us | brings us | makes it | makes us | leaves us | leaving us | which leaves | which makes
        | that makes | that leaves | brings it | brought it | takes it | took it | taking it
    """,
    "correct": """
        actually oops whoops sorry wrong mistake mistaken error typo incorrect misread misheard
        misremembered mistyped miscounted misspoke misprint misquoted misfiled muddled fat-fingered
        transposed correction correct apologies scratch strike disregard rather nope nah wait hang forget
        ignore recount recounted rechecked remeasured reread checked double-checked outdated stale confused
        flipped inverted blush doh duh
        | my mistake | my bad | silly me | stupid me | i was wrong | was wrong | were wrong | is wrong
        | got it wrong | had it wrong | got that wrong | stand corrected | should be | should have been
        | should read | should say | ought to be | ought to read | supposed to be | meant to | i meant | i mean
        | make that | make it | call it | on second thoughts | on second thought | second thoughts | come to think
        | come to think of it | changed my mind | change of | turns out | turned out | in fact | in truth
        | as it happens | it's really | really is | contrary to | not what | or rather | no wait | hang on | hold on
        | strike that | scratch that | belay that | tell a lie | i tell a lie | i lie | as you were | let me correct
        | to be exact | to be precise | looking at it again | looked again | checked again | on closer | mixed up
        | mixing up | wrong way | upside down | old list | old sheet | out of date | never was | wasn't the
        | weren't the | it isn't | it's not | that's not | go by | don't go by | ignore what | forget what | i'd put
        | i'd written | i wrote | i said | i told you | i gave you | i quoted | i had | i had down | not as i
    """,
    "new": """
        now today tonight new newly freshly fresh latest just current currently henceforth updated finally
        already since recently brand-new nowadays presently amended revised
        | as of | as from | from now | from now on | from today | from tomorrow | from next | from this
        | from monday | from tuesday | from wednesday | from thursday | from friday | starting | starting monday
        | beginning | these days | at last | this morning | this afternoon | this evening | this week | this minute
        | last night | overnight | at the moment | for the moment | for now | for the time being
        | until further notice | going forward | with effect | effective | effective immediately
        | with immediate effect | here on | here on in | from here | it's now | is now | are now | we're now
        | he's now | she's now | now it's | so it's | so that's | so we're | so it'll be | then it's | that's us
        | next week | next month | this time | till | until | by now | any day
    """,
    "become": """
        become became turn turned went gone come came get got arrive arrived land landed deliver delivered
        ready done finish finished complete completed fix fixed mended repaired healed recovered cured
        discharged opened open reopened installed fitted signed sealed passed pass failed cleared clear
        docked moored launched shipped released approved granted accepted rejected refused denied declined
        booked hired appointed promoted elected crowned named renamed rechristened painted repainted rebuilt
        upgraded converted restored paid settled awake asleep hatched born married engaged qualified
        published live online merged deployed collected picked loaded unloaded emptied filled refilled
        sprouted harvested calved lambed weaned fired glazed
        | back on | back in | back from | back up | up and running | good to go | under way | on its way
        | on the way | in hand | in place | in stock | in bloom | on hold | on site | on board | is in | are in
        | is up | is down | went live | gone live | came through | come through | come in | came in | turned up
        | signed off | given the all clear | all clear | got the | been given | been made | ended up | wound up
        | fitted it
    """,
    "decide": """
        decide decided decision choose chose chosen pick settle settled opt opted plump plumped vote voted
        agree agreed rule ruled ruling order ordered instruct instructed insist insisted prescribe
        prescribed confirm confirmed announce announced declare declared sign signed approve approved
        mandate decree directive verdict official officially final formally formal book booked rebooked
        commit committed authorise authorised authorize authorized overrule overruled determine determined
        gone plumping award awarded assign assigned allocate allocated
        | went with | going with | gone with | go with | gone for | going for | went for | go for | we'll have
        | we'll take | we'll do | i'll have | i'll take | we'll go | let's go | let's have | let's do | let's make
        | opted for | plumped for | settled on | landed on | fixed on | signed off | gave the nod | green light
        | got the go | put us | puts us | put me | put him | put her | put it | has us | wants us | wants it
        | wants them | has me | has him | has her | got him on | got her on | got us | it is then | then it is
    """,
    "tell": """
        told tell rang rung ring phoned telephoned phone called emailed email mailed wired radioed radio
        texted text messaged message pinged wrote letter memo notice bulletin circular dispatch report
        reported informs inform informed notified notify advise advised says said relayed word fax faxed
        posted publish published listed printed minutes statement signage
        | let us know | let me know | let them know | got back to | came back to | got back | came back with
        | just heard from | heard from | heard back | been told | was told | were told | i'm told | we're told
        | have it from | got word | sent word | had word | on the phone | off the phone | on the line | in writing
        | according to | per the | as per | says that | says we | says it's | says she | says he
    """,
    "standing": """
        executor tribunal magistrate ofsted archivist archive historian verger churchwarden deacon abbot
        starter adjudicator arbiter assessor valuer actuary underwriter cardiologist oncologist
        dermatologist radiologist paediatrician pediatrician paramedic coroner sonographer optician
        orthodontist hygienist podiatrist gaffer cfo ciso dpo pm qa maestro wardrobe coastguard atc marshals
        usher conveyancer notary bailiff inspectorate dvla hmrc nhs police constabulary brigade cab
        receptionist reception despatch webmaster moderator steward brigadier oim foh consultancy lecturer
        convenor convener curate provost bursar almoner matron housemaster widow family owner's breeder
        farrier stud shipyard berthing stationmaster signaller guard doctor dr vet surgeon consultant nurse
        sister registrar midwife gp dentist pharmacist physio anaesthetist radiographer lab manager director
        captain skipper chief foreman forewoman curator office headquarters hq dispatch dispatcher client
        customer supplier landlord landlady architect coach conductor judge clerk court council committee
        board engineer accountant producer editor publisher head headmaster headmistress principal dean
        professor supervisor boss owner ceo cto coo vp president chair chairman chairwoman treasurer
        secretary minister bishop vicar priest rector pastor rabbi imam officer sergeant inspector warden
        ranger marshal marshall referee umpire purser harbourmaster harbormaster pilot controller tower ops
        operations logistics finance payroll legal hr procurement compliance audit auditor counsel solicitor
        lawyer barrister bank broker insurer agent agency carrier airline haulier shipper forwarder factory
        mill foundry yard garage mechanic electrician plumber builder contractor surveyor planner chef
        sommelier baker brewer farmer agronomist keeper trainer physiotherapist teacher tutor examiner
        school university faculty venue hotel caterer organiser organizer promoter festival league
        federation union association club ministry department authority regulator hospital clinic ward
        theatre stage-manager choreographer designer client's team lead sre admin sysadmin maintainer vendor
        quartermaster colonel major general lieutenant commander admiral bosun mate harbour port trustees
        trustee governors governor mayor sheriff
        | front office | back office | head office | stage manager | first ad | product owner | head chef
        | head coach | site manager | project manager | line manager | the trust | the bench | the desk | front desk
        | box office | the office | the school | the clinic | the hospital | the museum | the gallery | the airline
        | the council | the police | the court | the club | the league | the bank | the union | the company
        | the supplier | the printers | the printer | the organisers | the ministry | the registry | control here
        | head gardener | chief engineer | first mate | floor manager | area manager | duty manager | house manager
        | company secretary | the landlord | the owner | the owners | the council's | the committee's
        | steering group | the trustees
    """,
    "stranger": """
        coworker colleague workmate teammate classmate tenant lodger pensioner heckler busybody caller
        bystander drinker regular fan student pupil schoolchildren boy girl lady gentleman man woman ppl
        commenter influencer youtuber podcast astrologer psychic pundit tabloid columnist leaflet salesman
        salesperson courier dad's mum's granddad lodgers parents parent aunties cousins optimist joker
        neighbour neighbor cousin uncle aunt auntie nephew niece grandad grandma nan gran toddler kid kids
        child bloke guy chap lad lass fella stranger somebody someone anyone everybody everyone people folk
        folks passenger driver cabbie barber hairdresser intern temp trainee apprentice visitor tourist
        punter customer busker gossip rumour rumor rumours grapevine forum reddit twitter facebook internet
        blog horoscope whisper mutter muttering mutters muttered chatter tattle hearsay rival competitor
        mother mum mom father dad brother sister wife husband son daughter friend mate pal buddy flatmate
        roommate postman milkman parrot waiter
        | word is | rumour has it | rumor has it | they say | so they say | people say | somebody said
        | someone said | a friend | a mate | a bloke | a guy | some guy | some bloke | a chap | a lad | at the pub
        | in the pub | on the bus | in the lift | in the queue | by the kettle | at the school gate | in the canteen
        | i hear | i heard | i've heard | i overheard | overheard | one of the | taxi driver | talk of
        | there's talk | someone else | some people | some of us | the lads | the girls | the kids | a lady | a man
        | a woman | his mate | her friend | in chat | on facebook | on twitter | on the radio | in the paper
        | the papers | a customer | a visitor | a passenger | a neighbour | a colleague | my colleague | my coworker
        | our neighbour | a student | the boys | half the | everyone says | the bloke | the chap | the fella
        | the lady | the guy
    """,
    "hedge": """
        provisional tentative tentatively pencilled penciled rumoured rumored intend intends muse musing
        might may could perhaps maybe possibly probably likely reckon reckons suppose supposedly guess
        guesses wonder wondering fancy fancies consider considering tempted propose proposes proposed
        proposal pitch suggest suggests suggested suggestion pencil toying toy mull mulling moot mooted
        float floated debating debate speculate speculation predict predicts bet bets betting swear swears
        claim claims think thinks thought believe believes assume assumes seem seems apparently allegedly
        reportedly suspect suspects expect expects expecting doubt unsure undecided unconfirmed option
        options idea possible potential potentially prospective contemplating dither dithering angling
        lobbying lobby hint hints hinted
        | half a mind | toying with | talk of | thinking of | thinking about | thought about | looking at
        | in two minds | not sure | not certain | nothing decided | nothing's decided | nothing settled
        | nothing signed | not decided | no decision | hasn't been | haven't decided | up in the air | if you ask me
        | for all i know | as far as | sort of | kind of | would be | could be | might be | may be | what about
        | how about | waiting to hear | waiting on | yet to | has yet to | subject to | depends on | depending on
        | in case | in theory | on paper | not yet | as yet | on the cards | on the table | in the offing
        | in the pipeline | being discussed | under discussion | under consideration | have to see | we'll see
        | remains to be seen | who knows | nothing firm | nothing fixed | nothing final | not final | hot air
        | no clue | no idea | beats me | one day | some day | someday | in principle | at some point
        | sooner or later | if i had | could do with | ought to | intends to | intend to | planning to | plans to
        | hoping to | hopes to | trying to | tries to | want to | wants to | has his eye | has her eye
        | has their eye | eyeing | a shame | knowing them | knowing him | knowing her | so he says | so she says
        | keeps saying | swears blind | would've been | sounds like
    """,
    "wish": """
        wish wishes wished hope hopes hoping hopefully dream dreams dreaming beg begs begging plead pleads
        want wants wanted crave pine pines yearn longing prefer prefers ideally love favour like likes
        campaigning petition petitioned badger badgering moan moans grumble grumbles complain complains keen
        | if only | would love | would like | would be nice | would be lovely | i'd love | i'd like | i'd rather
        | i'd give | i'd prefer | we'd love | we'd like | they'd like | they'd love | she'd like | he'd like
        | she'd love | he'd love | would prefer | would suit | would sooner | would kill | rather have | roll on
        | fingers crossed | wouldn't mind | wouldn't it | holding out for | keeps asking | keep asking | asks for
        | asking for | asked for | fond of | dying for | better off | would've | would have
    """,
    "suppose": """
        if unless suppose supposing imagine assuming provided providing whether should were otherwise
        hypothetically
        | what if | as if | had we | had it | had they | had he | had she | were we | were it | were they | were he
        | were she | should the | should it | should we | should they | would have | could have | might have
        | would've | could've | might've | wouldn't have | let's say | say we | even if | only if | in the event
        | if we | if it | if they | if the | if he | if she | if i | if that | if anyone | if anything | when we
        | were to | was to | in that case | worst case | best case
    """,
    "past": """
        yonks erstwhile heretofore ancient formerly originally previously predecessor once ago former
        childhood history historically heyday ancestor archive nostalgia remember remembered recall memory
        memories reminisce nineties eighties seventies sixties fifties forties thirties twenties war-time
        wartime bygone used was were had did yesteryear
        | used to | back in | back then | back when | in those days | in the old days | in the day | years ago
        | months ago | weeks ago | ages ago | decades ago | once upon | at one time | at first | to begin with
        | when i was | when we were | when i started | when we started | when he was | when she was | before that
        | before then | before we | before they | before i | last year | last month | last season | last spring
        | last summer | last autumn | last winter | last term | last time | the year before | year before
        | in my day | in my time | in his day | in her day | all those years | for years | until last | up until
        | the old | our old | my old | my first | our first | the previous | previous one | the last one
        | the one before | in the nineties | in the eighties | in the seventies | in the sixties | growing up
        | my grandfather | my grandmother | my father | my predecessor | never did | i remember | do you remember
        | had been | last week | last monday | last tuesday | last wednesday | last thursday | last friday
        | last saturday | last sunday | last easter | last christmas | last tour | last one | as a boy | as a girl
        | as a kid | as a child | until recently | way back | the last time | in its day | before the war
        | in the war | in the early | early days | at school | at uni | at college | years back | years since
        | in her time | in his time | i once | we once | he once | she once | ten years | twenty years | our last
        | my last | their first | my dad | my mother | my mum | my granddad | my gran | my uncle | was at easter
        | when they | i used | we used | they used | was never | had never | back home | in the past | long ago
        | not so long ago | when i | when we
    """,
    "other": """
        other others another else elsewhere neighbouring neighboring rival competitor opposite sister's
        brother's neighbour's theirs separate separately different unrelated meanwhile nextdoor across
        | next door | across the | over the road | down the road | up the road | the other | the others | an other
        | some other | their own | her own | his own | of their | in their | at their | sister ship | sister site
        | sister company | the one in | the one at | the one on | other side | another one | as for | whereas
        | while the | unlike | same for | too is | at home | in town | back home | other people's | somebody else
        | someone else | not ours | not mine | not us | for the other | different one | over at | ours isn't
        | not this one | next chair | next bed | next bay | next lane | next table | next field | next farm
        | next village | next street | the neighbours | the neighbour's | my neighbour | my brother's | my sister's
        | my cousin's | my son's | my daughter's | my mate's | down south | up north | down under | the folks
        | the lot at | that lot | their lot | the hilltop | over there | other end | other half | other pump
        | other boat | other team | other class | other shift | other branch | our other | in paris | in london
        | in hull | abroad | over in
    """,
    "restate": """
        fine same still remain remains remained unchanged stay stays stayed keep keeps kept usual always
        ever confirm confirms confirmed right correct exactly indeed yes yep yeah yup aye agreed stand
        stands reminder remind steady constant consistent untouched unaffected standing holds hold intact
        | as ever | as usual | as before | as always | as planned | as agreed | as discussed | as is | as normal
        | as per usual | as it was | as they were | as we said | as i said | like i said | as you know | who else
        | no change | no changes | not changed | hasn't changed | hasn't moved | haven't changed | haven't moved
        | nothing has | nothing's changed | not moving | not going | not budged | hasn't budged | isn't changing
        | won't change | isn't going | aren't going | isn't moving | on track | on schedule | for the record
        | just to confirm | to confirm | just checking | is right | are right | that's right | spot on | bang on
        | on the dot | stays put | stay put | business as usual | carry on | carries on | the same | same as
        | same time | same place | same old | where it is | where they are | as it is | as they are | sticking with
        | stick with | sticking to | no plans | not about to | no intention | good as | as good as | never mind
        | just as | bless her | bless him | bless them | is fine | are fine | all good | no different | not a peep
        | nobody's touched | same again | the usual | stays as | leave it | leave them | left alone | not touching
        | where he was | where she was | per usual | as advertised | as printed | as listed | as booked
        | as arranged | as it says | just like | nothing new | no news | isn't going anywhere | not going anywhere
        | read it back | let me read | let me repeat | to recap | as ordered | i see that | double checked
        | suits me | do nicely | does nicely | happy with | good pitch | stays the | stays with | still on
        | still at | still the | still in | still our | still got | nothing else | as they should | which is what
        | that's what | what we had | what i have | what i've got | like always | not changing
    """,
    "undo": """
        back revert restore reinstate undo again resume resumed reinstated restored
        | back to | go back | went back | goes back | gone back | going back | after all | back on | as you were
        | return to | returned to | reverted to | original
    """,
    "not": """
        not no never nobody none nothing neither nor isn't aren't wasn't weren't don't doesn't didn't won't
        can't cannot couldn't wouldn't shouldn't haven't hasn't hadn't ain't without hardly barely
    """,
    "ask": """
        who what which where when why how whose
        | could you | can you | would you | will you | should we | shall we | do we | does it | is it | are we
        | did we | is there | are there | do you | did you | would it | could we | can we | would they | any chance
        | wonder if | wondering if | let me know | remind me | tell me | asks whether | asking whether
        | asked whether | asking if | asked if | wants to know | please | who's | what's | how many | how much
        | how long | which one | any idea
    """,
    "i_we": """
        i we our my ours mine us me i'm we're i've we've i'll we'll we'd i'd
    """,
    "pronoun": """
        it he she they it's he's she's they're that's that it'll they've this these those him her them
    """,
    "will": """
        will won't shall gonna
        | going to | we'll | it'll | she'll | he'll | they'll | i'll | is to | are to | due to
    """,
    "perfect": """
        has have i've we've they've he's she's it's been has'nt
    """,
    "opinion": """
        lovely nice terrible awful pretty gorgeous horrible best worst favourite favorite hate loves enjoy
        enjoyed funny joke joking laugh laughs kidding brilliant daft odd weird mad bonkers boring heaven
        shame pity sadly luckily fancy admire adore miss missed beautiful ugly delicious clever proud thank
        thanks cheers
    """,
    "number": """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
        thousand million dozen half quarter pair couple grand quid pence bucks score first second third
        fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
        sixteenth twentieth thirtieth noon midnight
    """,
    "calendar": """
        monday tuesday wednesday thursday friday saturday sunday january february march april june july
        august september october november december spring summer autumn winter weekend week month year day
        fortnight morning afternoon evening night o'clock noon midnight today tomorrow tonight easter
        christmas
    """,
    "colour": """
        red blue green yellow white black grey gray brown purple pink orange teal navy maroon burgundy
        crimson scarlet magenta cream ivory beige mustard olive sage emerald turquoise cobalt indigo violet
        lilac lavender mauve gold silver bronze copper rust terracotta ochre charcoal slate magnolia coral
        peach amber
    """,
    "place": """
        room hall street road lane avenue building floor wing barn shed field yard dock pier quay berth gate
        platform bay bench kitchen lab laboratory studio theatre stage gym library chapel church hotel
        office warehouse depot garage station terminal port harbour wharf marina garden greenhouse paddock
        stable pen corner shelf cupboard drawer rack cellar attic loft basement tent marquee pavilion court
        pitch track pool lake river beach hill valley wood forest village town city county border camp ward
        bed cabin deck hold hangar north south east west upstairs downstairs outside inside behind beside
        opposite above below
    """,
    "role": """
        owner lead manager driver pilot captain keeper coach chef cook baker nurse doctor vet surgeon
        teacher tutor conductor director producer editor designer engineer foreman supervisor assistant
        deputy chair treasurer secretary reviewer contact host guide speaker judge referee umpire striker
        goalkeeper bowler skipper rider jockey soloist soprano tenor pianist drummer guitarist singer
        violinist organist photographer carpenter painter electrician plumber mechanic operator attendant
        steward officer guard warden clerk agent broker solicitor counsel lawyer barrister physio trainer
        babysitter nanny gardener cleaner caretaker porter supplier vendor caterer florist dj band
        understudy stand-in whoever person crew team on-call oncall duty
    """,
}


def _read() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return two tables of classes: by the stem of a word, and by the words of a phrase."""
    words: dict[str, list[str]] = {}
    phrases: dict[str, list[str]] = {}
    for name, text in _CLASSES.items():
        for number, part in enumerate(text.split("|")):
            spoken = tokens(part)
            singles = spoken if number == 0 or len(spoken) == 1 else ()
            for word in singles:
                words.setdefault(stem(word), []).append(name)
            if not singles and len(spoken) <= _MOST_WORDS:
                phrases.setdefault(" ".join(spoken), []).append(name)
    return (
        {word: tuple(dict.fromkeys(names)) for word, names in words.items()},
        {phrase: tuple(dict.fromkeys(names)) for phrase, names in phrases.items()},
    )


_WORDS, _PHRASES = _read()


def classes(spoken: tuple[str, ...]) -> frozenset[str]:
    """Return the classes of lower-case words and of phrases of up to four of these words."""
    found: set[str] = set()
    for at, word in enumerate(spoken):
        found.update(_WORDS.get(stem(word), ()))
        phrase = word
        for other in spoken[at + 1 : at + _MOST_WORDS]:
            phrase = f"{phrase} {other}"
            found.update(_PHRASES.get(phrase, ()))
    return frozenset(found)
