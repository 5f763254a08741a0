"""What commands share: parsers without abbreviations, kinds of arguments, tables; and numbers with their words."""
