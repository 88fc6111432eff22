"""Embeddings: written with the node or marked as waiting, completed later on lease, one model active at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wherefrom.embedding.port import Embedder, Matrix, vectors_of
from wherefrom.lazy import np
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, EmbedderUnavailable, StoreError, TextRefused, WherefromError
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import locks
from wherefrom.storage.port import Database, EmbeddingModel, Progress, Row, Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters
from wherefrom.text.check import content_hash, json_text
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import text_of

if TYPE_CHECKING:
    from wherefrom.storage.node_texts import NodeText

logger = logging.getLogger("wherefrom")

KINDS: Final = ("memo", "claim", "fragment", "entity")
_BATCH: Final = 256
_LEASE: Final = timedelta(minutes=2)
_REFUSED_LEASE: Final = timedelta(days=1)
_DELETE_BATCH: Final = 5_000


@dataclass(frozen=True, slots=True)
class Made:
    """The vectors that a model made before a transaction, by the hash of their text; none if it could not make them."""

    model_id: str
    vectors: Mapping[str, Matrix]


def made(embedder: Embedder, texts: Sequence[str]) -> Made:
    """Return the vectors of these texts, if they can be made at once; a save never fails for want of one."""
    vectors: dict[str, Matrix] = {}
    if is_instant(embedder) and texts:
        with suppress(EmbedderUnavailable):
            vectors = dict(zip(map(content_hash, texts), vectors_of(embedder, texts), strict=True))
    return Made(embedder.model_id, vectors)


def embedded_text(node: Node) -> str:
    """The text that a node's vector is made of, and in which names are looked for: without what others may not see."""
    return shared_text(text_of(node.title, node.content), node.shared_class)


def is_instant(embedder: Embedder | None) -> bool:
    """True if texts are embedded within a save; what is sent away waits for the worker, which knows what may be."""
    return embedder is not None and embedder.instant and not embedder.sends


def embed_now(tx: Transaction, embedder: Embedder | None) -> Callable[[Sequence[str]], Matrix] | None:
    """Return what makes vectors like the stored ones at once; None if it would take time or send the texts away."""
    model = active(tx)
    if embedder is None or model is None or model.model_id != embedder.model_id or not is_instant(embedder):
        return None
    return partial(vectors_of, embedder)


def active(tx: Transaction) -> EmbeddingModel | None:
    """Return the model whose vectors are searched."""
    return send_active(tx)()


def send_active(tx: Transaction) -> Callable[[], EmbeddingModel | None]:
    """Ask for the model whose vectors are searched, and return a function that waits for it."""
    sent = tx.send("model_active", {})
    return lambda: EmbeddingModel(*rows[0]) if (rows := sent()) else None


def write(
    tx: Transaction, access: Access, seqs: Mapping[str, int], new: Sequence[NodeText], made: Made | None, *, now: str
) -> None:
    """Store the vectors of new nodes; a node without a vector waits, unless the store makes no vectors at all."""
    wanted = [
        {"owner": access.owner, "seq": seqs[text.node.id], "content_hash": text.embedded_hash}
        for text in new
        if text.embedded_hash is not None
    ]
    if not wanted:
        return
    # Nobody can switch the model meanwhile: that takes a lock which excludes this transaction's share of its owner.
    model = known = active(tx)
    vectors: Mapping[str, Matrix] = {}
    if made is not None and made.vectors and (model is None or model.model_id == made.model_id):
        dimension = len(next(iter(made.vectors.values())))
        model = model or _activated(tx, made.model_id, dimension, now=now)
        vectors = made.vectors if model.dimension == dimension else {}
    if model is not None:
        _save(tx, wanted, vectors, model, now=now)
    if model is not None or made is not None:
        tx.many("pending_add", [row for row in wanted if row["content_hash"] not in vectors], {"owner": access.owner})
    if known is None and model is not None:
        find_missing(tx)  # the first vector of the store: nodes that were saved before it want one, too


