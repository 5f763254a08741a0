"""Long texts apart from the rows that ask about them: each stands once, in a file of documents.

    documents.jsonl.gz   {"id": "d3f9a0c1d27be", "book": "…"}             a line a text
    rows.jsonl.gz        {"id": "r81c2…", "document_id": "d3f9…", …}      a line a row, short

The documents stand in the order in which the rows first name them, so that a reader walks both files once, side by
side, with one text in memory. `form` says how a row and its text are parted and put together, `reader` reads them
together, `writer` parts rows as they are made, `beside` finds the documents of a file of rows.
"""
