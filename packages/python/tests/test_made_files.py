"""Checks that generated files are up to date and that the wheel contains all files."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_made_files_are_fresh() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "generate.py", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_wheel_works_without_the_repository(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("veil_redact-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "veil_redact").rglob("*.py")}
    packed = {name for name in names if name.startswith("veil_redact/")}
    assert packed == {*sources, "veil_redact/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    program = "import veil_redact as v; print(v.__file__); from veil_redact._cli.main import main; main(['--version'])"
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [str(tmp_path / "site/veil_redact/__init__.py"), "veil-redact 0.1.0"]
