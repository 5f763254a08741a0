"""A grammar of scenes: timelines whose templates are drawn at random instead of written by hand.

A *plot* is a sequence of abstract acts about a matter (`acts`). An oracle computes its gold answer (`oracle`). Acts
whose removal leaves the gold unchanged are removed. The remaining acts, without names and values, are the *skeleton*
(`skeletons`). Templates are plots with different skeletons, drawn track by track (`tracks`, `plots`). To become a
timeline, a plot gets names, values, phrasings and times (`telling`, `vocabulary`, `phrases`, `clock`). Unrelated talk
is added until the timeline has the requested length (`noise`).
"""
