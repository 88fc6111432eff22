"""Percentiles, the machine, and where results are kept."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def percentiles(times_s: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99 and the worst, in milliseconds."""
    ordered = sorted(times_s)
    at = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES}
    return {name: round(value * 1000, 3) for name, value in {**at, "max": ordered[-1]}.items()}


def timed(work: Callable[[], object], times: int) -> list[float]:
    """How long each of several runs took, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    return {"cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}


def keep(name: str, result: dict[str, Any]) -> None:
    """Print a result and write it to the results folder."""
    text = json.dumps({"machine": machine(), **result}, indent=2, ensure_ascii=False)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(f"== {name}\n{text}")


_SHARES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
