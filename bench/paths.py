"""Shortest paths of a decision about links: the engines against each other, and breadth-first search against libraries.

python -m bench.paths [--times 50 --large 0]; SciPy, rustworkx and igraph are measured where they are installed.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.measure import keep, percentiles, timed
from wherefrom.graph.local import FAR, LocalGraph, Places, Steps, arcs_of, distances, graph_of
from wherefrom.graph.paths import PairCache, Paths, open_paths
from wherefrom.model.insight import PathEngine, PathKnobs

BUDGET_MS = 30  # For a whole decision.
ADOPTED = 5
SIZES = ((50, 150), (500, 1_500), (2_000, 6_000))
LARGE = (100_000, 300_000)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--large", type=int, default=10, help="how often the large graph is measured; 0: not at all")
    given = options.parse_args()
    result: dict[str, Any] = {"budget_ms": BUDGET_MS}
    for nodes, edges in SIZES:
        result[f"{nodes}_nodes"] = measure(nodes, edges, candidates=40, times=given.times)
    if given.large:
        result[f"{LARGE[0]}_nodes"] = measure(*LARGE, candidates=32, times=given.large)
    keep("paths", result)


def measure(nodes: int, edges: int, *, candidates: int, times: int) -> dict[str, Any]:
    """One decision: open, gains, then five times adopt the best and measure the gains again."""
    random = np.random.default_rng(1)
    graph = graph_of(nodes, random.integers(0, nodes, (edges, 2)))
    others = random.choice(np.arange(1, nodes), candidates, replace=False)
    asked = np.stack([np.zeros(candidates, dtype=np.int64), others], axis=1)
    # In the large graph each link that core adopts costs seconds.
    links = ADOPTED if nodes <= SIZES[-1][0] else 0
    exact, core_s = decided(graph, asked, engine="core", links=links)
    result: dict[str, Any] = {"edges": len(graph.edges), "candidates": candidates}
    result["core"] = {"adopted": links, "decision_ms": round(core_s * 1000, 3)}
    engines: tuple[PathEngine, ...] = ("cached", "cached_incr")
    for engine in engines:
        found, _ = decided(graph, asked, engine=engine)
        warm = PairCache()
        result[engine] = {
            "difference_to_core": float(np.abs(found[: len(exact)] - exact).max()),
            "decision_ms": percentiles([decided(graph, asked, engine=engine)[1] for _ in range(times)]),
            "decision_with_cache_ms": percentiles(
                [decided(graph, asked, engine=engine, cache=warm)[1] for _ in range(times + 1)][1:]
            ),
        }
    steps = [taken for _ in range(times) for taken in incremental_steps(graph, asked)]
    result["cached_incr"]["step_ms"] = percentiles(steps)
    result["cached_incr"]["within_budget"] = result["cached_incr"]["decision_ms"]["p95"] <= BUDGET_MS
    result["search_from_64_ms"] = searches(
        graph, np.arange(0, nodes, max(1, nodes // 64))[:64], times=min(times, 20) if links else 1
    )
    return result


def opened(graph: LocalGraph, asked: Places, engine: PathEngine, cache: PairCache | None = None) -> Paths:
    nodes, centers = np.ones(graph.size, dtype=bool), asked[:1, 0]
    knobs = PathKnobs(engine=engine, pair_samples=200, sources_cap=64)
    return open_paths(graph, nodes, centers=centers, endpoints=asked.ravel(), knobs=knobs, cache=cache)


def decided(
    graph: LocalGraph, asked: Places, *, engine: PathEngine, cache: PairCache | None = None, links: int = ADOPTED
) -> tuple[np.ndarray[Any, Any], float]:
    """All gains that were measured, and how long it took."""
    start = time.perf_counter()
    paths = opened(graph, asked, engine, cache)
    found = [paths.gains(asked)]
    for _ in range(links):
        paths.adopt(asked[[found[-1].argmax()]])
        found.append(paths.gains(asked))
    return np.array(found), time.perf_counter() - start


def incremental_steps(graph: LocalGraph, asked: Places) -> list[float]:
    """Adopt one link, measure the gains of all others: each a step."""
    paths = opened(graph, asked, "cached_incr", _CACHE)
    taken = []
    best = int(paths.gains(asked).argmax())
    for _ in range(ADOPTED):
        start = time.perf_counter()
        paths.adopt(asked[[best]])
        best = int(paths.gains(asked).argmax())
        taken.append(time.perf_counter() - start)
    return taken


def searches(graph: LocalGraph, sources: Places, *, times: int) -> dict[str, Any]:
    """Steps from the sources to all nodes, from the edges (`whole`) and with the library's graph made (`ready`)."""
    everyone = np.arange(graph.size)
    arcs = arcs_of(graph)
    expected = distances(arcs, sources, columns=everyone)
    result: dict[str, Any] = {
        "numpy": {
            "whole": percentiles(timed(lambda: distances(arcs_of(graph), sources, columns=everyone), times)),
            "ready": percentiles(timed(lambda: distances(arcs, sources, columns=everyone), times)),
        }
    }
    for name, (needs, make, search) in LIBRARIES.items():
        try:
            importlib.import_module(needs)
        except ImportError:
            continue
        ready = make(graph)
        assert np.array_equal(search(ready, sources), expected), name
        result[name] = {
            "whole": percentiles(timed(lambda: search(make(graph), sources), times)),
            "ready": percentiles(timed(lambda: search(ready, sources), times)),
        }
    return result


