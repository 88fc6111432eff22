"""Embeddings: written with the node or marked as waiting, completed later on lease, one model active at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.embedding.port import Embedder, Matrix, vectors_of
from wherefrom.lazy import np
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

logger = logging.getLogger("wherefrom")

KINDS: Final = ("memo", "claim", "fragment", "entity")
_BATCH: Final = 256
_LEASE: Final = timedelta(minutes=2)
_REFUSED_LEASE: Final = timedelta(days=1)
_DELETE_BATCH: Final = 5_000


@dataclass(frozen=True, slots=True)
class Made:
    """Vectors made before a transaction, by the hash of what they were made of; with `vectors` empty, none could be."""

    model_id: str
    vectors: Mapping[str, Matrix]


def made(embedder: Embedder, texts: Sequence[str]) -> Made:
    """The vectors of these texts, if they can be made at once; a save never fails for want of one."""
    if not is_instant(embedder) or not texts:
        return Made(embedder.model_id, {})
    try:
        rows = vectors_of(embedder, texts)
    except EmbedderUnavailable:
        return Made(embedder.model_id, {})
    return Made(embedder.model_id, dict(zip(map(content_hash, texts), rows, strict=True)))


def embedded_text(node: Node) -> str:
    """The text that a node's vector is made of."""
    return shared_text(text_of(node.title, node.content), node.shared_class)


def is_instant(embedder: Embedder | None) -> bool:
    """True if texts are embedded within a save; what is sent away waits for the worker, which knows what may be."""
    return embedder is not None and embedder.instant and not embedder.sends


def active(tx: Transaction) -> EmbeddingModel | None:
    """The model whose vectors are searched."""
    row = tx.row("model_active", {})
    return None if row is None else EmbeddingModel(*row)


def write(
    tx: Transaction,
    access: Access,
    seqs: Mapping[str, int],
    new: Sequence[Node],
    made_before: Made | None,
    *,
    now: str,
) -> None:
    """Store the vectors of nodes that are new; one without a vector waits, unless vectors are not wanted at all."""
    wanted = [{"seq": seqs[node.id], "content_hash": _hash_of(node)} for node in new if node.kind in KINDS]
    if not wanted:
        return
    # Whoever switches the model is alone with all owners, and this transaction shares its owner: none comes between.
    model = known = active(tx)
    vectors: Mapping[str, Matrix] = {}
    if made_before is not None and made_before.vectors and (model is None or model.model_id == made_before.model_id):
        vectors = made_before.vectors
        dimension = len(next(iter(vectors.values())))
        model = model or _register(tx, made_before.model_id, dimension, state="active", now=now)
        vectors = vectors if model.dimension == dimension else {}
    if model is not None:
        _save(tx, [{"owner": access.owner, **row} for row in wanted], vectors, model, now=now)
    if model is not None or made_before is not None:
        tx.many("pending_add", [row for row in wanted if row["content_hash"] not in vectors], {"owner": access.owner})
    if known is None and model is not None:
        find_missing(tx)  # the first vector of the store: what was saved before it wants one, too


def forget_changed(tx: Transaction, access: Access, seqs: Mapping[str, int], changed: Sequence[Node]) -> list[Node]:
    """Delete the vectors of nodes whose text is not the one that their vector was made of; returns those nodes."""
    model = active(tx)
    known: dict[int, str] = {}
    if model is not None:
        where = {"owner": access.owner, "seqs": json_text([seqs[node.id] for node in changed]), "model": model.number}
        known = dict(tx.rows("embedding_hashes", where))
    stale = [node for node in changed if node.kind in KINDS and known.get(seqs[node.id]) != _hash_of(node)]
    where = {"owner": access.owner, "seqs": json_text([seqs[node.id] for node in stale])}
    tx.run("embedding_forget", where)
    tx.run("pending_remove", where)
    return stale


def settle(tx: Transaction, access: Access, seqs: Iterable[int]) -> None:
    """Take nodes off the waiting list that have their vector of the active model."""
    tx.many("pending_done", [{"owner": access.owner, "seq": seq} for seq in seqs], {})