def forget_changed(
    tx: Transaction, access: Access, seqs: Mapping[str, int], changed: Sequence[NodeText]
) -> list[NodeText]:
    """Delete the vectors of nodes that were made of another text than the present one; return those nodes."""
    model, given = active(tx), {"owner": access.owner, "seqs": json_text([seqs[text.node.id] for text in changed])}
    rows = [] if model is None else tx.rows("embedding_hashes", {**given, "model": model.number})
    hashes: dict[int, str] = dict(rows)
    stale = [text for text in changed if text.embedded_hash not in (None, hashes.get(seqs[text.node.id]))]
    where = {"owner": access.owner, "seqs": json_text([seqs[text.node.id] for text in stale])}
    tx.run("embedding_forget", where)
    tx.run("pending_remove", where)
    return stale


def settle(tx: Transaction, access: Access, seqs: Iterable[int]) -> None:
    """Take nodes off the waiting list that have their vector of the active model."""
    tx.many("pending_done", [{"owner": access.owner, "seq": seq} for seq in seqs], {})


def of_nodes(tx: Transaction, access: Access, ids: Sequence[str], model: EmbeddingModel) -> dict[str, Matrix]:
    """Return the vectors of these nodes, as far as they have one."""
    if not ids:
        return {}
    rows = tx.rows("embedding_vectors", {"owner": access.owner, "ids": json_text(ids), "model": model.number})
    return dict(zip([row[0] for row in rows], tx.dialect.from_vectors([row[1] for row in rows]), strict=True))


def complete(
    database: Database,
    embedder: Embedder,
    *,
    classes: Sequence[BoundaryClass],
    clock: Callable[[], datetime],
    access: Access | None = None,
    stop: Callable[[], bool] = lambda: False,
    progress: Progress,
) -> int:
    """Give the nodes that wait (with an access: those in its root) their vectors, a leased batch at a time.

    Returns how many got one. Raises EmbedderUnavailable when the embedder fails: the nodes go on waiting, with the
    reason noted. A text that the embedder refuses waits for a day; the others go on.
    """
    where: dict[str, Any] = {"classes": json_text(sendable(embedder, classes))}
    if access is not None:
        where |= {"owner": access.owner, **inside_parameters("root", access.writing().root)}
    done = 0
    while not stop():
        batch = database.write(lambda tx: _claim(tx, embedder, where, clock()))
        if not batch:
            break
        try:
            done += _complete_batch(database, embedder, batch, clock)
        except BaseException as error:
            reason = error.message if isinstance(error, WherefromError) else "interrupted"
            with cancellation.running(None):  # also if the call was cancelled
                database.write(lambda tx, rows=batch, why=reason: _lease(tx, rows, until=None, error=why))  # type: ignore[misc]
            raise
        progress(done, done + database.read(lambda tx: tx.number("pending_total", where)))
    return done


def find_missing(tx: Transaction) -> None:
    """Put every node that should have a vector and has none among those that wait."""
    tx.run("pending_missing", {"kinds": json_text(KINDS)})


def waiting(tx: Transaction, embedder: Embedder, classes: Sequence[BoundaryClass]) -> int:
    """Return how many nodes wait for a vector that this embedder may make."""
    return tx.number("pending_total", {"classes": json_text(sendable(embedder, classes))})


def refill(
    database: Database,
    embedder: Embedder,
    *,
    classes: Sequence[BoundaryClass],
    clock: Callable[[], datetime],
    progress: Progress,
) -> int:
    """Make all vectors with another model beside those in use, then switch; can be interrupted and repeated."""
    dimension = vectors_of(embedder, ["a text to learn the dimension from"]).shape[1]
    now = timestamp(clock())
    model = database.write(lambda tx: _registered(tx, embedder.model_id, dimension, state="filling", now=now))
    _refuse_other_model(model, embedder, dimension)
    where = {
        "kinds": json_text(KINDS),
        "classes": json_text(sendable(embedder, classes)),
        "model": model.number,
        "limit": _BATCH,
    }
    total = database.read(lambda tx: tx.number("fill_total", where))
    progress(0, total)
    done = in_pass = after = 0
    while True:
        rows = database.read(lambda tx, a=after: tx.rows("fill_batch", {**where, "after": a}))  # type: ignore[misc]
        if rows:
            after = rows[-1][1]
            saved = _fill(database, embedder, rows, model, now=timestamp(clock()))
            in_pass, done = in_pass + saved, done + saved
            progress(done, max(total, done))
        elif in_pass:
            after = in_pass = 0  # once more from the start, for nodes that were changed meanwhile
        else:
            break
    old = database.write(lambda tx: _switch(tx, model))
    prepare(database)
    if old is not None:
        _drop(database, old)
    return done


