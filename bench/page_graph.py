"""The page of the graph in a real browser: how soon 5,000 memos with 20,000 relations are painted and answer.

    python -m bench.page_graph [--ask]

Needs Chromium and the built page. Chromium renders in software here: figures of a graphics card would be better ones.
`--ask` measures the first page of a store of 100,000 memos instead.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench import stores
from bench.measure import command, keep
from bench.service import serving
from wherefrom import Memory

NODES, EDGES, COMMUNITIES = 5_000, 20_000, 50
ASK_NODES = 100_000
RUNS = 3
PANNING_S = 4.0
FLAGS = (
    "--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run",
)  # fmt: skip
TAGS = ("supports", "supports", "refutes", "neutral", "mentions", "related")

# Runs in the page before its own scripts. `drawn`: when a picture with that many points was first drawn; a frame later
# it is on the screen. `hovered` and `chosen`: when the page first answered to the pointer.
WATCH = """
(() => {
  const seen = window.seen = { tasks: [], frames: 0, pictures: 0, drawn: null, painted: null, hovered: null, chosen: null, arranged: null };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((e) => [e.startTime, e.duration])))
    .observe({ type: "longtask", buffered: true });
  let fresh = false;
  for (const type of [WebGLRenderingContext, WebGL2RenderingContext]) {
    const draw = type.prototype.drawArrays;
    type.prototype.drawArrays = function (mode, first, count) {
      if (mode === this.POINTS && count >= NODES) {
        fresh = true;
        if (seen.drawn === null) {
          seen.drawn = performance.now();
          requestAnimationFrame(() => setTimeout(() => { seen.painted = performance.now(); }));
        }
      }
      return draw.apply(this, arguments);
    };
  }
  const frame = () => { seen.frames++; if (fresh) seen.pictures++; fresh = false; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new MutationObserver(() => {
    if (seen.hovered === null && document.querySelector(".canvas.pointing")) seen.hovered = performance.now();
    if (seen.chosen === null && document.querySelector(".graph-list [aria-current]")) seen.chosen = performance.now();
    if (seen.arranged === null && document.querySelector(".canvas[data-arranged=true]")) seen.arranged = performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener("pointerdown", () => { seen.pressed ??= performance.now(); }, true);
})();
"""


def main() -> None:
    """Measure, and keep what was measured."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ask", action="store_true", help="the first page of a store of 100,000 memos")
    if options.parse_args().ask:
        measured: dict[str, Any] = {"ask": measure_ask()}
    else:
        measured = {"graph": measure_graph()}
    keep("page_graph", {"command": command("page_graph"), **measured})


def measure_graph() -> dict[str, Any]:
    """Open the graph several times; the figures of each run."""
    with stores.sqlite() as path:
        start = fill_with_communities(path)
        with serving(path) as base, browsing() as open_page:
            address = f"{base}/graph?from={start}&hops=2&limit={NODES}"
            runs = [measure_run(*open_page(), address) for _ in range(RUNS)]
    return {"nodes": NODES, "edges": EDGES, "runs": runs}


def fill_with_communities(path: str, seed: int = 11) -> str:
    """Import memos in communities, whose members have most of their relations with each other. Returns the id of one
    from which all are two steps away.
    """
    numbers = random.Random(seed)
    texts = {
        str(at): (None, f"memo {at}: " + " ".join(numbers.choices(stores.WORDS, k=8)), "main") for at in range(NODES)
    }
    size = NODES // COMMUNITIES
    heads = [number * size for number in range(COMMUNITIES)]
    pairs = {(0, head) for head in heads[1:]}
    pairs |= {(head, head + member) for head in heads for member in range(1, size)}
    while len(pairs) < EDGES:
        one = numbers.randrange(NODES)
        near = one // size * size + numbers.randrange(size)
        other = near if numbers.random() < 0.9 else numbers.randrange(NODES)
        if one != other and (other, one) not in pairs:
            pairs.add((one, other))
    with Memory.open(path) as memory:
        ids = stores.import_texts(memory, texts)
        import_relations(memory, [(ids[str(one)], ids[str(other)]) for one, other in sorted(pairs)], numbers)
    return ids["0"]


def import_relations(memory: Memory, pairs: list[tuple[str, str]], numbers: random.Random) -> None:
    """Import a relation for each pair, with a tag and a weight by chance."""
    memory.relate(*pairs[0], tag="supports", weight=0.5)
    memory.export(stream := io.StringIO())
    lines = stream.getvalue().splitlines()
    template = json.loads(next(line for line in lines[1:] if '"type": "edge"' in line or '"type":"edge"' in line))
    with tempfile.TemporaryFile() as file:
        file.write(lines[0].encode() + b"\n")
        for source, target in pairs:
            own = {"source_id": source, "target_id": target, "tag": numbers.choice(TAGS)}
            row = {**template, **own, "weight": round(numbers.random() ** 2, 3)}
            file.write(json.dumps(row).encode() + b"\n")
        memory.import_(file)


