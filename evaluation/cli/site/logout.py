"""`goldevidencebench logout`: revoke the stored token of a site, and delete it."""

from __future__ import annotations

import argparse

from evaluation.core.terminal.output import print_json
from evaluation.remote import options
from evaluation.remote.client import Client, ClientError
from evaluation.remote.credentials import Credentials, server

HELP = "Revoke the stored token of a site, and delete it."
NOT_VALID = 401
configure = options.configure


def run(args: argparse.Namespace) -> int:
    """Delete the stored token, even if the site no longer accepts it."""
    url, known = server(args.server), Credentials.load()
    token = known.tokens.pop(url, "")
    if token:
        with Client(url, token) as client:
            try:
                client.delete("/tokens/current")
            except ClientError as error:
                if error.status != NOT_VALID:
                    raise
        known.save()
    if args.json:
        print_json({"url": url, "signed_out": bool(token)})
    else:
        print(f"signed out of {url}" if token else f"there is no token for {url}")
    return 0
