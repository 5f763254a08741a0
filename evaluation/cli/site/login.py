"""`goldevidencebench login`: store a token for a site."""

from __future__ import annotations

import argparse
import getpass
import sys

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.output import print_json
from evaluation.remote import options
from evaluation.remote.client import Client
from evaluation.remote.credentials import Credentials, path, server

HELP = "Store an API token for a site; the other commands use it."
configure = options.configure  # no option for the token: other users can see arguments


def run(args: argparse.Namespace) -> int:
    from evaluation.remote.records import Token

    url = server(args.server)
    token = _ask(f"Token (create one at {url}/account/tokens/): ")
    if not token:
        raise BenchmarkError("no token given")
    with Client(url, token) as client:
        current_token = client.get("/tokens/current", Token)
    known = Credentials.load()
    known.url = url
    known.tokens[url] = token
    known.save()
    if args.json:
        print_json({"url": url, **current_token.raw})
    else:
        print(
            f"signed in to {url} as {current_token.user} ({', '.join(current_token.scopes)}); token stored in {path()}"
        )
    return 0


def _ask(prompt: str) -> str:
    text = getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    return text.strip()
