"""The sections of a page of metrics, in order."""

# Metrics over the whole book come first; sections named "Candidates" are over rows that show a few lines instead.
HEADLINE = "Headline"
CITATIONS = "Citations"
TWINS = "Twins"
INSTRUCTIONS = "Instructions"
SELECTION = "Candidates: selection"
AUTHORITY = "Authority"
ABSTENTION = "Candidates: abstention"
ROBUSTNESS = "Candidates: robustness"
RETRIEVAL = "Lines found by the system"  # over whole-book rows whose predictions list the lines shown
SECTIONS = (HEADLINE, CITATIONS, TWINS, INSTRUCTIONS, RETRIEVAL, SELECTION, AUTHORITY, ABSTENTION, ROBUSTNESS)
