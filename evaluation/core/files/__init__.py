"""Files of rows and predictions. `version_files.open_version_files` opens them together."""
