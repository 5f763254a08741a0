#!/usr/bin/env python
"""Django's command line for this site."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from leaderboard.accounts import acting
    from leaderboard.management.base import use_site_parser

    use_site_parser()
    try:
        with acting.by_command(sys.argv):
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # the operator corrects a setting: no traceback
        sys.exit(f"{error}")
