"""Results of a small language model over the demo's versions, made once by us and handed out with the source.

`systems` says what ran, `making` runs it (`make demo-models`), `folders` is the form of a run on disk, `loading` takes
runs onto the boards.
"""