def prepare(database: Database) -> None:
    """Make the index of the active model ready, after many vectors came in; searches do without it if that fails."""
    model = database.read(active)
    if model is not None:
        try:
            database.vectors.prepare(model)
        except StoreError as error:
            logger.warning("the vector index is not ready: %s", error)


def sendable(embedder: Embedder, classes: Sequence[BoundaryClass]) -> tuple[BoundaryClass, ...]:
    """The boundary classes whose texts this embedder may have: those that may be sent, or all if it sends nothing."""
    return tuple(name for name in BOUNDARY_CLASSES if name != "secret" and (not embedder.sends or name in classes))


def has_waiting(tx: Transaction, access: Access, embedder: Embedder | None, classes: Sequence[BoundaryClass]) -> bool:
    """True if something that this access may see should have a vector and has none yet."""
    if embedder is None:
        return False
    sent = sendable(embedder, classes)
    seen = replace(access, classes=tuple(name for name in access.classes if name in sent))
    return tx.row("pending_exists", scope_parameters(seen)) is not None


def _save(
    tx: Transaction, rows: Sequence[dict[str, Any]], vectors: Mapping[str, Matrix], model: EmbeddingModel, *, now: str
) -> None:
    """Write the vectors of rows with owner, seq and content_hash, as far as there are any for these hashes."""
    found = [(row, vectors[row["content_hash"]]) for row in rows if row["content_hash"] in vectors]
    saved = [{**row, "vector": tx.dialect.to_vector(vector)} for row, vector in found]
    for owner in sorted({row["owner"] for row in saved}):
        own = [row for row in saved if row["owner"] == owner]
        tx.many("embedding_save", own, {"owner": owner, "model": model.number, "now": now})


def _registered(tx: Transaction, model_id: str, dimension: int, *, state: str, now: str) -> EmbeddingModel:
    """Return the model of this name; if it is new, it is stored in this state."""
    row = tx.row("model_named", {"model_id": model_id})
    if row is None:
        locks.hold_models(tx)
        tx.run("model_insert", {"model_id": model_id, "dimension": dimension, "state": state, "now": now})
        row = tx.row("model_named", {"model_id": model_id})
        assert row is not None
    return EmbeddingModel(*row)


def _activated(tx: Transaction, model_id: str, dimension: int, *, now: str) -> EmbeddingModel:
    """Return the model of this name as the active one, for the first vectors of a store."""
    model = _registered(tx, model_id, dimension, state="active", now=now)
    tx.run("model_activate", {"model": model.number})
    return model


def mismatch(model: EmbeddingModel, embedder: Embedder) -> str:
    """Return a sentence that says that the store and this process use different models."""
    return f"the store's vectors are made with {model.model_id}; this process is set up for {embedder.model_id}"


def _refuse_other_model(model: EmbeddingModel | None, embedder: Embedder, dimension: int | None = None) -> None:
    """Raise an error if a model is not the embedder's, or if its vectors have another dimension than this one."""
    if model is not None and model.model_id != embedder.model_id:
        raise EmbedderUnavailable(mismatch(model, embedder), hint="`wherefrom reembed` changes the model of the store")
    if model is not None and dimension is not None and model.dimension != dimension:
        raise EmbedderUnavailable(
            f"{model.model_id} answered with {dimension} dimensions; its stored vectors have {model.dimension}",
            hint="is another model behind this name now? Give it another name and run `wherefrom reembed`",
        )


def _claim(tx: Transaction, embedder: Embedder, where: Mapping[str, Any], moment: datetime) -> list[Row]:
    _refuse_other_model(active(tx), embedder)
    rows = tx.rows("pending_claim", {**where, "now": timestamp(moment), "limit": _BATCH})
    _lease(tx, rows, until=timestamp(moment + _LEASE), error=None)
    return rows


def _lease(tx: Transaction, rows: Sequence[Row], *, until: str | None, error: str | None) -> None:
    """Keep waiting nodes from other workers until a time, or let them go, and note an error."""
    leases = [{"owner": row[0], "seq": row[1], "until": until, "error": error and error[:500]} for row in rows]
    tx.many("pending_lease", leases, {})


