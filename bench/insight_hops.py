"""Which links help multi-hop search: recall@5 of the graph arm by how many links of a pool are kept, and who chose them.

WHEREFROM_BENCH_DATA=… python -m bench.insight_hops [--sets hotpotqa musique 2wiki] [--strength 1 0.15]

The pool is that of `bench.insight_pool`. Choosers: the gate (`bench.insight_gate`), which takes the links in the order
of their g; the gate without names; cosine; cosine / √((deg u + 1)(deg v + 1)); chance (seed 0); and these three after
the names: links by a title first, then the others. `accepted` is the share at which the gate itself stops.

A kept link has the tag `related`, whoever chose it, and the weight 1 if one passage names the other's title. The others
have the weight `--strength`: 1, or 0.15, which is the confidence of the product's insight links. Passages are saved as
"Title. text" without a title: a store that knows titles links them by itself.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import plot, recall, stores
from bench.insight_gate import Judged, gate_of
from bench.insight_pool import MENTION, SHARED, Numbers, Places, Pool, pool_of
from bench.measure import RESULTS, keep
from wherefrom import Memory

Recalls = dict[float, list[float]]
Asked = Sequence[tuple[str, set[int]]]

SETS: Mapping[str, Callable[[Path], recall.Passages]] = {
    "hotpotqa": recall.hotpot,
    "musique": recall.musique,
    "2wiki": recall.two_wiki,
}
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
STRENGTHS = (1.0, 0.15)
DEPTH = 5
PICTURE = Path(__file__).parent.parent / "docs" / "reference" / "insight-hops.svg"
# What is drawn, and up to which share of the pool.
DRAWN = (
    "gate",
    "names, then cosine",
    "names, then degree-corrected",
    "names, then random",
    "gate without names",
    "cosine",
    "random",
)
DRAWN_TO = 0.2


@dataclass(frozen=True, slots=True)
class Store:
    """A database file, the ids of the passages in it, and the first line of its exports."""

    url: str
    ids: Sequence[str]
    header: str


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("WHEREFROM_BENCH_DATA"))
    options.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    options.add_argument("--strength", nargs="+", type=float, default=STRENGTHS, help="of links that are no mentions")
    given = options.parse_args()
    if given.data is None:
        options.error("say where the data is: --data or WHEREFROM_BENCH_DATA")
    for name in given.sets:
        keep("insight_hops", {name: measured(name, SETS[name](Path(given.data)), given.strength)})
    PICTURE.write_text(picture(), encoding="utf-8")


def measured(set_name: str, passages: recall.Passages, strengths: Sequence[float]) -> dict[str, Any]:
    """Recall of every chooser at every share of the pool, and what the links that it kept are."""
    texts = [text if title is None else f"{title}. {text}" for title, text, _ in passages.texts.values()]
    titles = [title for title, _, _ in passages.texts.values()]
    place = {text_id: at for at, text_id in enumerate(passages.texts)}
    asked = [(question, {place[each] for each in needed}) for question, _, needed, _ in passages.questions]
    pool = pool_of(texts, titles, [needed for _, needed in asked])
    gate = gate_of(texts, pool)
    judged = {"gate": gate.judged(names=True), "gate without names": gate.judged(names=False)}
    orders = {
        **{name: best_first(-each.g) for name, each in judged.items()},
        **{name: best_first(values) for name, values in others(pool).items()},
    }
    row: dict[str, Any] = {
        "texts": len(texts),
        "questions": len(asked),
        "pool": {
            **pool.found,
            "links_after_cap": len(pool.ends),
            "needed_after_cap": int(pool.needed.sum()),
            "mentions_after_cap": int(is_mention(pool).sum()),
        },
        "judged": {name: summary(pool, each) for name, each in judged.items()},
        "tells_needed": tells(pool, judged),
        "kept": {name: composition(pool, order) for name, order in orders.items()},
        "strength": {},
    }
    print(about(set_name, row), flush=True)
    with filled(texts) as store:
        for strength in strengths:
            found = searched(store, asked, pool, orders, strength=strength, accepted=judged["gate"].accepted)
            row["strength"][f"{strength:g}"] = found
            print(table(f"{set_name}, strength {strength:g}", found), flush=True)
    return row


def searched(
    store: Store,
    asked: Asked,
    pool: Pool,
    orders: Mapping[str, Places],
    *,
    strength: float,
    accepted: NDArray[np.bool_],
) -> dict[str, Any]:
    """The recall that each chooser's links give, and how much more the gate's do."""
    weights = np.where(is_mention(pool), 1.0, strength)

    def curve_of(links: Places, shares: Sequence[float]) -> Recalls:
        return curve(store, asked, pool.ends[links], weights[links], shares=shares)

    stop = float(accepted.mean())
    found: dict[str, Recalls] = {}
    for name, order in orders.items():
        # Without links, and with all of them, all choosers are the same.
        shares = sorted({*(SHARES[1:-1] if found else SHARES), stop})
        found[name] = {**found.get("gate", {}), **curve_of(order, shares)}
    only = {
        name: curve_of(np.flatnonzero(chosen), (1.0,))[1.0]
        for name, chosen in (("mentions", is_mention(pool)), ("needed", pool.needed))
    }
    return {
        "recall": {name: means(values, stop) for name, values in found.items()},
        "against_gate": {
            name: differences(found["gate"], each, stop) for name, each in found.items() if name != "gate"
        },
        "only": {name: recall.mean(values) for name, values in only.items()},
        "accepted_against_mentions_only": difference(found["gate"][stop], only["mentions"]),
    }


def others(pool: Pool) -> dict[str, Numbers]:
    """The figures that the other choosers go by; more is better."""
    one, other = (pool.degrees() + 1)[pool.ends].T
    plain = {
        "cosine": pool.cosines,
        "degree-corrected": pool.cosines / np.sqrt(one * other),
        "random": np.random.default_rng(0).random(len(pool.ends)),
    }
    return {**{f"names, then {name}": 2.0 * is_mention(pool) + values for name, values in plain.items()}, **plain}


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


def curve(store: Store, asked: Asked, ends: Places, weights: Numbers, *, shares: Sequence[float]) -> Recalls:
    """For each question, which share of what it needs is among the first five, with the first links of an order."""
    found: Recalls = {}
    with stores.sqlite() as copy:
        for part in Path(store.url).parent.glob(Path(store.url).name + "*"):
            shutil.copy(part, copy + part.name.removeprefix(Path(store.url).name))
        with Memory.open(copy) as memory:
            made = 0
            for share in shares:
                upto = round(share * len(ends))
                relate(memory, store, ends[made:upto], weights[made:upto])
                made = upto
                found[share] = []
                for question, needed in asked:
                    hits = {hit.node.id for hit in memory.search(question, limit=DEPTH, graph=True).hits}
                    found[share].append(sum(store.ids[each] in hits for each in needed) / len(needed))
    return found


def relate(memory: Memory, store: Store, ends: Places, weights: Numbers) -> None:
    """Link pairs of passages: by an import, which is faster than one at a time."""
    now = json.loads(store.header)["exported_at"]
    same = {"type": "edge", "tag": "related", "confidence": 1.0, "reason": None, "version": 1}
    same |= {"source_namespace": "main", "target_namespace": "main", "boundary_class": "internal"}
    same |= dict.fromkeys(("observed_at", "created_at", "updated_at"), now)
    lines = [store.header]
    for (one, other), weight in zip(ends.tolist(), weights.tolist(), strict=True):
        source, target = store.ids[one], store.ids[other]
        if source != target:  # two passages with the same text are one node
            lines.append(json.dumps({**same, "source_id": source, "target_id": target, "weight": weight}))
    memory.import_(io.BytesIO("\n".join(lines).encode()))


def differences(gate: Recalls, other: Recalls, stop: float) -> dict[str, list[float]]:
    """At each share: how much more the gate recalls, and the standard error of that over the questions."""
    return {label(share, stop): difference(gate[share], other[share]) for share in sorted(gate)}


def difference(one: Sequence[float], other: Sequence[float]) -> list[float]:
    more = np.array(one) - np.array(other)
    return [round(float(more.mean()), 4), round(float(more.std(ddof=1) / math.sqrt(len(more))), 4)]


def composition(pool: Pool, order: Places, *, shares: Sequence[float] = SHARES[1:]) -> dict[str, dict[str, float]]:
    """Of the links kept at each share: how many are mentions, how many passages have one, the greatest degree, and
    of the pairs that questions need (and the pool has) how many are linked.
    """
    found = {}
    for share in shares:
        kept = order[: round(share * len(order))]
        degrees = np.bincount(pool.ends[kept].ravel(), minlength=len(pool.vectors))
        found[str(share)] = {
            "mentions": round(float(is_mention(pool)[kept].mean()), 4),
            "passages_linked": round(float((degrees > 0).mean()), 4),
            "greatest_degree": int(degrees.max()),
            "cosine": round(float(pool.cosines[kept].mean()), 4),
            "needed": round(float(pool.needed[kept].sum() / max(pool.needed.sum(), 1)), 4),
        }
    return found


def tells(pool: Pool, judged: Mapping[str, Judged]) -> dict[str, dict[str, float]]:
    """How well each figure alone tells the links that questions need from the others: the area under the curve, among
    all links, among mentions, and among the others.
    """
    figures: dict[str, NDArray[Any]] = {}
    for name, each in judged.items():
        parts = {"-g": -each.g, "score": each.score, "delta_h": each.delta_h, "delta_sp": each.delta_sp}
        figures |= {f"{name}: {part}": values for part, values in parts.items()}
    figures |= {**others(pool), "mention": is_mention(pool), "shared": (pool.kinds & SHARED) > 0}
    some = {"all": np.ones(len(pool.ends), dtype=bool), "mentions": is_mention(pool), "others": ~is_mention(pool)}
    return {
        name: {group: round(_area(values[chosen], pool.needed[chosen]), 4) for group, chosen in some.items()}
        for name, values in figures.items()
    }


def summary(pool: Pool, judged: Judged) -> dict[str, Any]:
    """What the gate accepts."""
    chosen = judged.accepted
    return {
        "seconds": round(judged.seconds, 1),
        "fired": judged.fired,
        "accepted": int(chosen.sum()),
        "accepted_share": round(float(chosen.mean()), 4),
        "accepted_mentions": int(is_mention(pool)[chosen].sum()),
        "accepted_needed": int(pool.needed[chosen].sum()),
        "accepted_needed_no_mentions": int((pool.needed & ~is_mention(pool))[chosen].sum()),
    }


def about(name: str, row: Mapping[str, Any]) -> str:
    """The pool, how well each figure tells what is needed, and what the links kept are."""
    lines = [f"{name}: {row['pool']}", *(f"{chooser}: {each}" for chooser, each in row["judged"].items())]
    lines.append(f"{'area under the curve':32}{'all':>10}{'mentions':>10}{'others':>10}")
    lines += [
        f"{figure:32}" + "".join(f"{v:10.3f}" for v in each.values()) for figure, each in row["tells_needed"].items()
    ]
    lines.append(f"{'of the links kept at':40}" + "".join(f"{share:>8.0%}" for share in SHARES[1:]))
    for measure in ("needed", "mentions", "passages_linked", "greatest_degree"):
        for chooser, kept in row["kept"].items():
            figures = "".join(f"{kept[str(share)][measure]:8.3g}" for share in SHARES[1:])
            lines.append(f"{measure:16}{chooser:24}{figures}")
    return "\n".join(lines)


def table(name: str, row: Mapping[str, Any]) -> str:
    """Recall by share of the pool, a line for each chooser."""
    at = list(row["recall"]["gate"])
    lines = [f"{name:32}" + "".join(f"{share if share == 'accepted' else f'{float(share):.0%}':>9}" for share in at)]
    lines += [f"{chooser:32}" + "".join(f"{each[s]:9.4f}" for s in at) for chooser, each in row["recall"].items()]
    for chooser, values in row["against_gate"].items():
        lines.append(f"gate − {chooser:25}" + "".join(f"{values[s][0]:+9.3f}" for s in at))
        lines.append(f"{'  standard error':32}" + "".join(f"{values[s][1]:9.3f}" for s in at))
    lines.append(f"all links of one sort, and no others: {row['only']}")
    lines.append(f"what the gate accepts − all mentions and no others: {row['accepted_against_mentions_only']}")
    return "\n".join(lines)


def picture() -> str:
    """Recall by the share of the pool that is kept, of links of full weight, as far as the results on disk have them."""
    rows = json.loads((RESULTS / "insight_hops.json").read_text(encoding="utf-8"))
    panels: dict[str, dict[str, dict[float, float]]] = {}
    for name, row in rows.items():
        if name in SETS and "1" in row["strength"]:
            lines = row["strength"]["1"]["recall"]
            panels[name] = {
                chooser: {share: lines[chooser][str(share)] for share in SHARES if share <= DRAWN_TO}
                for chooser in DRAWN
            }
    return plot.shares(
        "Recall@5 by the share of the pool's links that is kept", panels, below="links kept, of the pool"
    )


def means(found: Recalls, stop: float) -> dict[str, float]:
    return {label(share, stop): recall.mean(found[share]) for share in sorted(found)}


def label(share: float, stop: float) -> str:
    return "accepted" if share == stop else str(share)


def is_mention(pool: Pool) -> NDArray[np.bool_]:
    flags: NDArray[np.bool_] = (pool.kinds & MENTION) > 0
    return flags


def best_first(values: Numbers) -> Places:
    return np.argsort(-values, kind="stable")


def _area(values: NDArray[Any], is_needed: NDArray[np.bool_]) -> float:
    """Mann and Whitney: the chance that a needed link has more than another one, equals counting half."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at]
    positive = int(is_needed.sum())
    above = ranks[is_needed].sum() - positive * (positive + 1) / 2
    return float(above / max(positive * (len(values) - positive), 1))


if __name__ == "__main__":
    main()
