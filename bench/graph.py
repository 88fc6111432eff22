"""Saves and walks in a large graph, through Python and through MCP over stdio.

python -m bench.graph [--nodes 100000 --edges 300000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
import uuid

from mcp import Client, StdioServerParameters, stdio_client

from bench import stores
from bench.measure import keep, percentiles, timed
from wherefrom import Memory


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--edges", type=int, default=300_000)
    options.add_argument("--times", type=int, default=1_000)
    options.add_argument("--measure", nargs=2, metavar=("URL", "HUB"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(measure(*given.measure, given.times)))
        return
    result: dict[str, object] = {"nodes": given.nodes, "edges": given.edges}
    for name, opened in (("sqlite", stores.sqlite()), ("postgres", stores.postgres())):
        with opened as url:
            start = time.perf_counter()
            ids = stores.fill(url, nodes=given.nodes, edges=given.edges, hub_degree=100)
            rows = given.nodes + given.edges
            taken = time.perf_counter() - start
            # In a process of its own: what building the graph left in memory is not the store's.
            command = [sys.executable, "-m", "bench.graph", "--times", str(given.times), "--measure", url, ids[0]]
            measured = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
            result[name] = {"import_rows_per_s": round(rows / taken), **json.loads(measured)}
    keep("graph", result)


def measure(url: str, hub: str, times: int) -> dict[str, object]:
    with Memory.open(url) as memory:
        return {
            "save_ms": percentiles(timed(lambda: memory.save(f"a new memo {uuid.uuid4()}"), times)),
            "get_ms": percentiles(timed(lambda: memory.get(hub), times)),
            "list_20_ms": percentiles(timed(lambda: memory.list(), 100)),
            "relations_100_ms": percentiles(timed(lambda: memory.relations(), 50)),
            **{
                f"walk_{direction}_limit_{limit}_to_depth_{depth}_ms": percentiles(
                    timed(lambda d=direction, n=limit: memory.walk(hub, depth=3, direction=d, limit=n), 50)
                )
                for direction, limit in (("forward", 200), ("forward", 1000), ("both", 200), ("both", 1000))
                for depth in memory.walk(hub, depth=3, direction=direction, limit=limit).depths[-1:]
            },
            "mcp_save_ms": percentiles(asyncio.run(saves_over_mcp(url, times))),
        }


async def saves_over_mcp(url: str, times: int) -> list[float]:
    server = StdioServerParameters(command=sys.executable, args=["-m", "wherefrom", "mcp", "--db", url])
    taken = []
    async with Client(stdio_client(server)) as client:
        await client.list_tools()
        for _ in range(times):
            start = time.perf_counter()
            answer = await client.call_tool("memory_save", {"content": f"a new memo {uuid.uuid4()}"})
            taken.append(time.perf_counter() - start)
            assert not answer.is_error
    return taken


if __name__ == "__main__":
    main()
