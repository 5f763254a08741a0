"""`goldevidencebench model-check`: show the metadata of a model file, and run a smoke test."""

from __future__ import annotations

import argparse

from evaluation.adapters.llama import model_file
from evaluation.adapters.llama.smoke import smoke_test
from evaluation.core.terminal.output import print_json

HELP = "Show the metadata of a GGUF file, and test that the model knows English and its chat template works."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a GGUF file")
    parser.add_argument(
        "--threads", type=int, default=0, metavar="N", help="number of threads (default: all cores)"
    )


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if the model file has no problem, 1 if it has problems, which are printed."""
    file = model_file.inspect(args.file)
    tested = smoke_test(args.file, threads=args.threads)
    if args.json:
        print_json({"file": file.as_dict(), "card": dict(file.card), "test": tested.as_dict()})
        return 0 if tested.passed else 1
    facts = {
        "name": file.name,
        "architecture": file.architecture,
        "quantization": file.quantization,
        "parameters": f"{file.parameters:,}",
        "context": f"{file.context:,} tokens" if file.context else None,
        "sha256": file.sha256,
    }
    for name, text in (facts | dict(file.card)).items():
        if text:
            print(f"{name.replace('_', ' '):>14}  {text}")
    for sentence in tested.sentences():
        print(sentence)
    print("\n".join(tested.doubts) if tested.doubts else "No problem found with this model.")
    return 0 if tested.passed else 1
