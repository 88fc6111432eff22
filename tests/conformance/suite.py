"""The official conformance suite of MCP: installed by npm into a folder that git ignores, and run on a service.

`python -m tests.conformance.suite` runs all of it, on the service as it is and with the suite's fixtures, and prints
what passed.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.conformance.fixtures import service_with_fixtures
from tests.service_for_tests import running_service, served
from wherefrom.api import Store
from wherefrom.interfaces.http.app import Options

_HERE: Final = Path(__file__).parent
_INSTALLED: Final = _HERE.parent.parent / ".conformance"
_INSTALL_SECONDS: Final = 170
_RUN_SECONDS: Final = 120
# What each release of the suite is told to run.
ERAS: Final = {"handshake": ("--suite", "all"), "stateless": ("--requirements", "2026-07-28")}
APPS: Final = ("real", "fixtures")


class Unavailable(Exception):
    """The suite cannot be installed here; says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of the suite has shown: the checks of each scenario by their status, and what the suite printed."""

    scenarios: dict[str, Counter[str]]
    exit_code: int
    printed: str

    def named(self, *statuses: str) -> set[str]:
        """The scenarios with a check of one of these statuses."""
        return {name for name, checks in self.scenarios.items() if any(checks[status] for status in statuses)}

    @property
    def passed(self) -> set[str]:
        """The scenarios that have tested something, and found nothing wrong."""
        return self.named("SUCCESS") - self.named("FAILURE", "WARNING")

    def count(self, status: str) -> int:
        """The checks with a status, of all scenarios."""
        return sum(checks[status] for checks in self.scenarios.values())


def install() -> Path:
    """The folder with the suite's packages, installed unless they are there already."""
    npm, wanted = shutil.which("npm"), (_HERE / "package.json").read_text(encoding="utf-8")
    _INSTALLED.mkdir(exist_ok=True)
    with (_INSTALLED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = _INSTALLED / "installed.json"
        if done.exists() and done.read_text(encoding="utf-8") == wanted:
            return _INSTALLED / "node_modules"
        if npm is None:
            raise Unavailable("the conformance suite needs npm")
        (_INSTALLED / "package.json").write_text(wanted, encoding="utf-8")
        # A lock file would name the registry that this machine uses.
        command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund"]
        try:
            process = subprocess.run(
                command, cwd=_INSTALLED, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"npm did not install the conformance suite within {_INSTALL_SECONDS} s") from None
        if process.returncode:
            raise Unavailable(f"npm does not install the conformance suite: {process.stderr.strip()[-500:]}")
        done.write_text(wanted, encoding="utf-8")
    return _INSTALLED / "node_modules"


def not_applicable(era: str, app: str) -> set[str]:
    """The scenarios of which all or some checks do not apply."""
    read: dict[str, list[str]] = yaml.safe_load(baseline(era, app).read_text(encoding="utf-8"))
    return {name.partition(":")[0] for name in read["server"]}


def baseline(era: str, app: str) -> Path:
    """The file that says which scenarios do not apply, and why."""
    return _HERE / f"{era}-{app}.yml"


def run(era: str, app: str, base: str) -> Outcome:
    """Run the release of the suite for an era on the service at an address."""
    packages = install()
    with tempfile.TemporaryDirectory(prefix="wherefrom-conformance-") as folder:
        program = packages / f"conformance-{era}" / "dist" / "index.js"
        command = [packages / ".bin" / "node", program, "server", "--url", f"{base}/mcp", *ERAS[era]]
        command += ["--expected-failures", baseline(era, app), "--output-dir", folder]
        process = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_RUN_SECONDS, check=False
        )
        scenarios = dict(map(_scenario, sorted(Path(folder).glob("server-*/checks.json"))))
    return Outcome(scenarios, process.returncode, process.stdout.partition("=== SUMMARY ===")[2] or process.stdout)


def _scenario(file: Path) -> tuple[str, Counter[str]]:
    """The name of a scenario, whose folder has a date behind it, and how many of its checks have which status."""
    checks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    name = file.parent.name.removeprefix("server-")
    return name[: -len("-2026-01-01T00-00-00-000Z")], Counter(check["status"] for check in checks)


@contextmanager
def running(app: str, url: str, *options: str) -> Iterator[str]:
    """The address of the service as `wherefrom serve` starts it, or of one with the fixtures, without keys."""
    if app == "real":
        with running_service(url, *options) as base:
            yield base
    else:
        with Store.open(url) as store, served(service_with_fixtures(store, Options()).app()) as base:
            yield base


def main() -> int:
    """Print a table of what passes; the exit code is that of the worst run."""
    worst = 0
    _print(f"{'app':10}{'era':11}{'scenarios passed':>18}{'not applicable':>16}{'checks passed':>15}{'warnings':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for app in APPS:
            with running(app, f"{folder}/{app}.db") as base:
                for era in ERAS:
                    outcome = run(era, app, base)
                    passed, rest = len(outcome.passed), len(outcome.scenarios) - len(outcome.passed)
                    _print(
                        f"{app:10}{era:11}{passed:18}{rest:16}"
                        f"{outcome.count('SUCCESS'):15}{outcome.count('WARNING'):10}"
                    )
                    if outcome.exit_code:
                        _print(outcome.printed)
                    worst = max(worst, outcome.exit_code)
    return worst


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
