"""The sections of a page of figures, in their order."""

# Figures of the whole book come first; what names candidates is over the rows that show some instead of it.
HEADLINE = "Headline"
CITATIONS = "Citations"
TWINS = "Twins"
INSTRUCTIONS = "Instructions"
SELECTION = "Candidates: selection"
AUTHORITY = "Authority"
ABSTENTION = "Candidates: abstention"
ROBUSTNESS = "Candidates: robustness"
RETRIEVAL = "Own retrieval"  # over the whole-book rows whose predictions say what their answerer saw
SECTIONS = (
    HEADLINE,
    CITATIONS,
    TWINS,
    INSTRUCTIONS,
    RETRIEVAL,
    SELECTION,
    AUTHORITY,
    ABSTENTION,
    ROBUSTNESS,
)
