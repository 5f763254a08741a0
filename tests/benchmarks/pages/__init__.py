"""How fast the site's pages are in a browser."""