def of_nodes(tx: Transaction, access: Access, ids: Sequence[str], model: EmbeddingModel) -> dict[str, Matrix]:
    """The vectors of these nodes, as far as they have one."""
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
            _release(database, batch, error.message if isinstance(error, WherefromError) else "interrupted")
            if isinstance(error, Conflict):
                raise EmbedderUnavailable(error.message, hint=error.hint) from None
            raise
        left = database.read(lambda tx: tx.row("pending_total", where))
        progress(done, done + (left[0] if left else 0))
    return done


def find_missing(tx: Transaction) -> None:
    """Put every node that should have a vector and has none among those that wait."""
    tx.run("pending_missing", {"kinds": json_text(KINDS)})


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
    model = database.write(lambda tx: _named(tx, embedder, dimension, timestamp(clock())))
    where = {
        "kinds": json_text(KINDS),
        "classes": json_text(sendable(embedder, classes)),
        "model": model.number,
        "limit": _BATCH,
    }
    (total,) = database.read(lambda tx: tx.row("fill_total", where)) or (0,)
    done = in_pass = after = 0
    while True:
        rows = database.read(lambda tx, a=after: tx.rows("fill_batch", {**where, "after": a}))  # type: ignore[misc]
        if rows:
            after = rows[-1][1]
            saved = _fill(database, embedder, rows, model, now=timestamp(clock()))
            in_pass, done = in_pass + saved, done + saved
            progress(done, max(total, done))
        elif in_pass:
            after = in_pass = 0  # once more from the start, for what was changed meanwhile
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


def _hash_of(node: Node) -> str:
    """The hash of what a node's vector is made of."""
    return content_hash(embedded_text(node))


def _save(
    tx: Transaction,
    rows: Sequence[Mapping[str, Any]],
    vectors: Mapping[str, Matrix],
    model: EmbeddingModel,
    *,
    now: str,
) -> None:
    """Write the vectors of rows with owner, seq and content_hash, as far as there are any for these hashes."""
    found = [(row, vectors[row["content_hash"]]) for row in rows if row["content_hash"] in vectors]
    saved = [{**row, "vector": tx.dialect.to_vector(vector)} for row, vector in found]
    for owner in sorted({row["owner"] for row in saved}):
        own = [row for row in saved if row["owner"] == owner]
        tx.many("embedding_save", own, {"owner": owner, "model": model.number, "now": now})


def _register(tx: Transaction, model_id: str, dimension: int, *, state: str, now: str) -> EmbeddingModel:
    tx.run("model_insert", {"model_id": model_id, "dimension": dimension, "state": state, "now": now})
    row = tx.row("model_named", {"model_id": model_id})
    assert row is not None
    return EmbeddingModel(*row)


def _model_for(tx: Transaction, embedder: Embedder, dimension: int, now: str) -> EmbeddingModel:
    """The active model, which must be this embedder's; the first vectors of a store make theirs the active one."""
    model = active(tx)
    if model is None:
        named = tx.row("model_named", {"model_id": embedder.model_id})
        if named is not None:
            model = EmbeddingModel(*named)
            tx.run("model_activate", {"model": model.number})
        else:
            model = _register(tx, embedder.model_id, dimension, state="active", now=now)
    if model.model_id != embedder.model_id:
        raise Conflict(mismatch(model, embedder), hint="`wherefrom reembed` changes the model of the store")
    _check_dimension(model, dimension)
    return model


def mismatch(model: EmbeddingModel, embedder: Embedder) -> str:
    """Says that the store and this process use different models."""
    return f"the store's vectors are made with {model.model_id}; this process is set up for {embedder.model_id}"


def _check_dimension(model: EmbeddingModel, dimension: int) -> None:
    if model.dimension != dimension:
        raise EmbedderUnavailable(
            f"{model.model_id} answered with {dimension} dimensions; its stored vectors have {model.dimension}",
            hint="is another model behind this name now? Give it another name and run `wherefrom reembed`",
        )


def _named(tx: Transaction, embedder: Embedder, dimension: int, now: str) -> EmbeddingModel:
    """The model of an embedder, made known if it is new."""
    row = tx.row("model_named", {"model_id": embedder.model_id})
    if row is None:
        return _register(tx, embedder.model_id, dimension, state="filling", now=now)
    model = EmbeddingModel(*row)
    _check_dimension(model, dimension)
    return model


