"""Writes the generated files: models and parameters from openapi.json, and the sync client from the async one.

`python scripts/generate.py` writes them; with `--check` it lists stale files and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "veil_redact"
DOCUMENT = ROOT.parent.parent / "openapi.json"

OF_REQUESTS = ("Upload", "UploadByUrl", "UploadById", "Revision")
NAMES = {
    "Error": "ErrorBody",
    "Error1": "ErrorInformation",
    "Images": "ImageUsage",
    "VideoMinutes": "VideoUsage",
    "Service": "ReportedService",
    "Media1": "ReportedMedia",
    "Request": "ReportedRequest",
    "Model": "ReportedModel",
    "Version": "ReportedVersion",
    "Mask": "ReportedMask",
    "LeftOpenItem": "ReportedLeftOpen",
    "SoundItem": "ReportedSound",
    "Verification": "ReportedVerification",
    "Review": "ReportedReview",
}
GENERATOR_OPTIONS = (
    "--input-file-type=openapi",
    "--target-python-version=3.10",
    "--use-standard-collections",
    "--use-union-operator",
    "--enum-field-as-literal=all",
    "--use-schema-description",
    "--use-field-description",
    "--use-single-line-docstring",
    "--use-double-quotes",
    "--disable-timestamp",
    "--type-mappings=uuid=string",
    "--type-mappings=uri=string",
    "--formatters=builtin",
    "--custom-file-header=# Made from openapi.json by scripts/generate.py; change nothing here.",
)

# Names in the async client and their replacements in the sync one.
SYNC = (
    (r"async_sleep", "sleep"),
    (r"async_(save|open_download)", r"\1"),
    (r"async_in_thread", "call_directly"),
    (r"AsyncClient", "Client"),
    (r"AsyncUpload", "Upload"),
    (r"AsyncIterator", "Iterator"),
    (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"AsyncGenerator", "Generator"),
    (r"AsyncContextManager", "ContextManager"),
    (r"Async([A-Z]\w+)", r"\1"),
    (r"asynccontextmanager", "contextmanager"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"aclosing", "closing"),
    (r"aclose", "close"),
    (r"aiter_bytes", "iter_bytes"),
    (r"__aiter__", "__iter__"),
    (r"__anext__", "__next__"),
    (r"\banext\b", "next"),
    (r"StopAsyncIteration", "StopIteration"),
    (r"\b_async\b", "_sync"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
)


def models() -> str:
    """The types of answers and events: frozen dataclasses."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    schemas = {name: one for name, one in document["components"]["schemas"].items() if name not in OF_REQUESTS}
    # Types that regions and detections share are generated once.
    reference = "#/components/schemas/"
    region, detection = schemas["Region"]["properties"], schemas["Detection"]["properties"]
    schemas["Keyframe"] = detection["keyframes"]["items"]
    for shape in (region, detection):
        shape["keyframes"]["items"] = {"$ref": f"{reference}Keyframe"}
    mask = schemas["Report"]["properties"]["masks"]["items"]["properties"]
    mask["keyframes"]["items"] = {"$ref": f"{reference}Keyframe"}
    region["box"] = {"$ref": f"{reference}Box"}
    region["category"] = {"$ref": f"{reference}RedactionCategory"}
    region["polygon"]["items"] = detection["polygon"]["items"]
    for request in (schemas["IncludedRequest"], schemas["Report"]["properties"]["request"]):
        thresholds = request["properties"]["min_confidence"]["anyOf"][1]
        thresholds["additionalProperties"] = {"type": "number"}
        del thresholds["properties"]
    return generate(
        schemas,
        "--output-model-type=dataclasses.dataclass",
        "--frozen-dataclasses",
        "--keyword-only",
        "--output-datetime-class=datetime",
        f"--model-name-map={json.dumps(NAMES)}",
    )


def params() -> str:
    """The types of request values: typed dictionaries."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    upload = schemas["Upload"]["properties"]
    region = schemas["Region"]
    box = region["properties"]["box"]
    keyframe = region["properties"]["keyframes"]["items"]
    keyframe["properties"]["box"] = {"$ref": "#/components/schemas/BoxParam"}
    region["properties"]["box"] = {"$ref": "#/components/schemas/BoxParam"}
    region["properties"]["keyframes"]["items"] = {"$ref": "#/components/schemas/KeyframeParam"}
    region["properties"]["category"] = {"$ref": "#/components/schemas/Category"}
    # A corner is x and y, as a list or a tuple.
    region["properties"]["polygon"]["items"] = {"$ref": "#/components/schemas/Corner"}
    wanted = {
        "Category": {"type": "string", "enum": schemas["RedactionCategory"]["enum"]},
        "Corner": {"type": "array", "items": {"type": "number"}},
        "Sensitivity": {"type": "string", "enum": upload["sensitivity"]["enum"]},
        "Audio": {"type": "string", "enum": upload["audio"]["enum"]},
        "BoxParam": {**box, "description": schemas["Box"]["description"]},
        "KeyframeParam": keyframe,
        "RegionParam": region,
        "MuteRangeParam": schemas["MuteRange"],
    }
    for schema in wanted.values():
        # A closed dictionary would require a recent version of typing_extensions.
        schema.pop("additionalProperties", None)
    return generate(wanted, "--output-model-type=typing.TypedDict", "--use-generic-container-types")


def generate(schemas: dict[str, Any], *options: str) -> str:
    """The Python code of some schemas from datamodel-code-generator, formatted by ruff."""
    document = {"openapi": "3.1.0", "info": {"title": "Veil", "version": "1.0.0"}, "paths": {}}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "document.json"), Path(folder, "made.py")
        source.write_text(json.dumps({**document, "components": {"schemas": schemas}}), encoding="utf-8")
        command = ["-m", "datamodel_code_generator", f"--input={source}", f"--output={target}"]
        subprocess.run([sys.executable, *command, *GENERATOR_OPTIONS, *options], check=True, cwd=folder)
        return formatted(target.read_text(encoding="utf-8"))


def sync_of(source: str) -> str:
    """The sync version of an async module: the same lines without `await`."""
    for pattern, replacement in SYNC:
        source = re.sub(pattern, replacement, source)
    return formatted("# Made from ../_async by scripts/generate.py; change nothing here.\n\n" + source)


def formatted(source: str) -> str:
    """The text, formatted and sorted by ruff."""
    for command in (["check", "--select=I,UP", "--fix", "--quiet", "--exit-zero"], ["format"]):
        path = str(PACKAGE / "made.py")
        ruff = [sys.executable, "-m", "ruff", *command, f"--config={ROOT / 'pyproject.toml'}"]
        done = subprocess.run(
            [*ruff, f"--stdin-filename={path}", "-"], input=source, capture_output=True, text=True, check=True
        )
        source = done.stdout
    return source


def main() -> int:
    """Writes or checks every generated file. Returns 1 if one is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    is_check: bool = parser.parse_args().check
    made = {PACKAGE / "models.py": models(), PACKAGE / "params.py": params()}
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        made[PACKAGE / "_sync" / path.name] = sync_of(path.read_text(encoding="utf-8"))
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'Stale' if is_check else 'Written'}: {path.relative_to(ROOT)}")
        if not is_check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
