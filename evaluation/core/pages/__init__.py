"""Reports for people: tables and charts as Markdown with SVG files, and as one self-contained HTML page."""
