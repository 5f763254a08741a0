"""Lists of words by topic. They relate a key ("curtain_up") to a turn with other words ("Doors at seven")."""

from __future__ import annotations

from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import stem, tokens

_TOPICS: dict[str, str] = {
    "begin": """
        start starts begin begins open opens opening kickoff kick doors curtain up go goes leave leaves depart
        departs departure sail sails sailing set off launch first commence commences whistle lift-off takeoff boards
        boarding check-in checkin pickup pick-up collection collect arrive arrives arrival eta due land lands
        landing dock docks pull-in show performance matinee service mass session lesson class lecture slot
        appointment booking reservation sitting meeting call huddle standup rehearsal training practice
    """,
    "end": """
        end ends finish finishes close closes closing shut until till expiry expires deadline due cutoff last orders
        curfew lights-out return returns back wrap wraps bedtime handover hand-in submission expire ends closing
    """,
    "price": """
        price cost costs fee fees rent charge charges charging rate fare toll quote quoted bid offer offered budget
        deposit fine bill salary wage pay pays paid tip entry ticket tickets admission asking sell sells sold bought
        buy spend worth sets knock discount premium tariff bursary grant pledge donation pot allowance float stake
        limit refund invoice bucks quid pounds dollars euros pence cheap dear each apiece head
    """,
    "size": """
        weight weighs weigh kilo kilos kg tonne tonnes stone pounds heavy load scales height tall depth deep length
        long width wide size big small measure measures measured metres feet inches acres litres gallon volume
        capacity holds dose mg ml milligrams grams cup spoon portion thick thickness gauge diameter
    """,
    "reading": """
        temperature degrees thermostat thermometer pressure bar psi voltage volts meter gauge reading reads level
        speed knots mph humidity moisture battery charge percent probe sensor dial barometer qnh ph brix signal
        telemetry tank fuel altitude output flow rate
    """,
    "count": """
        count number seats seat places guests covers crew headcount heads party staff team size quantity qty order
        boxes cases crates pairs copies tables rooms beds tickets attendees members entries entrants volunteers
        children kids ewes sheep cows hens goats horses players squad enrolled capacity how many quorum
    """,
    "where": """
        place location venue site room hall address office desk seat berth pier dock gate platform stop bay stand pen
        field paddock stable shed barn garage warehouse shelf cupboard drawer rack box locker bin store storage kept
        keeps lives sits parked moored meet meets meeting point held based ward bed lane pitch court track studio
        stage kitchen plot table tent hotel cabin lodging floor building wing port harbour mooring depot station
        parking route road way path trail exit entrance landing field enclosure hive tank aisle row court
    """,
    "route": """
        route road way path trail line bus tram train ferry flight bridge lane motorway exit detour diversion via
        through walk ride drive track tunnel pass junction avenue street
    """,
    "who": """
        owner lead leader manager driver pilot captain keeper coach chef cook baker nurse doctor vet surgeon teacher
        tutor conductor director producer editor engineer foreman supervisor assistant deputy chair treasurer secretary
        reviewer contact host guide speaker judge referee umpire striker goalkeeper bowler skipper rider jockey soloist
        sitter walker minder carer cover covers runs takes teaches leads plays drives chairs hosts covering charge
        looks handles minds minding keeps does responsible duty call shift rota desk cast understudy accompanist witness
        best man bridesmaid godparent partner co-pilot navigator helm foreperson foreman commander lifeguard lecturer
        supplier vendor sponsor buyer tenant lodger holder tester minutes minutes-taker opener closer
    """,
    "food": """
        soup starter main course dessert pudding menu dish special meal lunch dinner supper breakfast tea cake bread
        loaf flour sourdough sauce fish meat lamb beef pork chicken turbot cod hake salmon skate veg vegetables salad
        pie stew curry pasta rice potato potatoes leek beetroot tart cheese milk cream butter eggs egg fruit apple pear
        plum jam honey sugar salt herb filling topping flavour recipe oven chef kitchen market butcher fishmonger cook
        sandwich sandwiches pizza noodles snack canteen minestrone broth chowder roast grill
    """,
    "drink": """
        wine red white beer ale lager cider gin whisky coffee espresso roast beans tea water juice keg cask barrel brew
        yeast hops tap bar pint bottle cellar toast champagne fizz prosecco
    """,
    "music": """
        song hymn tune piece encore overture symphony sonata quartet choir organ piano violin cello guitar drum band
        orchestra concert gig set list setlist playlist key tempo pitch tuning solo soloist singer soprano tenor bass
        recital anthem march album track record dj dance
    """,
    "game": """
        match game team squad league cup final score goal striker keeper captain formation pitch court ref referee
        coach training race heat lane relay bowler batsman innings over kick bench kit shirt fixture opponent round
        draw quiz board chess puzzle
    """,
    "animal": """
        dog cat horse pony cow calf bull sheep ewe lamb ram goat kid pig sow hen hens chick duck goose hive bee bees
        queen swarm panda tiger lion otter parrot tortoise rabbit hamster fish vet stable stall pen paddock kennel
        cage enclosure feed hay litter leash shoe bit saddle groom farrier shear herd flock
    """,
    "boat": """
        boat ferry ship yacht barge dinghy kayak vessel crew skipper sail spinnaker helm mooring berth dock harbour
        marina quay pier tide buoy anchor cargo container port lifeboat engine propeller hull
    """,
    "vehicle": """
        car van lorry truck bus coach bike tractor minibus taxi cab engine tyre brake garage mot service fuel diesel
        petrol electric driver plate reg parked parking seats train tram plane jet helicopter drone shuttle
    """,
    "health": """
        dose dosage tablet pill medicine drug antibiotic injection jab vaccine surgery operation knee hip ward bed
        patient nurse doctor surgeon blood pressure pulse diet fasting allergy scan x-ray test result diagnosis therapy
        physio cast crutches discharge clinic appointment ointment dressing theatre anaesthetist
    """,
    "computer": """
        server database version release branch build deploy deployment host port api cluster region cloud dns domain
        provider framework library language queue cache schema password code repo staging prod production pipeline
        model dataset laptop printer router wifi network backup ticket bug patch alert pager on-call sprint feature flag
        rollout instance node vendor licence
    """,
    "law": """
        court judge jury juror trial plea verdict sentence hearing counsel solicitor witness bail charge count appeal
        case motion brief settlement contract clause party clerk foreman foreperson custody
    """,
    "house": """
        wall paint colour kitchen bathroom bedroom roof window door floor carpet tiles curtain sofa lamp heating boiler
        tank pipe plumber electrician builder roofer scaffold insulation fence gate garden lawn hedge shed loft brick
        concrete cement mix plaster timber oak slate felt worktop stove
    """,
    "grow": """
        seed seeds crop field harvest plant planting soil compost bed greenhouse plot tree hedge rose roses tomato
        wheat barley beans hops vines pinot grape orchard prune spray irrigation tractor weed turf pot
    """,
    "clothes": """
        dress suit tie costume uniform shirt kit hat coat boots shoes size colour black red white blue frock gown veil
        dress-code jacket wear wearing fitting hire shoe trousers
    """,
    "words": """
        title name called motto slogan theme topic subject motion text sermon reading story book chapter page word
        wording spelling label heading caption headline font language translation dialect script speech poem toast
        password code
    """,
    "weather": """
        rain snow wind storm fog frost sun dry wet hot cold forecast tide bucketing pouring soaked flooded mud drought
        thunder lightning ice icy gale sky cloud
    """,
    "doc": """
        form report paper draft contract minutes letter agenda chapter slides deck deadline review reviewer sign
        signature copy print printer edition cover font budget invoice file folder archive log ledger handover
    """,
    "sleep": """
        bed bedtime nap sleep asleep awake cot night hotel tent lodge bunk pillow
    """,
}


def _read() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, text in _TOPICS.items():
        for word in tokens(text):
            found.setdefault(stem(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


_OF_WORD = _read()


@memo
def topics(spoken: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*[_OF_WORD[word] for word in spoken if word in _OF_WORD])
