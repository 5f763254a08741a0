"""A grammar of scenes: timelines whose templates are drawn at random instead of written by hand.

A *plot* is a sequence of abstract acts about a matter (`acts`). An oracle computes its gold answer (`oracle`). Acts
whose removal leaves the gold unchanged are removed. The remaining acts, without names and values, are the *skeleton*
(`skeletons`). Templates are plots with different skeletons, drawn track by track (`tracks`, `plots`). A plot is told
with a domain, names, values, phrasings and a span of time (`telling`, `vocabulary`, `phrases`, `clock`), among
unrelated talk up to a length (`noise`).
"""