def _complete_batch(database: Database, embedder: Embedder, batch: Sequence[Row], clock: Callable[[], datetime]) -> int:
    """Make and store the vectors of leased nodes; return how many got theirs."""
    now = clock()
    taken, vectors, refused = _made_of_rows(embedder, batch)

    def work(tx: Transaction) -> int:
        saved = 0
        if taken:
            dimension = vectors.shape[1]
            model = active(tx) or _activated(tx, embedder.model_id, dimension, now=timestamp(now))
            _refuse_other_model(model, embedder, dimension)
            saved = _store(tx, taken, vectors, model, now=timestamp(now))
        # A node that changed while it was embedded has no vector and may be taken again at once.
        _lease(tx, taken, until=None, error=None)
        for row, reason in refused:
            _lease(tx, [row], until=timestamp(now + _REFUSED_LEASE), error=reason)
        return saved

    return database.write(work)


def _fill(database: Database, embedder: Embedder, batch: Sequence[Row], model: EmbeddingModel, *, now: str) -> int:
    """Make and store the vectors of nodes with a model that is not active yet; return how many got theirs."""
    taken, vectors, _ = _made_of_rows(embedder, batch)
    if not taken:
        return 0
    _refuse_other_model(model, embedder, vectors.shape[1])
    return database.write(lambda tx: _store(tx, taken, vectors, model, now=now))


def _made_of_rows(embedder: Embedder, batch: Sequence[Row]) -> tuple[list[Row], Matrix, list[tuple[Row, str]]]:
    """Return the rows that the embedder takes, their vectors, and the rows that it refuses, with its reasons."""
    try:
        return list(batch), vectors_of(embedder, [_text_of_row(row) for row in batch]), []
    except TextRefused:  # it refuses all texts because of one: give it each by itself
        vectors: dict[Row, Matrix] = {}
        refused: list[tuple[Row, str]] = []
        for row in batch:
            try:
                vectors[row] = vectors_of(embedder, [_text_of_row(row)])
            except TextRefused as error:
                refused.append((row, error.message))
        return list(vectors), np.concatenate(list(vectors.values()) or [np.empty((0, 0), np.float32)]), refused


def _text_of_row(row: Row) -> str:
    """Return the text that the vector of a waiting node is made of."""
    return shared_text(text_of(row[3], row[4]), row[5])


def _store(tx: Transaction, batch: Sequence[Row], vectors: Matrix, model: EmbeddingModel, *, now: str) -> int:
    """Write the vectors of nodes that have not changed since they were read; return how many."""
    known = [{"owner": row[0], "seq": row[1], "id": row[2], "version": row[6]} for row in batch]
    rows = [{**given, "content_hash": content_hash(_text_of_row(row))} for given, row in zip(known, batch, strict=True)]
    for owner in sorted({row["owner"] for row in rows}):
        locks.share(tx, owner)
        locks.hold_nodes(tx, owner, [row["id"] for row in rows if row["owner"] == owner])
    same = {row[0] for row in tx.many("nodes_unchanged", rows, {})}
    kept = [row for row in rows if row["seq"] in same]
    _save(tx, kept, {row["content_hash"]: vector for row, vector in zip(rows, vectors, strict=True)}, model, now=now)
    tx.many("pending_done", rows, {})
    return len(kept)


def _switch(tx: Transaction, model: EmbeddingModel) -> int | None:
    """Make a filled model the active one; nodes that were saved meanwhile without its vector wait for one.

    Returns the number of the model that was active before.
    """
    locks.be_alone_with_all(tx)
    before = active(tx)
    tx.run("model_rest", {})
    if tx.count("model_activate", {"model": model.number}) != 1:
        raise Conflict(
            f"the vectors of {model.model_id} were deleted by another change of the model", hint="run it again"
        )
    tx.run("pending_clear", {})
    find_missing(tx)
    return None if before is None or before.number == model.number else before.number


def _drop(database: Database, number: int) -> None:
    """Delete a model that is no longer used, its vectors in short transactions."""
    database.vectors.forget(number)
    while database.write(lambda tx: tx.count("embeddings_delete", {"model": number, "limit": _DELETE_BATCH})):
        pass
    database.write(lambda tx: tx.run("model_delete", {"model": number}))
