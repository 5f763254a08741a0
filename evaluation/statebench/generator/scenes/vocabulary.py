"""Word lists of the scenes: names, domains, nouns of slots, and their values."""

from __future__ import annotations

from typing import NamedTuple

FIRST_NAMES = tuple(
    """
    Abena Adil Agnes Akira Alba Amara Anouk Anselm Arjun Astrid Basil Bastian Beatriz Bilal Birgit Bruno Callum Carmen
    Chiara Cyrus Dagny Dalia Darius Dmitri Edda Elif Emeka Enzo Esther Farid Fatou Felix Fiona Gideon Giulia Greta Gus
    Hana Hari Hedda Hugo Ida Idris Ilse Ines Ivo Jamal Jana Joon Jorge Kamil Katya Keiko Kofi Lars Leila Lidia Luis
    Maeve Malik Marta Mateo Milan Mina Nadia Nils Noor Oskar Paola Pavel Petra Quentin Rafa Rania Remy Rosa Sanjay
    Selma Silas Sofia Sunil Tamar Tariq Tess Theo Uma Vera Viktor Wanda Wim Xenia Yara Yusuf Zara Zoltan
    """.split()
)
LAST_NAMES = tuple(
    """
    Abreu Adler Aksoy Albrecht Amato Arendt Baptiste Barnes Becker Bello Bergman Bianchi Boateng Brandt Cabral Castell
    Chandra Clarke Costa Dahl Danso Delgado Dietz Dorn Ekström Engel Eriksen Falk Farouk Fischer Flores Fontaine Gallo
    Garrido Gupta Haddad Hale Hansen Herrera Hoffmann Iqbal Ivanov Jansen Jimenez Kaplan Keller Khan Kimura Koenig
    Kovacs Kumar Lange Larsen Leclerc Lindgren Lopes Maier Marchetti Mensah Molnar Moreau Nakata Navarro Nowak Novak
    Oduya Okafor Olsen Ortega Park Petrov Pires Quiroga Rahman Reed Reyes Rossi Sahin Santos Schuster Sharma Silva
    Sorensen Stein Suzuki Tanaka Torres Ueda Vargas Vogel Wagner Weiss Wexler Yilmaz Zamora Zeller Zhang
    """.split()
)
CODE_NAMES = tuple(
    """
    Acorn Alder Amber Anchor Arbor Aspen Aurora Badger Bamboo Basalt Beacon Birch Bluff Bramble Brook Canyon Cedar
    Cinder Clover Cobalt Comet Condor Copper Coral Cormorant Cove Crane Delta Dune Eagle Echo Elm Ember Falcon Fern
    Finch Fjord Flint Garnet Glacier Granite Grove Harbor Hazel Heron Holly Indigo Iris Island Ivory Jade Jasper
    Juniper Kestrel Lagoon Lantern Lark Larkspur Laurel Ledge Linden Lotus Lynx Magnet Maple Marlin Meadow Mesa Mill
    Mimosa Mistral Moor Moss Nectar Nimbus Oasis Ocean Olive Onyx Opal Orchid Osprey Otter Oxbow Pebble Pelican
    Pepper Pine Plover Poplar Prairie Quarry Quartz Quill Raven Reef Ridge Robin Rowan Saffron Sage Sable Sequoia Shale
    Sienna Slate Sparrow Spruce Sterling Summit Sycamore Tamarack Tarn Teal Thicket Thistle Timber Topaz Tundra Umber
    Valley Velvet Verbena Vesper Violet Walnut Warbler Willow Wren Yarrow Zenith Zephyr
    """.split()
)
MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)


class Noun(NamedTuple):
    """A noun for slots ("the budget of"), with the kind and unit of its values."""

    text: str
    kind: str
    unit: str = ""


class Domain(NamedTuple):
    objects: tuple[str, ...]
    titles: tuple[str, ...]  # of owners
    quantities: tuple[Noun, ...]
    readings: tuple[Noun, ...]
    caps: tuple[str, ...]
    approvals: tuple[str, ...]
    gates: tuple[str, ...]
    deeds: tuple[str, ...]


MONEY, DATE, PERSON, PERCENT, COUNT, DURATION, PLACE = (
    "money",
    "date",
    "person",
    "percent",
    "count",
    "duration",
    "place",
)

