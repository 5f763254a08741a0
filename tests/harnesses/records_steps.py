"""Readers of other projects check a site's descriptions of versions and results. Run in their own environment.

Nothing of the engine is imported: `mlcroissant`, `huggingface_hub` and `every_eval_ever` read a folder of downloads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mlcroissant
import yaml
from every_eval_ever.validator.validate import validate_file
from huggingface_hub._eval_results import eval_result_entries_to_yaml, parse_eval_result_entries
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results


def main() -> None:
    folder = Path(sys.argv[1])
    croissant(folder)
    hub(folder)
    records(folder)


def croissant(folder: Path) -> None:
    """Check that the description is valid without a warning, and its rows are those of the file that it names."""
    said = json.loads((folder / "croissant.json").read_text())
    (file,) = said["distribution"]
    file["contentUrl"] = file["@id"]  # the file beside it: no site answers here
    local = folder / "local.json"
    local.write_text(json.dumps(said))
    dataset = mlcroissant.Dataset(str(local))
    assert not dataset.metadata.issues.errors, dataset.metadata.issues.report()
    rows = list(dataset.records("rows"))
    print(
        f"mlcroissant: {len(rows)} rows of {sorted(rows[0])}, {len(dataset.metadata.issues.warnings)} warnings"
    )
    for warning in dataset.metadata.issues.warnings:
        print(f"  {warning}")


def hub(folder: Path) -> None:
    """Check that both forms of a result survive the library's own reading and writing."""
    entries: Any = yaml.safe_load((folder / "eval_results.yaml").read_text())
    assert eval_result_entries_to_yaml(parse_eval_result_entries(entries)) == entries
    index = yaml.safe_load((folder / "model-index.yaml").read_text())["model-index"]
    name, results = model_index_to_eval_results(index)
    assert eval_results_to_model_index(name, results) == index
    print(f"huggingface_hub: {entries[0]['value']} of {entries[0]['dataset']['id']}, {name}")


def records(folder: Path) -> None:
    """Check that each record of the zip is valid at its place."""
    for path in sorted((folder / "records").rglob("*.json")):
        report = validate_file(path, repo_path=path.relative_to(folder / "records").as_posix())
        print(f"every_eval_ever: {path.name} valid={report.valid} {report.errors} {report.warnings}")
        assert report.valid, report.errors
        assert not report.warnings, report.warnings


if __name__ == "__main__":
    main()
