"""Embeddings: written with the node or marked as waiting, completed later on lease, one model active at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from recollect.embedding.port import Embedder, Matrix
from recollect.model.access import Access
from recollect.model.errors import Conflict, EmbedderUnavailable
from recollect.model.graph import BOUNDARY_CLASSES, BoundaryClass, Node
from recollect.model.identifiers import timestamp
from recollect.storage.port import Database, Model, Progress, Transaction
from recollect.text.check import content_hash, json_text
from recollect.text.tokens import text_of

if TYPE_CHECKING:
    from recollect.storage.port import Row

KINDS: Final = ("memo", "claim", "fragment", "entity")
_BATCH: Final = 256
_LEASE: Final = timedelta(minutes=5)
_DELETE_BATCH: Final = 5_000


@dataclass(frozen=True, slots=True)
class Made:
    """Vectors made before a transaction, by the hash of what they were made of; with `vectors` empty, none could be."""

    model_id: str
    vectors: Mapping[str, Matrix]


def made(embedder: Embedder, texts: Sequence[str]) -> Made:
    """The vectors of these texts, if the embedder is instant and works; a save never fails for want of one."""
    if not embedder.instant or not texts:
        return Made(embedder.model_id, {})
    try:
        rows = embedder.embed(texts)
    except EmbedderUnavailable:
        return Made(embedder.model_id, {})
    return Made(embedder.model_id, dict(zip(map(content_hash, texts), rows, strict=True)))


def active(tx: Transaction) -> Model | None:
    """The model whose vectors are searched."""
    row = tx.row("model_active", {})
    return None if row is None else Model(*row)


def write(
    tx: Transaction, access: Access, written: Sequence[Node], made_before: Made | None, *, new: bool, now: str
) -> None:
    """Store the vectors of nodes that were just written; what has none waits, unless vectors are not wanted at all."""
    wanted = [{"owner": access.owner, "id": node.id, **_made_of(node)} for node in written if node.kind in KINDS]
    if not wanted:
        return
    model = active(tx)
    vectors: Mapping[str, Matrix] = {}
    if made_before is not None and made_before.vectors and (model is None or model.model_id == made_before.model_id):
        vectors = made_before.vectors
        dimension = len(next(iter(vectors.values())))
        model = model or _register(tx, made_before.model_id, dimension, state="active", now=now)
        vectors = vectors if model.dimension == dimension else {}
    if not new:
        wanted = _changed(tx, access, wanted, model)
        tx.run_many("embedding_forget", wanted)
        tx.run_many("pending_remove", wanted)
    if model is not None:
        tx.run_many("embedding_save", _with_vectors(tx, wanted, vectors, model))
    if model is not None or made_before is not None:
        tx.run_many("pending_add", [row for row in wanted if row["content_hash"] not in vectors])


def of_nodes(tx: Transaction, access: Access, ids: Sequence[str], model: Model) -> dict[str, Matrix]:
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
    stop: Callable[[], bool] = lambda: False,
    progress: Progress,
) -> int:
    """Give the nodes that wait their vectors, a leased batch at a time; returns how many got one.

    Raises EmbedderUnavailable when the embedder fails: the nodes go on waiting, with the reason noted.
    """
    classes = sendable(embedder, classes)
    done = 0
    while not stop():
        batch = database.write(lambda tx: _claim(tx, classes, clock()))
        if not batch:
            break
        try:
            vectors = embedder.embed([text_of(title, content) for _, _, title, content, _ in batch])
            model = database.write(lambda tx, v=vectors: _model_for(tx, embedder, v.shape[1], timestamp(clock())))  # type: ignore[misc]
        except (EmbedderUnavailable, Conflict) as error:
            _release(database, batch, error.message)
            raise EmbedderUnavailable(error.message, hint=error.hint) from None
        database.write(lambda tx, b=batch, v=vectors, m=model: _complete(tx, b, v, m))  # type: ignore[misc]
        done += len(batch)
        left = database.read(lambda tx: tx.row("pending_total", {"classes": json_text(classes)}))
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
    dimension = embedder.embed(["a text to learn the dimension from"]).shape[1]
    model = database.write(lambda tx: _named(tx, embedder, dimension, timestamp(clock())))
    where = {
        "kinds": json_text(KINDS),
        "classes": json_text(sendable(embedder, classes)),
        "model": model.number,
        "limit": _BATCH,
    }
    (total,) = database.read(lambda tx: tx.row("fill_total", where)) or (0,)
    done = 0
    after = 0
    while True:
        rows = database.read(lambda tx, a=after: tx.rows("fill_batch", {**where, "after": a}))  # type: ignore[misc]
        if not rows and after == 0:
            break
        after = rows[-1][0] if rows else 0  # at the end once more from the start: what was changed meanwhile
        if rows:
            vectors = embedder.embed([text_of(title, content) for _, _, _, title, content, _ in rows])
            _check_dimension(model, vectors.shape[1])
            database.write(lambda tx, r=rows, v=vectors: _complete(tx, [row[1:] for row in r], v, model))  # type: ignore[misc]
            done += len(rows)
            progress(done, max(total, done))
    old = database.write(lambda tx: _switch(tx, model))
    database.vectors.prepare(model)
    for number in old:
        _drop(database, number)
    return done


def sendable(embedder: Embedder, classes: Sequence[BoundaryClass]) -> tuple[BoundaryClass, ...]:
    """The boundary classes whose texts this embedder may have: those that may be sent, or all if it sends nothing."""
    return tuple(name for name in BOUNDARY_CLASSES if name != "secret" and (not embedder.sends or name in classes))


def _made_of(node: Node) -> dict[str, Any]:
    return {"content_hash": content_hash(text_of(node.title, node.content)), "version": None}


def _changed(
    tx: Transaction, access: Access, wanted: list[dict[str, Any]], model: Model | None
) -> list[dict[str, Any]]:
    """Those whose text is not the one that their vector was made of."""
    if model is None:
        return wanted
    ids = json_text([row["id"] for row in wanted])
    known: dict[str, str] = dict(
        tx.rows("embedding_hashes", {"owner": access.owner, "ids": ids, "model": model.number})
    )
    return [row for row in wanted if known.get(row["id"]) != row["content_hash"]]


def _with_vectors(
    tx: Transaction, wanted: Sequence[Mapping[str, Any]], vectors: Mapping[str, Matrix], model: Model
) -> list[dict[str, Any]]:
    return [
        {**row, "model": model.number, "vector": tx.dialect.to_vector(vectors[row["content_hash"]])}
        for row in wanted
        if row["content_hash"] in vectors
    ]


def _register(tx: Transaction, model_id: str, dimension: int, *, state: str, now: str) -> Model:
    tx.run("model_insert", {"model_id": model_id, "dimension": dimension, "state": state, "now": now})
    row = tx.row("model_named", {"model_id": model_id})
    assert row is not None
    return Model(*row)


def _model_for(tx: Transaction, embedder: Embedder, dimension: int, now: str) -> Model:
    """The active model, which must be this embedder's; the first vectors of a store make theirs the active one."""
    model = active(tx)
    if model is None:
        named = tx.row("model_named", {"model_id": embedder.model_id})
        if named is not None:
            model = Model(*named)
            tx.run("model_activate", {"model": model.number})
        else:
            model = _register(tx, embedder.model_id, dimension, state="active", now=now)
    if model.model_id != embedder.model_id:
        raise Conflict(mismatch(model, embedder), hint="`recollect reembed` changes the model of the store")
    _check_dimension(model, dimension)
    return model


