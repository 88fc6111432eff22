"""`Memory`: the verbs in one class, each declared on the engine that does it, and how to open it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from wherefrom.api.calibrate import CalibrateEngine
from wherefrom.api.documents import DocumentEngine
from wherefrom.api.evidence import EvidenceEngine
from wherefrom.api.explore import ExploreEngine
from wherefrom.api.insight import InsightEngine
from wherefrom.api.memos import MemoEngine
from wherefrom.api.metabolism import MetabolismEngine
from wherefrom.api.opening import access_from
from wherefrom.api.policy import PolicyEngine
from wherefrom.api.recall import RecallEngine
from wherefrom.api.reclassify import ReclassifyEngine
from wherefrom.api.relations import NamespaceEngine, RelationEngine
from wherefrom.api.search import SearchEngine
from wherefrom.api.store import Store, settings_of
from wherefrom.api.tasks import TaskEngine
from wherefrom.api.upkeep import UpkeepEngine
from wherefrom.api.verb import verb
from wherefrom.api.view import View
from wherefrom.embedding.port import Embedder


class Memory:
    """A memory, seen by one owner from one root.

    Many threads may share one; a process opens its own (also after a fork).
    """

    def __init__(self, view: View, *, own_store: Store | None = None) -> None:
        """`own_store` is closed with it."""
        self.view = view
        self._own_store = own_store

    @classmethod
    def open(
        cls,
        url: str | Path | None = None,
        *,
        owner: str | None = None,
        root: str | None = None,
        also: Sequence[str] | None = None,
        namespace: str | None = None,
        allow: Sequence[str] | None = None,
        embedder: str | Embedder | None = None,
        embed_model: str | None = None,
        privacy: str | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Self:
        """Open a memory by path or URL, with a store of its own. What is not given comes from the environment, then the
        defaults.

        `root` confines everything to one namespace and what is below it, `also` names further namespaces to read,
        `namespace` is the default inside the root, `allow` holds the tags that open boundary classes. `embedder` is
        the name of one (see the settings) or an object of your own that is one; `embed_model` is its model.
        `privacy="shared"` treats a personal memory as a shared one, for those who are not its owner. `clock` tells the
        time instead of the machine's, with a zone: what is fresh and what has expired depends on it.
        """
        given = {"owner": owner, "root": root, "also": also, "namespace": namespace, "allow": allow}
        settings = settings_of(url, embedder=embedder, embed_model=embed_model, privacy=privacy, **given)
        access = access_from(settings.owner, settings.root, settings.also, settings.namespace, settings.allow)
        store = Store.from_settings(settings, embedder=embedder, clock=clock)
        return cls(View(store, access, settings.allow), own_store=store)

    @property
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""
        return self.view.root

    def close(self) -> None:
        """Finish the work at hand and close the store, if it is this memory's own."""
        if self._own_store is not None:
            self._own_store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Memos.
    save = verb(MemoEngine, MemoEngine.save)
    get = verb(MemoEngine, MemoEngine.get)
    list = verb(MemoEngine, MemoEngine.list)
    delete = verb(MemoEngine, MemoEngine.delete)

    # Finding.
    search = verb(SearchEngine, SearchEngine.search)
    vector_search = verb(SearchEngine, SearchEngine.vector_search)

    # Recall.
    activate = verb(RecallEngine, RecallEngine.activate)
    context = verb(RecallEngine, RecallEngine.context)
    feedback = verb(RecallEngine, RecallEngine.feedback)
    sweep = verb(RecallEngine, RecallEngine.sweep)

    # Relations and namespaces.
    relate = verb(RelationEngine, RelationEngine.relate)
    unrelate = verb(RelationEngine, RelationEngine.unrelate)
    relations = verb(RelationEngine, RelationEngine.relations)
    walk = verb(RelationEngine, RelationEngine.walk)
    namespaces = verb(NamespaceEngine, NamespaceEngine.namespaces)
    rename_namespace = verb(NamespaceEngine, NamespaceEngine.rename_namespace)

    # Insight.
    find_insight = verb(InsightEngine, InsightEngine.find_insight)
    apply_insight = verb(InsightEngine, InsightEngine.apply_insight)
    undo_insight = verb(InsightEngine, InsightEngine.undo_insight)
    insight_plan = verb(InsightEngine, InsightEngine.insight_plan)

    # Evidence and tasks.
    add_evidence = verb(EvidenceEngine, EvidenceEngine.add_evidence)
    add_documents = verb(DocumentEngine, DocumentEngine.add_documents)
    correct_edge = verb(EvidenceEngine, EvidenceEngine.correct_edge)
    reject_claim = verb(EvidenceEngine, EvidenceEngine.reject_claim)
    restore_claim = verb(EvidenceEngine, EvidenceEngine.restore_claim)
    create_task = verb(TaskEngine, TaskEngine.create_task)
    update_task = verb(TaskEngine, TaskEngine.update_task)
    status = verb(TaskEngine, TaskEngine.status)

    # Questions in SQL.
    query_graph = verb(ExploreEngine, ExploreEngine.query_graph)
    query_view = verb(ExploreEngine, ExploreEngine.query_view)
    render_view = verb(ExploreEngine, ExploreEngine.render_view)
    views = verb(ExploreEngine, ExploreEngine.views)

    # Policies and privacy.
    apply_policy = verb(PolicyEngine, PolicyEngine.apply_policy)
    policy = verb(PolicyEngine, PolicyEngine.policy)
    privacy = verb(PolicyEngine, PolicyEngine.privacy)
    choose_privacy = verb(PolicyEngine, PolicyEngine.choose_privacy)
    validate_boundary = verb(PolicyEngine, PolicyEngine.validate_boundary)
    reclassify = verb(ReclassifyEngine, ReclassifyEngine.reclassify)
    calibrate = verb(CalibrateEngine, CalibrateEngine.calibrate)

    # Metabolism.
    metabolize = verb(MetabolismEngine, MetabolismEngine.metabolize)
    restore = verb(MetabolismEngine, MetabolismEngine.restore)
    reinforce = verb(MetabolismEngine, MetabolismEngine.reinforce)

    # Upkeep.
    export = verb(UpkeepEngine, UpkeepEngine.export)
    import_ = verb(UpkeepEngine, UpkeepEngine.import_)
    backup = verb(UpkeepEngine, UpkeepEngine.backup)
    reindex = verb(UpkeepEngine, UpkeepEngine.reindex)
    embed = verb(UpkeepEngine, UpkeepEngine.embed)
    reembed = verb(UpkeepEngine, UpkeepEngine.reembed)
    info = verb(UpkeepEngine, UpkeepEngine.info)
    doctor = verb(UpkeepEngine, UpkeepEngine.doctor)