DOMAINS: dict[str, Domain] = {
    "construction": Domain(
        ("the {} site", "the {} bridge", "the {} tower"),
        ("Site Manager", "Project Manager", "Construction Director"),
        (
            Noun("the budget of", MONEY),
            Noun("the handover date of", DATE),
            Noun("the foreman of", PERSON),
            Noun("the retention share of", PERCENT),
            Noun("the crew size of", COUNT, "workers"),
            Noun("the curing time of", DURATION, "days"),
        ),
        (Noun("the water level at", COUNT, "centimetres"), Noun("the wind speed at", COUNT, "knots")),
        ("the spending ceiling of", "the most that may leave the account of", "the outlay limit of"),
        ("the crane hire for", "the night shift at", "the road closure at"),
        ("the north ramp of", "the access road of"),
        ("repaint the railing of", "replace the pumps of", "clear the yard of"),
    ),
    "clinic": Domain(
        ("the {} ward", "the {} practice", "the {} unit"),
        ("Ward Manager", "Practice Manager", "Medical Director"),
        (
            Noun("the training budget of", MONEY),
            Noun("the inspection date of", DATE),
            Noun("the head nurse of", PERSON),
            Noun("the target occupancy of", PERCENT),
            Noun("the bed count of", COUNT, "beds"),
            Noun("the observation period of", DURATION, "hours"),
            Noun("the meeting place of", PLACE),
        ),
        (Noun("the humidity in", PERCENT), Noun("the queue at", COUNT, "patients")),
        ("the purchase limit of", "the most that may be ordered for", "the spending cap of"),
        ("the overtime plan for", "the visitor hours of", "the equipment loan to"),
        ("the side entrance of", "the ambulance bay of"),
        ("restock the cabinet of", "service the monitors of", "rewrite the roster of"),
    ),
    "logistics": Domain(
        ("the {} depot", "the {} line", "the {} terminal"),
        ("Depot Manager", "Fleet Manager", "Operations Director"),
        (
            Noun("the freight rate of", MONEY),
            Noun("the departure date of", DATE),
            Noun("the dispatcher of", PERSON),
            Noun("the fuel surcharge of", PERCENT),
            Noun("the pallet quota of", COUNT, "pallets"),
            Noun("the storage term of", DURATION, "days"),
            Noun("the loading point of", PLACE),
        ),
        (Noun("the fill level of", PERCENT), Noun("the backlog at", COUNT, "trucks")),
        ("the repair allowance of", "the most that may be charged to", "the toll limit of"),
        ("the weekend run of", "the subcontract for", "the detour of"),
        ("the weighbridge of", "the east gate of"),
        ("return the crates of", "mend the fence of", "deliver the spare tyres to"),
    ),
    "school": Domain(
        ("the {} school", "the {} campus", "the {} course"),
        ("Head of School", "Programme Manager", "Academic Director"),
        (
            Noun("the excursion fund of", MONEY),
            Noun("the enrolment deadline of", DATE),
            Noun("the class tutor of", PERSON),
            Noun("the pass mark of", PERCENT),
            Noun("the seat limit of", COUNT, "seats"),
            Noun("the exam length of", DURATION, "minutes"),
            Noun("the assembly room of", PLACE),
        ),
        (Noun("the temperature in the hall of", COUNT, "degrees"), Noun("the attendance of", PERCENT)),
        ("the book allowance of", "the most that may be spent by", "the excursion cap of"),
        ("the field trip of", "the extra lessons at", "the evening opening of"),
        ("the sports hall of", "the rear door of"),
        ("tune the piano of", "mark the essays of", "translate the handbook of"),
    ),
    "catering": Domain(
        ("the {} kitchen", "the {} banquet", "the {} cafe"),
        ("Kitchen Manager", "Event Manager", "Catering Director"),
        (
            Noun("the menu price of", MONEY),
            Noun("the tasting date of", DATE),
            Noun("the chef of", PERSON),
            Noun("the deposit share of", PERCENT),
            Noun("the guest count of", COUNT, "guests"),
            Noun("the proving time at", DURATION, "hours"),
            Noun("the serving place of", PLACE),
        ),
        (Noun("the temperature in the cold room of", COUNT, "degrees"), Noun("the stock level of", PERCENT)),
        ("the wine allowance of", "the most that may go on supplies for", "the ordering limit of"),
        ("the live music at", "the late service at", "the terrace seating of"),
        ("the service lift of", "the delivery hatch of"),
        ("polish the copper of", "sharpen the knives of", "wash the linen of"),
    ),
    "software": Domain(
        ("the {} service", "the {} platform", "the {} release"),
        ("Product Manager", "Engineering Manager", "Technical Director"),
        (
            Noun("the licence fee of", MONEY),
            Noun("the launch date of", DATE),
            Noun("the maintainer of", PERSON),
            Noun("the rollout share of", PERCENT),
            Noun("the user limit of", COUNT, "users"),
            Noun("the retention period of", DURATION, "weeks"),
        ),
        (Noun("the disk use of", PERCENT), Noun("the open connections of", COUNT, "connections")),
        ("the hosting cap of", "the most that may be billed to", "the cloud allowance of"),
        ("the schema change of", "the beta access to", "the traffic switch of"),
        ("the staging entrance to", "the upload endpoint of"),
        ("document the interface of", "rotate the keys of", "migrate the logs of"),
    ),
    "laboratory": Domain(
        ("the {} study", "the {} lab", "the {} assay"),
        ("Lab Manager", "Study Manager", "Research Director"),
        (
            Noun("the grant share of", MONEY),
            Noun("the readout date of", DATE),
            Noun("the lead analyst of", PERSON),
            Noun("the dropout threshold of", PERCENT),
            Noun("the sample size of", COUNT, "samples"),
            Noun("the incubation time of", DURATION, "hours"),
            Noun("the storage place of", PLACE),
        ),
        (Noun("the oxygen level in", PERCENT), Noun("the freezer temperature of", COUNT, "kelvin")),
        ("the reagent allowance of", "the most that may be drawn for", "the equipment limit of"),
        ("the second cohort of", "the protocol change of", "the data release of"),
        ("the clean room of", "the sample lock of"),
        ("calibrate the scales of", "label the vials of", "archive the records of"),
    ),
    "housing": Domain(
        ("the {} house", "the {} estate", "the {} block"),
        ("Property Manager", "Estate Manager", "Housing Director"),
        (
            Noun("the repair fund of", MONEY),
            Noun("the viewing date of", DATE),
            Noun("the caretaker of", PERSON),
            Noun("the rent increase of", PERCENT),
            Noun("the key count of", COUNT, "keys"),
            Noun("the notice period of", DURATION, "weeks"),
            Noun("the bin store of", PLACE),
        ),
        (Noun("the tank level of", PERCENT), Noun("the boiler temperature of", COUNT, "degrees")),
        ("the garden allowance of", "the most that may be paid out for", "the repair cap of"),
        ("the roof works at", "the sublet of", "the tree felling at"),
        ("the cellar door of", "the car park of"),
        ("unblock the drains of", "paint the staircase of", "prune the hedge of"),
    ),
}
#: Derived slots and their bases, in any domain.
DERIVED = (
    Noun("the quote for", MONEY),
    Noun("the staffing plan of", COUNT, "shifts"),
    Noun("the fee for", MONEY),
)
DERIVED_APPROVALS = ("the order for", "the contract of", "the schedule of")
BASES = (
    Noun("the unit price of", MONEY),
    Noun("the floor area of", COUNT, "square metres"),
    Noun("the risk rating of", PERCENT),
)
PROMISES = (
    Noun("the delivery date promised for", DATE),
    Noun("the price promised for", MONEY),
    Noun("the number of visits promised for", COUNT, "visits"),
    Noun("the warranty promised for", DURATION, "months"),
)
PLACES = ("Room", "Bay", "Hall", "Dock", "Shelf", "Annex")
#: (condition, statement that it is met)
CONDITIONS = (
    ("the permit for {object} comes through", "The permit for {object} has come through."),
    ("the second survey of {object} is clean", "The second survey of {object} is clean."),
    ("the insurer of {object} agrees", "The insurer of {object} agrees."),
    ("the spare part for {object} arrives", "The spare part for {object} has arrived."),
)
#: Words for 0 and 1 of a matter.
LABELS = {
    "approval": ("refused", "approved"),
    "derived approval": ("refused", "approved"),
    "gate": ("closed", "open"),
    "bound": ("off", "binding"),
    "kept": ("broken", "kept"),
}
SENIOR_TITLES = ("CFO", "COO", "CEO", "Executive")
PEER_TITLES = ("Team Lead", "Shift Lead", "Group Lead")
GUEST_TITLES = ("Intern", "Vendor", "Trainee")
OTHER_TITLES = ("Clerk", "Assistant", "Planner", "Driver", "Technician", "Buyer", "Receptionist")
DELEGATE_TITLES = ("Coordinator", "Planner", "Specialist")