def mismatch(model: Model, embedder: Embedder) -> str:
    """Says that the store and this process use different models."""
    return f"the store's vectors are made with {model.model_id}; this process is set up for {embedder.model_id}"


def _check_dimension(model: Model, dimension: int) -> None:
    if model.dimension != dimension:
        raise EmbedderUnavailable(
            f"{model.model_id} answered with {dimension} dimensions; its stored vectors have {model.dimension}",
            hint="is another model behind this name now? Give it another name and run `recollect reembed`",
        )


def _named(tx: Transaction, embedder: Embedder, dimension: int, now: str) -> Model:
    """The model of an embedder, made known if it is new."""
    row = tx.row("model_named", {"model_id": embedder.model_id})
    if row is None:
        return _register(tx, embedder.model_id, dimension, state="filling", now=now)
    model = Model(*row)
    _check_dimension(model, dimension)
    return model


def _claim(tx: Transaction, classes: Sequence[BoundaryClass], moment: datetime) -> list[Row]:
    where = {"now": timestamp(moment), "classes": json_text(classes), "limit": _BATCH}
    rows = tx.rows("pending_claim", where)
    lease = {"until": timestamp(moment + _LEASE), "error": None}
    tx.run_many("pending_lease", [{"owner": row[0], "id": row[1], **lease} for row in rows])
    return rows


def _release(database: Database, batch: Sequence[Row], error: str) -> None:
    rows = [{"owner": row[0], "id": row[1], "until": None, "error": error[:500]} for row in batch]
    database.write(lambda tx: tx.run_many("pending_lease", rows))


def _complete(tx: Transaction, batch: Sequence[Row], vectors: Matrix, model: Model) -> None:
    rows = [
        {
            "owner": owner,
            "id": node_id,
            "version": version,
            "model": model.number,
            "content_hash": content_hash(text_of(title, content)),
            "vector": tx.dialect.to_vector(vector),
        }
        for (owner, node_id, title, content, version), vector in zip(batch, vectors, strict=True)
    ]
    tx.run_many("embedding_save", rows)
    tx.run_many("pending_done", rows)


def _switch(tx: Transaction, model: Model) -> list[int]:
    """Make a filled model the active one; what was saved meanwhile without its vector waits for it."""
    old = [number for number, *_ in tx.rows("model_list", {}) if number != model.number]
    tx.run("model_rest", {})
    tx.run("model_activate", {"model": model.number})
    tx.run("pending_clear", {})
    find_missing(tx)
    return old


def _drop(database: Database, number: int) -> None:
    """Delete a model that is no longer used, its vectors in short transactions."""
    while database.write(lambda tx: tx.count("embeddings_delete", {"model": number, "limit": _DELETE_BATCH})):
        pass
    database.write(lambda tx: tx.run("model_delete", {"model": number}))
