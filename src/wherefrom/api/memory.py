"""`Memory`: the verbs in one class, each declared on the engine that does it, and how to open it.

A verb is made of an engine's method: its arguments are checked here, once, as they are declared.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from wherefrom import api
from wherefrom.engine.checking import checked, referring
from wherefrom.lazy import Later, lazy_modules
from wherefrom.model.errors import NotFound
from wherefrom.model.identifiers import is_whole
from wherefrom.model.param import Param, parameters_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from wherefrom.api.forgetting import ForgetEngine
    from wherefrom.api.history import HistoryEngine
    from wherefrom.api.memos import MemoEngine
    from wherefrom.api.policy import PolicyEngine
    from wherefrom.api.relations import NamespaceEngine, RelationEngine
    from wherefrom.api.restoring import RestoreEngine
    from wherefrom.api.reviewing import ReviewEngine
    from wherefrom.api.upkeep import UpkeepEngine
    from wherefrom.embedding.port import Embedder
    from wherefrom.engine import references
    from wherefrom.engine.view import Engine, View
    from wherefrom.evidence.corrections import CorrectionEngine
    from wherefrom.evidence.documents.add import DocumentEngine
    from wherefrom.evidence.store import EvidenceEngine
    from wherefrom.evidence.tasks import TaskEngine
    from wherefrom.explore.sql import ExploreEngine
    from wherefrom.explore.vectors import VectorSearchEngine
    from wherefrom.insight.plans import InsightEngine
    from wherefrom.metabolism.engine import MetabolismEngine
    from wherefrom.recall.feedback import FeedbackEngine
    from wherefrom.recall.verbs import RecallEngine
else:
    (references,) = lazy_modules("wherefrom.engine", "references")
    CorrectionEngine = Later("wherefrom.evidence.corrections").CorrectionEngine
    DocumentEngine = Later("wherefrom.evidence.documents.add").DocumentEngine
    EvidenceEngine = Later("wherefrom.evidence.store").EvidenceEngine
    ExploreEngine = Later("wherefrom.explore.sql").ExploreEngine
    FeedbackEngine = Later("wherefrom.recall.feedback").FeedbackEngine
    ForgetEngine = Later("wherefrom.api.forgetting").ForgetEngine
    HistoryEngine = Later("wherefrom.api.history").HistoryEngine
    InsightEngine = Later("wherefrom.insight.plans").InsightEngine
    MemoEngine = Later("wherefrom.api.memos").MemoEngine
    MetabolismEngine = Later("wherefrom.metabolism.engine").MetabolismEngine
    PolicyEngine = Later("wherefrom.api.policy").PolicyEngine
    RecallEngine = Later("wherefrom.recall.verbs").RecallEngine
    NamespaceEngine = Later("wherefrom.api.relations").NamespaceEngine
    RelationEngine = Later("wherefrom.api.relations").RelationEngine
    RestoreEngine = Later("wherefrom.api.restoring").RestoreEngine
    ReviewEngine = Later("wherefrom.api.reviewing").ReviewEngine
    TaskEngine = Later("wherefrom.evidence.tasks").TaskEngine
    UpkeepEngine = Later("wherefrom.api.upkeep").UpkeepEngine
    VectorSearchEngine = Later("wherefrom.explore.vectors").VectorSearchEngine

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Engine = TypeVar("_Engine", bound="Engine")


def verb(function: Callable[Concatenate[_Engine, _Given], _Answer]) -> Callable[Concatenate[Memory, _Given], _Answer]:
    """Return the method of `Memory` that runs an engine's method, with the same signature and docstring."""
    return LazyVerb(function)  # type: ignore[arg-type, return-value]  # it is named by a `Later`, and becomes a method


class LazyVerb:
    """A verb whose engine is imported when the verb is first used; from then on, `Memory` has a method in its place."""

    def __init__(self, named: Later) -> None:
        self.named = named

    def __set_name__(self, memory: type[Memory], name: str) -> None:
        self._name = name

    def __get__(self, memory: Memory | None, kind: type[Memory]) -> Callable[..., Any]:
        function, engine = self.named()
        method = _method(engine, function)
        setattr(kind, self._name, method)
        return method if memory is None else MethodType(method, memory)


def docstring_of(memory: type[Memory], name: str) -> str:
    """Return the docstring of a verb, without importing its engine."""
    found = vars(memory)[name]
    return inspect.cleandoc(found.named.read_docstring() if isinstance(found, LazyVerb) else found.__doc__)


