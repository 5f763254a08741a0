"""What commands share: parsers without abbreviations, kinds of arguments, tables."""
