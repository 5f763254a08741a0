"""Formats of dates and times on pages, in mails and in the admin."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
