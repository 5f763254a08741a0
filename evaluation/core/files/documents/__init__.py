"""Store each long text once in a file of documents, apart from the rows with questions about the text.

    documents.jsonl.gz   {"id": "d3f9a0c1d27be", "book": "…"}             one line for each text
    rows.jsonl.gz        {"id": "r81c2…", "document_id": "d3f9…", …}      one short line for each row

Documents are in the order in which the rows first name them, so that both files can be read once, with one text in
memory. `form` splits and joins a row and its text, `reader` reads both files together, `writer` splits rows during
generation, `beside` finds the documents of a file of rows.
"""
