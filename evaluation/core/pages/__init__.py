"""Reports for people: tables and charts as Markdown with SVG files, and as one HTML page that needs nothing else."""