def _claim(tx: Transaction, embedder: Embedder, where: Mapping[str, Any], moment: datetime) -> list[Row]:
    model = active(tx)
    if model is not None and model.model_id != embedder.model_id:
        raise EmbedderUnavailable(mismatch(model, embedder), hint="`wherefrom reembed` changes the model of the store")
    rows = tx.rows("pending_claim", {**where, "now": timestamp(moment), "limit": _BATCH})
    lease = {"until": timestamp(moment + _LEASE), "error": None}
    tx.many("pending_lease", [{"owner": row[0], "seq": row[1], **lease} for row in rows], {})
    return rows


def _release(database: Database, batch: Sequence[Row], error: str) -> None:
    rows = [{"owner": row[0], "seq": row[1], "until": None, "error": error[:500]} for row in batch]
    database.write(lambda tx: tx.many("pending_lease", rows, {}))


def _complete_batch(database: Database, embedder: Embedder, batch: Sequence[Row], clock: Callable[[], datetime]) -> int:
    """The vectors of leased nodes; returns how many got theirs."""
    now = clock()
    taken, vectors, refused = _made_of_rows(embedder, batch)
    later = timestamp(now + _REFUSED_LEASE)

    def work(tx: Transaction) -> int:
        saved = 0
        if taken:
            model = _model_for(tx, embedder, vectors.shape[1], timestamp(now))
            saved = _store(tx, taken, vectors, model, now=timestamp(now))
        # What changed while it was embedded has no vector and may be taken again at once.
        free = [{"owner": row[0], "seq": row[1], "until": None, "error": None} for row in taken]
        wait = [{"owner": row[0], "seq": row[1], "until": later, "error": why} for row, why in refused]
        tx.many("pending_lease", [*free, *wait], {})
        return saved

    return database.write(work)


def _fill(database: Database, embedder: Embedder, batch: Sequence[Row], model: EmbeddingModel, *, now: str) -> int:
    taken, vectors, _ = _made_of_rows(embedder, batch)
    if not taken:
        return 0
    _check_dimension(model, vectors.shape[1])
    return database.write(lambda tx: _store(tx, taken, vectors, model, now=now))


def _made_of_rows(embedder: Embedder, batch: Sequence[Row]) -> tuple[list[Row], Matrix, list[tuple[Row, str]]]:
    """The rows that the embedder takes, their vectors, and those that it refuses with its reason."""
    texts = [shared_text(text_of(row[3], row[4]), row[5]) for row in batch]
    try:
        return list(batch), vectors_of(embedder, texts), []
    except TextRefused:
        # One of them it will not have: ask for each by itself.
        taken: list[Row] = []
        vectors: list[Matrix] = []
        refused: list[tuple[Row, str]] = []
        for row, text in zip(batch, texts, strict=True):
            try:
                vectors.append(vectors_of(embedder, [text]))
                taken.append(row)
            except TextRefused as error:
                refused.append((row, error.message[:500]))
        return taken, np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32), refused


def _store(tx: Transaction, batch: Sequence[Row], vectors: Matrix, model: EmbeddingModel, *, now: str) -> int:
    """Write the vectors of nodes that have not changed since they were read; returns how many."""
    rows = [
        {
            "owner": owner,
            "seq": seq,
            "id": node_id,
            "version": version,
            "content_hash": content_hash(shared_text(text_of(title, content), shared_class)),
        }
        for owner, seq, node_id, title, content, shared_class, version in batch
    ]
    for owner in sorted({row["owner"] for row in rows}):
        locks.share(tx, owner)
        locks.hold_nodes(tx, owner, [row["id"] for row in rows if row["owner"] == owner])
    same = {row[0] for row in tx.many("nodes_unchanged", rows, {})}
    kept = [row for row in rows if row["seq"] in same]
    _save(tx, kept, {row["content_hash"]: vector for row, vector in zip(rows, vectors, strict=True)}, model, now=now)
    tx.many("pending_done", rows, {})
    return len(kept)


def _switch(tx: Transaction, model: EmbeddingModel) -> int | None:
    """Make a filled model the active one; what was saved meanwhile without its vector waits for it.

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