def _method(engine: type[Engine], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `Memory` that checks its arguments and gives them to a new engine's method."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(self: Memory, /, *args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(None, *args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        del given["self"]
        declared = parameters_of(function)
        values = {name: checked(value, declared[name]) if name in declared else value for name, value in given.items()}
        values = referring(values, declared, partial(_whole_id, self.view))
        try:
            return function(engine(self.view), **values)
        except NotFound as error:
            if error.code == NotFound.code:
                referring(values, declared, partial(_refuse_gone, self.view))
            raise

    return run


def _whole_id(view: View, param: Param, given: str, field: str) -> str:
    """Return the id that is meant; one that is given whole is not looked up."""
    return given if is_whole(given) else references.whole_id(view, param, given, field)


def _refuse_gone(view: View, param: Param, given: str, field: str) -> str:
    """Raise an error if a node was let go."""
    if param.refers == "node":
        references.refuse_gone(view, given, field)
    return given


class Memory:
    """A memory, seen by one owner from one root.

    Many threads may share one; a process opens its own (also after a fork).
    """

    def __init__(self, view: View, *, own_store: api.Store | None = None) -> None:
        """`own_store` is closed with this memory."""
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
        create: bool = True,
    ) -> Self:
        """Open a memory by path or URL, with a store of its own. What is not given comes from the environment, then the
        user's file, then the defaults.

        `root` confines everything to one namespace and what is below it, `also` names further namespaces to read,
        `namespace` is the default inside the root, `allow` holds the tags that open boundary classes. `embedder` is
        the name of one (see the settings) or an object of your own that is one; `embed_model` is its model.
        `privacy="shared"` treats a personal memory as a shared one, for those who are not its owner. `clock` tells the
        time instead of the machine's, with a zone: what is fresh and what has expired depends on it. `create=False`
        raises StoreUnavailable if a SQLite file is not there, where it would be made otherwise.
        """
        given = {"owner": owner, "root": root, "also": also, "namespace": namespace, "allow": allow}
        settings = api.settings_of(url, embedder=embedder, embed_model=embed_model, privacy=privacy, **given)
        access = api.access_of(settings)
        store = api.Store.from_settings(settings, embedder=embedder, clock=clock, create=create)
        return cls(store.view(access, settings.allow), own_store=store)

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

    def __exit__(self, *error: object) -> None:
        self.close()

    # Memos.
    save = verb(MemoEngine.save)
    get = verb(MemoEngine.get)
    list = verb(MemoEngine.list)
    delete = verb(MemoEngine.delete)

    # Finding.
    search = verb(RecallEngine.search)
    vector_search = verb(VectorSearchEngine.vector_search)

    # Recall.
    activate = verb(RecallEngine.activate)
    context = verb(RecallEngine.context)
    feedback = verb(FeedbackEngine.feedback)
    sweep = verb(RecallEngine.sweep)

    # Relations and namespaces.
    relate = verb(RelationEngine.relate)
    unrelate = verb(RelationEngine.unrelate)
    relations = verb(RelationEngine.relations)
    walk = verb(RelationEngine.walk)
    namespaces = verb(NamespaceEngine.namespaces)
    rename_namespace = verb(NamespaceEngine.rename_namespace)

    # Insight.
    find_insight = verb(InsightEngine.find_insight)
    apply_insight = verb(InsightEngine.apply_insight)
    undo_insight = verb(InsightEngine.undo_insight)
    insight_plan = verb(InsightEngine.insight_plan)

    # Evidence and tasks.
    add_evidence = verb(EvidenceEngine.add_evidence)
    add_documents = verb(DocumentEngine.add_documents)
    claim_evidence = verb(CorrectionEngine.claim_evidence)
    correct_edge = verb(CorrectionEngine.correct_edge)
    correct_page = verb(CorrectionEngine.correct_page)
    reject_claim = verb(CorrectionEngine.reject_claim)
    restore_claim = verb(CorrectionEngine.restore_claim)
    create_task = verb(TaskEngine.create_task)
    update_task = verb(TaskEngine.update_task)
    status = verb(TaskEngine.status)

    # Questions in SQL.
    query_graph = verb(ExploreEngine.query_graph)
    query_view = verb(ExploreEngine.query_view)
    render_view = verb(ExploreEngine.render_view)
    views = verb(ExploreEngine.views)

    # Policies and privacy.
    apply_policy = verb(PolicyEngine.apply_policy)
    policy = verb(PolicyEngine.policy)
    privacy = verb(PolicyEngine.privacy)
    choose_privacy = verb(PolicyEngine.choose_privacy)
    validate_boundary = verb(PolicyEngine.validate_boundary)
    reclassify = verb(PolicyEngine.reclassify)
    calibrate = verb(PolicyEngine.calibrate)

    # Metabolism.
    metabolize = verb(MetabolismEngine.metabolize)
    restore = verb(RestoreEngine.restore)
    reinforce = verb(MetabolismEngine.reinforce)
    forget = verb(ForgetEngine.forget)

    # Review.
    review = verb(ReviewEngine.review)
    settle = verb(ReviewEngine.settle)

    # Upkeep.
    history = verb(HistoryEngine.history)
    export = verb(UpkeepEngine.export)
    import_ = verb(UpkeepEngine.import_)
    backup = verb(UpkeepEngine.backup)
    reindex = verb(UpkeepEngine.reindex)
    embed = verb(UpkeepEngine.embed)
    reembed = verb(UpkeepEngine.reembed)
    info = verb(UpkeepEngine.info)
    doctor = verb(UpkeepEngine.doctor)
