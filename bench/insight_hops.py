"""Which links help multi-hop search: recall@5 of the graph arm by how many links of a pool are kept, and who chose them.

RECOLLECT_BENCH_DATA=… python -m bench.insight_hops [--sets hotpotqa musique 2wiki] [--parts hotpotqa …]

The pool is that of `bench.insight_pool`. Choosers: the gauge of insight, cosine, cosine / √((deg u + 1)(deg v + 1)),
chance (seed 0). A kept link has the tag `related` and the weight 1, whoever chose it. Passages are saved as
"Title. text" without a title: a store that knows titles links them by itself. For the sets of `--parts` the gauge is
also taken with other temperatures and path weights, and so that only links that the gate would accept (g ≤ θ_DG)
are there for the passages after them.

The gauge is `recollect.insight.reasoner.judge` itself, called for each passage in turn with the links of the pool that
were not judged yet: this benchmark uses more than the public API.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import math
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import recall, stores
from bench.insight_pool import MENTION, MOST, SHARED, Numbers, Places, Pool, pool_of
from bench.measure import keep
from recollect import Memory
from recollect.graph.local import graph_of
from recollect.insight.context import Context, Scene
from recollect.insight.gates import Thresholds
from recollect.insight.reasoner import judge
from recollect.model.insight import CandidateEdge, NormSpec
from recollect.policy.linking import Candidates, Gauge, Linking

Recalls = dict[float, list[float]]

SETS: Mapping[str, Callable[[Path], recall.Passages]] = {
    "hotpotqa": recall.hotpot,
    "musique": recall.musique,
    "2wiki": recall.two_wiki,
}
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
FEW = (0.05, 0.1)
# λ and γ of the gauge beside its own; without a temperature what is left is the score of L1.
PARTS = ((0.0, 0.0), (0.2, 0.0), (0.2, 0.2), (0.2, 1.0), (1.0, 0.0), (1.0, 0.2), (1.0, 1.0))
# A threshold that every g is below.
ALL = 10.0
DEPTH = 5
# As L1 does: so many links of a node, and so many in all, are known of a neighbourhood.
EDGES_OF_A_NODE, EDGES = 50, 2_000


@dataclass(frozen=True, slots=True)
class Store:
    """A database file, the ids of the passages in it, and the first line of its exports."""

    url: str
    ids: Sequence[str]
    header: str


@dataclass(slots=True)
class Gauged:
    """What the gauge says of each link of a pool, when it was judged; fired: in how many decisions AG did."""

    g: Numbers
    delta_h: Numbers
    delta_sp: Numbers
    carried: float
    fired: int = 0
    seconds: float = 0.0
    near: list[list[int]] = field(default_factory=list)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("RECOLLECT_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    options.add_argument("--parts", nargs="+", choices=list(SETS), default=[], help="other gauges, too, for these")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or RECOLLECT_BENCH_DATA")
    result = {}
    for name in given.sets:
        result[name] = measured(name, SETS[name](Path(given.data)), parts=name in given.parts)
    keep("insight_hops", result)


def measured(set_name: str, passages: recall.Passages, *, parts: bool) -> dict[str, Any]:
    """Recall of every chooser at every share of the pool, and what the links that it kept are."""
    texts = [text if title is None else f"{title}. {text}" for title, text, _ in passages.texts.values()]
    titles = [title for title, _, _ in passages.texts.values()]
    place = {text_id: at for at, text_id in enumerate(passages.texts)}
    asked = [(question, {place[each] for each in needed}) for question, _, needed, _ in passages.questions]
    pool = pool_of(texts, titles, [needed for _, needed in asked])
    gauged = gauge(pool, Linking())
    orders = {"gate": best_first(-gauged.g), **{name: best_first(values) for name, values in others(pool).items()}}
    row: dict[str, Any] = {
        "texts": len(texts),
        "questions": len(asked),
        "pool": {**pool.found, "links_after_cap": len(pool.ends), "needed_after_cap": int(pool.needed.sum())},
        "gauge": {"seconds": round(gauged.seconds, 1), "fired": gauged.fired, "accepted": share_accepted(gauged)},
        "tells_needed": tells(pool, gauged),
        "kept": {name: composition(pool, order) for name, order in orders.items()},
    }
    with filled(texts) as store:
        found: dict[str, Recalls] = {}
        for name, order in orders.items():
            # Without links, and with all of them, all choosers are the same.
            shares = SHARES[1:-1] if found else SHARES
            found[name] = {**found.get("gate", {}), **curve(store, asked, pool.ends[order], shares=shares)}
        row["recall"] = {name: means(values) for name, values in found.items()}
        row["against_gate"] = {name: differences(found["gate"], each) for name, each in found.items() if name != "gate"}
        row["only"] = {
            name: means(curve(store, asked, pool.ends[chosen], shares=(1.0,)))["1.0"]
            for name, chosen in (("mentions", (pool.kinds & MENTION) > 0), ("needed", pool.needed))
        }
        print(table(set_name, row), flush=True)
        if parts:
            row["parts"] = variants(pool, lambda order: curve(store, asked, pool.ends[order], shares=FEW))
    return row


def variants(pool: Pool, recall_of: Callable[[Places], Recalls]) -> dict[str, Any]:
    """Recall and the links kept at a few shares, with the gauge taken in other ways."""
    ways = {f"temperature {heat:g}, path_weight {paths:g}": (Gauge(heat, paths), ALL) for heat, paths in PARTS}
    found = {}
    for name, (weights, carried) in {
        **ways,
        "defaults, accepted ones stay": (Gauge(), Linking().gates.theta_dg),
    }.items():
        gauged = gauge(pool, Linking(gauge=weights), carried=carried)
        order = best_first(-gauged.g)
        found[name] = {
            "recall": means(recall_of(order)),
            "accepted": share_accepted(gauged),
            "tells_needed": tells(pool, gauged)["-g"],
            "kept": composition(pool, order, shares=FEW),
        }
        print(f"{name:36} {found[name]}", flush=True)
    return found


def gauge(pool: Pool, linking: Linking, *, carried: float = ALL) -> Gauged:
    """Judge the links passage by passage: each link once, by the first of its ends, all of them adopted in the order
    of their g. Those with a g of at most `carried` are there for the passages after it.
    """
    count = len(pool.ends)
    found = Gauged(np.zeros(count), np.zeros(count), np.zeros(count), carried)
    found.near = [[] for _ in pool.vectors]
    all_links = replace(linking, candidates=Candidates(links=MOST, top_k=MOST))
    mine = defaultdict(list)
    for at, (one, _) in enumerate(pool.ends.tolist()):
        mine[one].append(at)
    start = time.perf_counter()
    for center, links in mine.items():
        decide(pool, found, center, links=links, linking=all_links)
    found.seconds = time.perf_counter() - start
    return found


def decide(pool: Pool, found: Gauged, center: int, *, links: Sequence[int], linking: Linking) -> None:
    """Judge some links of a passage, against the links that were adopted before around it."""
    others = pool.ends[links, 1].tolist()
    around = dict.fromkeys([center, *others, *found.near[center]])
    edges = dict.fromkeys((min(a, b), max(a, b)) for a in around for b in found.near[a][:EDGES_OF_A_NODE])
    known = list(itertools.islice(edges, EDGES))
    ids = list(dict.fromkeys([center, *others, *itertools.chain.from_iterable(known)]))
    place = {node: at for at, node in enumerate(ids)}
    shown = 1 + len(others)
    scene = Scene(
        graph=graph_of(len(ids), np.array([(place[a], place[b]) for a, b in known], dtype=np.int64).reshape(-1, 2)),
        places=np.arange(shown),
        rows=pool.vectors[ids[:shown]],
        fresh=int(not found.near[center]),
    )
    edge_of = {place[other]: at for other, at in zip(others, links, strict=True)}
    candidates = tuple(CandidateEdge(0, end, float(pool.scores[at])) for end, at in edge_of.items())
    context = Context(centers=(0,), candidate_edges=candidates, norm_spec=NormSpec(dimension=scene.rows.shape[1]))
    limits = Thresholds(theta_ag=linking.gates.theta_ag, theta_dg=ALL)
    judgement = judge(scene, context, linking=linking, thresholds=limits)
    found.fired += judgement.metrics.ag
    for link in judgement.links:
        at = edge_of[link.edge.target]
        found.g[at], found.delta_h[at], found.delta_sp[at] = link.g, link.delta_h, link.delta_sp
        if link.g <= found.carried:
            found.near[center].append(int(pool.ends[at, 1]))
            found.near[int(pool.ends[at, 1])].append(center)


def others(pool: Pool) -> dict[str, Numbers]:
    """The figures that the other choosers go by; more is better."""
    one, other = (pool.degrees() + 1)[pool.ends].T
    return {
        "cosine": pool.cosines,
        "degree-corrected": pool.cosines / np.sqrt(one * other),
        "random": np.random.default_rng(0).random(len(pool.ends)),
    }


@contextmanager
def filled(texts: Sequence[str]) -> Iterator[Store]:
    """A store with the texts and no links."""
    with stores.sqlite() as url:
        with Memory.open(url) as memory:
            memory.export(header := io.StringIO())
            ids = [memory.save(text).node.id for text in texts]
            if memory.relations().edges:
                raise AssertionError("the store made links by itself")
        yield Store(url, ids, header.getvalue().strip())


def curve(
    store: Store, asked: Sequence[tuple[str, set[int]]], ends: Places, *, shares: Sequence[float] = SHARES
) -> Recalls:
    """For each question, which share of what it needs is among the first five, with the first links of an order."""
    found: Recalls = {}
    with stores.sqlite() as copy:
        for part in Path(store.url).parent.glob(Path(store.url).name + "*"):
            shutil.copy(part, copy + part.name.removeprefix(Path(store.url).name))
        with Memory.open(copy) as memory:
            made = 0
            for share in shares:
                upto = round(share * len(ends))
                relate(memory, store, ends[made:upto])
                made = upto
                found[share] = []
                for question, needed in asked:
                    hits = {hit.node.id for hit in memory.search(question, limit=DEPTH, graph=True).hits}
                    found[share].append(sum(store.ids[each] in hits for each in needed) / len(needed))
    return found


def relate(memory: Memory, store: Store, ends: Places) -> None:
    """Link pairs of passages: by an import, which is faster than one at a time."""
    now = json.loads(store.header)["exported_at"]
    same = {"type": "edge", "tag": "related", "weight": 1.0, "confidence": 1.0, "reason": None, "version": 1}
    same |= {"source_namespace": "main", "target_namespace": "main", "boundary_class": "internal"}
    same |= dict.fromkeys(("observed_at", "created_at", "updated_at"), now)
    pairs = [(store.ids[one], store.ids[other]) for one, other in ends.tolist()]
    # Two passages with the same text are one node.
    lines = [json.dumps({**same, "source_id": one, "target_id": other}) for one, other in pairs if one != other]
    memory.import_(io.BytesIO("\n".join([store.header, *lines]).encode()))


def differences(gate: Recalls, other: Recalls) -> dict[str, list[float]]:
    """At each share: how much more the gate recalls, and the standard error of that over the questions."""
    found = {}
    for share in gate:
        more = np.array(gate[share]) - np.array(other[share])
        found[str(share)] = [round(float(more.mean()), 4), round(float(more.std(ddof=1) / math.sqrt(len(more))), 4)]
    return found


def composition(pool: Pool, order: Places, *, shares: Sequence[float] = SHARES[1:]) -> dict[str, dict[str, float]]:
    """Of the links kept at each share: how many are mentions, how many passages have one, the greatest degree, and
    of the pairs that questions need (and the pool has) how many are linked.
    """
    found = {}
    for share in shares:
        kept = order[: round(share * len(order))]
        degrees = np.bincount(pool.ends[kept].ravel(), minlength=len(pool.vectors))
        found[str(share)] = {
            "mentions": round(float(((pool.kinds[kept] & MENTION) > 0).mean()), 4),
            "passages_linked": round(float((degrees > 0).mean()), 4),
            "greatest_degree": int(degrees.max()),
            "cosine": round(float(pool.cosines[kept].mean()), 4),
            "needed": round(float(pool.needed[kept].sum() / max(pool.needed.sum(), 1)), 4),
        }
    return found


def tells(pool: Pool, gauged: Gauged) -> dict[str, float]:
    """How well each figure alone tells the links that questions need from the others: the area under the curve."""
    figures = {
        "-g": -gauged.g,
        "score": pool.scores,
        "delta_h": gauged.delta_h,
        "delta_sp": gauged.delta_sp,
        **others(pool),
        **{name: (pool.kinds & bit) > 0 for name, bit in (("mention", MENTION), ("shared", SHARED))},
    }
    return {name: round(_area(values, pool.needed), 4) for name, values in figures.items()}


def table(name: str, row: Mapping[str, Any]) -> str:
    """Recall by share of the pool, a line for each chooser."""
    lines = [f"{name}: {row['pool']} {row['gauge']} {row['tells_needed']}"]
    lines.append(f"{'kept':18}" + "".join(f"{share:>8.0%}" for share in SHARES))
    for chooser, values in row["recall"].items():
        lines.append(f"{chooser:18}" + "".join(f"{values[str(share)]:8.4f}" for share in SHARES))
    for chooser, values in row["against_gate"].items():
        lines.append(f"gate − {chooser:11}" + "".join(f"{values[str(s)][0]:+8.3f}" for s in SHARES))
        lines.append(f"{'  standard error':18}" + "".join(f"{values[str(s)][1]:8.3f}" for s in SHARES))
    for measure in ("needed", "mentions", "passages_linked", "greatest_degree"):
        for chooser, kept in row["kept"].items():
            figures = "".join(f"{kept[str(share)][measure]:8.3g}" for share in SHARES[1:])
            lines.append(f"{measure[:9]:9} {chooser[:8]:16}{figures}")
    lines.append(f"all links of one sort, and no others: {row['only']}")
    return "\n".join(lines)


def means(found: Recalls) -> dict[str, float]:
    return {str(share): recall.mean(values) for share, values in found.items()}


def best_first(values: Numbers) -> Places:
    return np.argsort(-values, kind="stable")


def share_accepted(gauged: Gauged) -> float:
    """How many of the links the gate would accept."""
    return round(float((gauged.g <= Linking().gates.theta_dg).mean()), 4)


def _area(values: NDArray[Any], is_needed: NDArray[np.bool_]) -> float:
    """Mann and Whitney: the chance that a needed link has more than another one, equals counting half."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at]
    positive = int(is_needed.sum())
    above = ranks[is_needed].sum() - positive * (positive + 1) / 2
    return float(above / max(positive * (len(values) - positive), 1))


if __name__ == "__main__":
    main()
