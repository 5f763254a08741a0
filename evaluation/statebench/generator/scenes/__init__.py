"""A grammar of scenes: timelines whose templates are drawn, not written.

A *plot* is a sequence of abstract acts about a matter (`acts`). An oracle evaluates it (`oracle`) and gives the gold,
which is never written by hand. Every act whose removal leaves the gold unchanged is removed; the rest is the
*skeleton* (`skeletons`), and templates are plots with different skeletons, drawn track by track (`tracks`, `plots`).
A plot is told with a domain, names, values, phrasings and a span of time (`telling`, `vocabulary`, `phrases`,
`clock`), among unrelated talk up to a length (`noise`).
"""
