"""Update the lists of names, all or those named: `python -m tests.interface [addresses api …]`."""

from __future__ import annotations

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

if __name__ == "__main__":
    django.setup()
    from tests.interface.lists import LISTS, write

    for name in sys.argv[1:] or LISTS:
        write(name)