def scipy_graph(graph: LocalGraph) -> Any:
    from scipy.sparse import csr_array

    u, v = graph.edges.T
    ends = (np.concatenate([u, v]), np.concatenate([v, u]))
    return csr_array((np.ones(2 * len(u)), ends), shape=(graph.size, graph.size))


def scipy_search(ready: Any, sources: Places) -> Steps:
    from scipy.sparse.csgraph import dijkstra

    return whole_numbers(dijkstra(ready, directed=True, unweighted=True, indices=sources))


def rustworkx_graph(graph: LocalGraph) -> Any:
    import rustworkx

    made = rustworkx.PyGraph(multigraph=False)
    made.add_nodes_from(range(graph.size))
    made.add_edges_from_no_data([(int(u), int(v)) for u, v in graph.edges])
    return made


def rustworkx_search(ready: Any, sources: Places) -> Steps:
    """The distance matrix is the fastest, but is always made of all nodes."""
    import rustworkx

    if ready.num_nodes() <= SIZES[1][0]:
        return whole_numbers(rustworkx.distance_matrix(ready, null_value=FAR)[sources])
    rows = np.full((len(sources), ready.num_nodes()), FAR, dtype=np.int32)
    for row, source in enumerate(sources):
        for steps, layer in enumerate(rustworkx.bfs_layers(ready, [int(source)])):
            rows[row, layer] = steps
    return rows


def igraph_graph(graph: LocalGraph) -> Any:
    import igraph

    return igraph.Graph(n=graph.size, edges=graph.edges.tolist())


def igraph_search(ready: Any, sources: Places) -> Steps:
    return whole_numbers(np.array(ready.distances(source=sources.tolist())))


def whole_numbers(lengths: np.ndarray[Any, Any]) -> Steps:
    return np.where(np.isinf(lengths), FAR, lengths).astype(np.int32)


_CACHE = PairCache()
Made = tuple[str, Callable[[LocalGraph], Any], Callable[[Any, Places], Steps]]
LIBRARIES: dict[str, Made] = {
    "scipy": ("scipy.sparse.csgraph", scipy_graph, scipy_search),
    "rustworkx": ("rustworkx", rustworkx_graph, rustworkx_search),
    "igraph": ("igraph", igraph_graph, igraph_search),
}


if __name__ == "__main__":
    main()