@contextmanager
def browsing() -> Iterator[Callable[[], tuple[Page, CDPSession]]]:
    """Chromium; yields a function that opens an empty window."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))

        def open_page() -> tuple[Page, CDPSession]:
            context = browser.new_context(viewport={"width": 1280, "height": 844})
            page = context.new_page()
            page.add_init_script(WATCH.replace("NODES", str(NODES)))
            return page, context.new_cdp_session(page)

        yield open_page
        browser.close()


def measure_run(page: Page, session: CDPSession, address: str) -> dict[str, Any]:
    """Open the graph, point at it until it answers, choose something, wait until it is arranged, and move it."""
    # On a busy machine the time that the page's own thread worked says more than the time that passed.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(address, wait_until="commit")
    wait_for(page, "painted")
    worked = next(m["value"] for m in session.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    box = page.locator(".canvas").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for step in range(400):
        page.mouse.move(middle[0] + 7 * (step % 20) - 70, middle[1] + 7 * (step // 20) - 70)
        if seen(page)["hovered"] is not None:
            break
    page.mouse.down()
    page.mouse.up()
    wait_for(page, "chosen")
    early = seen(page)["arranged"] is None
    wait_for(page, "arranged")
    panned = pan(page, middle)
    found = seen(page)
    arrived = page.evaluate(
        "performance.getEntriesByType('resource').find((e) => e.name.endsWith('/api/neighbourhood')).responseEnd"
    )
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    page.context.close()
    tasks = [task for task in found["tasks"] if task[0] > arrived]
    return {
        "painted_after_arrival_s": round((found["painted"] - arrived) / 1000, 2),
        "hover_answered_after_arrival_s": round((found["hovered"] - arrived) / 1000, 2),
        "click_answered_in_s": round((found["chosen"] - found["pressed"]) / 1000, 2),
        "click_answered_after_arrival_s": round((found["chosen"] - arrived) / 1000, 2),
        "answered_while_arranging": early,
        "arranged_after_arrival_s": round((found["arranged"] - arrived) / 1000, 1),
        "worked_until_painted_s": round(worked, 2),
        **panned,
        "longest_task_s": round(max((length for _, length in tasks), default=0) / 1000, 2),
        "heap_mb": round(heap / 1e6, 1),
        "machine_load": round(os.getloadavg()[0], 1),
    }


def pan(page: Page, middle: tuple[float, float]) -> dict[str, float]:
    """Drag the picture to and fro; how often a second the page and the picture were drawn."""
    page.mouse.move(*middle)
    page.mouse.down()
    before, start = seen(page), time.perf_counter()
    step = 0
    while time.perf_counter() - start < PANNING_S:
        step += 1
        page.mouse.move(middle[0] + 60 * (step % 4 - 1.5), middle[1] + 3 * (step % 30))
    taken, after = time.perf_counter() - start, seen(page)
    page.mouse.up()
    frames, pictures = ((after[name] - before[name]) / taken for name in ("frames", "pictures"))
    return {"panning_frames_per_s": round(frames, 1), "panning_pictures_per_s": round(pictures, 1)}


def measure_ask() -> dict[str, Any]:
    """When the first page of a large store shows something, and its first card."""
    with stores.sqlite() as path:
        stores.fill(path, nodes=ASK_NODES)
        with serving(path) as base, browsing() as open_page:
            runs = []
            for _ in range(RUNS):
                page, _session = open_page()
                page.goto(base, wait_until="commit")
                page.locator("article.card").first.wait_for()
                card_ms = page.evaluate("performance.now()")
                paint_ms = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                runs.append({"first_paint_s": round(paint_ms / 1000, 2), "first_card_s": round(card_ms / 1000, 2)})
                page.context.close()
    return {"nodes": ASK_NODES, "runs": runs}


def seen(page: Page) -> dict[str, Any]:
    """What the page noted so far."""
    found: dict[str, Any] = page.evaluate("window.seen")
    return found


def wait_for(page: Page, name: str, seconds: float = 60) -> None:
    """Wait until the page has noted something. The policy of the page does not let Playwright wait in it."""
    end = time.perf_counter() + seconds
    while seen(page)[name] is None:
        if time.perf_counter() > end:
            raise TimeoutError(f"{name} was not seen within {seconds:.0f} s")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
