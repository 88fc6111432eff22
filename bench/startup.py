"""How long a client waits for `initialize`: our server against an empty one of the same SDK, in turns.

python -m bench.startup
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench import stores
from bench.measure import keep

EMPTY = """
from mcp.server import MCPServer
MCPServer("empty").run()
"""
HEAVY = ("numpy", "scipy", "faiss", "torch", "tokenizers", "safetensors", "psycopg", "onnxruntime")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
AFTER_START = f"""
import sys
from wherefrom.interfaces.mcp import server
server.serve_stdio = lambda opener, **given: server.build(opener, **given)
print([name for name in {HEAVY!r} if name in sys.modules])
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=10)
    given = options.parse_args()
    with stores.sqlite() as path:
        commands = {
            "empty": [sys.executable, "-c", EMPTY],
            "wherefrom": [sys.executable, "-m", "wherefrom", "mcp", "--db", path],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        memory_mb = 0.0
        for _ in range(given.times):
            for name, command in commands.items():
                seconds, resident = initialize(command)
                taken[name].append(seconds)
                memory_mb = max(memory_mb, resident) if name == "wherefrom" else memory_mb
    medians = {name: statistics.median(times) for name, times in taken.items()}
    heavy = subprocess.run([sys.executable, "-c", AFTER_START], capture_output=True, text=True, check=True)
    keep(
        "startup",
        {
            "initialize_ms": {name: round(value * 1000) for name, value in medians.items()},
            "ratio": round(medians["wherefrom"] / medians["empty"], 3),
            "resident_mb": round(memory_mb, 1),
            "heavy_modules_imported": heavy.stdout.strip(),
        },
    )


def initialize(command: list[str]) -> tuple[float, float]:
    """Seconds from process start to the answer, and the resident megabytes then."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        seconds = time.perf_counter() - start
        assert answer["result"]["serverInfo"]
        resident = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6
        process.stdin.close()
        process.wait(10)
    return seconds, resident


if __name__ == "__main__":
    main()
