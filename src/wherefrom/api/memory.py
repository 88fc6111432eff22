"""`Verbs`: all verbs, each declared on the engine that does it; and `Memory`, which does them on a store.

A verb is made of an engine's method: its arguments are checked here, once, as they are declared.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from wherefrom import api
from wherefrom.api import performing
from wherefrom.engine.checking import checked
from wherefrom.lazy import Later
from wherefrom.model.callers import Role, has_role
from wherefrom.model.errors import Forbidden
from wherefrom.model.param import parameters_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    from wherefrom.api.forgetting import ForgetEngine
    from wherefrom.api.history import HistoryEngine
    from wherefrom.api.keys import KeyEngine
    from wherefrom.api.memos import MemoEngine
    from wherefrom.api.plans import PlanEngine
    from wherefrom.api.policy import PolicyEngine
    from wherefrom.api.relations import NamespaceEngine, RelationEngine
    from wherefrom.api.restoring import RestoreEngine
    from wherefrom.api.reviewing import ReviewEngine
    from wherefrom.api.upkeep import UpkeepEngine
    from wherefrom.api.upkeep_runs import UpkeepRunEngine
    from wherefrom.embedding.port import Embedder
    from wherefrom.engine.view import Engine, View
    from wherefrom.evidence.corrections import CorrectionEngine
    from wherefrom.evidence.documents.add import DocumentEngine
    from wherefrom.evidence.store import EvidenceEngine
    from wherefrom.evidence.tasks import TaskEngine
    from wherefrom.explore.sql import ExploreEngine
    from wherefrom.explore.vectors import VectorSearchEngine
    from wherefrom.insight.deciding import DecisionEngine
    from wherefrom.insight.plans import InsightEngine
    from wherefrom.metabolism.engine import MetabolismEngine
    from wherefrom.recall.feedback import FeedbackEngine
    from wherefrom.recall.rules import RuleEngine
    from wherefrom.recall.sweeping import SweepEngine
    from wherefrom.recall.verbs import RecallEngine
else:
    CorrectionEngine = Later("wherefrom.evidence.corrections").CorrectionEngine
    DecisionEngine = Later("wherefrom.insight.deciding").DecisionEngine
    DocumentEngine = Later("wherefrom.evidence.documents.add").DocumentEngine
    EvidenceEngine = Later("wherefrom.evidence.store").EvidenceEngine
    ExploreEngine = Later("wherefrom.explore.sql").ExploreEngine
    FeedbackEngine = Later("wherefrom.recall.feedback").FeedbackEngine
    ForgetEngine = Later("wherefrom.api.forgetting").ForgetEngine
    HistoryEngine = Later("wherefrom.api.history").HistoryEngine
    InsightEngine = Later("wherefrom.insight.plans").InsightEngine
    KeyEngine = Later("wherefrom.api.keys").KeyEngine
    MemoEngine = Later("wherefrom.api.memos").MemoEngine
    MetabolismEngine = Later("wherefrom.metabolism.engine").MetabolismEngine
    PlanEngine = Later("wherefrom.api.plans").PlanEngine
    PolicyEngine = Later("wherefrom.api.policy").PolicyEngine
    SweepEngine = Later("wherefrom.recall.sweeping").SweepEngine
    RecallEngine = Later("wherefrom.recall.verbs").RecallEngine
    NamespaceEngine = Later("wherefrom.api.relations").NamespaceEngine
    RelationEngine = Later("wherefrom.api.relations").RelationEngine
    RestoreEngine = Later("wherefrom.api.restoring").RestoreEngine
    ReviewEngine = Later("wherefrom.api.reviewing").ReviewEngine
    TaskEngine = Later("wherefrom.evidence.tasks").TaskEngine
    RuleEngine = Later("wherefrom.recall.rules").RuleEngine
    UpkeepEngine = Later("wherefrom.api.upkeep").UpkeepEngine
    UpkeepRunEngine = Later("wherefrom.api.upkeep_runs").UpkeepRunEngine
    VectorSearchEngine = Later("wherefrom.explore.vectors").VectorSearchEngine

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Engine = TypeVar("_Engine", bound="Engine")


def verb(
    function: Callable[Concatenate[_Engine, _Given], _Answer], role: Role = "read"
) -> Callable[Concatenate[Verbs, _Given], _Answer]:
    """Return the method of `Verbs` that stands for an engine's method, with the same signature and docstring, for those
    who have this role or a higher one.
    """
    return LazyVerb(function, role)  # type: ignore[arg-type, return-value]  # it is named by a `Later`, and becomes a method


class LazyVerb:
    """A verb whose engine is imported when the verb is first used; then its class gets a method in its place."""

    def __init__(self, named: Later, role: Role) -> None:
        self.named = named
        self.role = role

    def __set_name__(self, declaring: type[Verbs], name: str) -> None:
        self._declaring = declaring
        self._name = name

    def __get__(self, memory: Verbs | None, kind: type[Verbs]) -> Callable[..., Any]:
        function, engine = self.named()
        method = _method(engine, function, self.role)
        setattr(self._declaring, self._name, method)
        return method if memory is None else MethodType(method, memory)


def docstring_of(name: str) -> str:
    """Return the docstring of a verb, without importing its engine."""
    found = vars(Verbs)[name]
    return inspect.cleandoc(found.named.read_docstring() if isinstance(found, LazyVerb) else found.__doc__)


def role_of(name: str) -> Role:
    """Return the role that a verb needs, without importing its engine."""
    role: Role = vars(Verbs)[name].role
    return role


def _method(engine: type[Engine], function: Callable[..., Any], role: Role) -> Callable[..., Any]:
    """Return a method of `Verbs` that checks its caller's role and its arguments, and has the engine's method done with
    them.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(self: Verbs, /, *args: Any, **kwargs: Any) -> Any:
        self._admit(function.__name__, role)
        try:
            given = signature.bind(None, *args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        del given["self"]
        declared = parameters_of(function)
        values = {name: checked(value, declared[name]) if name in declared else value for name, value in given.items()}
        return self._perform(engine, function, values, given)

    run.role = role  # type: ignore[attr-defined]
    return run


class Verbs(ABC):
    """The verbs of a memory. Whoever has them says how one is done."""

    @property
    @abstractmethod
    def root_namespace(self) -> str:
        """The namespace that this access may not leave."""

    @abstractmethod
    def _perform(
        self, engine: type[Engine], function: Callable[..., Any], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Any:
        """Return the result of an engine's method. `values` are its arguments by their names in Python, checked, and
        `given` the same as the caller gave them.
        """

    def _admit(self, name: str, role: Role) -> None:  # noqa: B027  # a service does it for its clients
        """Raise an error if the caller's role may not call a verb that needs this one."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what this memory alone holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # Memos.
    save = verb(MemoEngine.save, "write")
    get = verb(MemoEngine.get)
    list = verb(MemoEngine.list)
    delete = verb(MemoEngine.delete, "write")

    # Finding.
    search = verb(RecallEngine.search)
    vector_search = verb(VectorSearchEngine.vector_search)

    # Recall.
    activate = verb(RecallEngine.activate)
    context = verb(RecallEngine.context)
    feedback = verb(FeedbackEngine.feedback, "write")
    sweep = verb(SweepEngine.sweep, "admin")

    # Standing rules.
    rules = verb(RuleEngine.rules)
    confirm_rules = verb(RuleEngine.confirm_rules, "write")

    # Relations and namespaces.
    relate = verb(RelationEngine.relate, "write")
    unrelate = verb(RelationEngine.unrelate, "write")
    relations = verb(RelationEngine.relations)
    walk = verb(RelationEngine.walk)
    neighbourhood = verb(RelationEngine.neighbourhood)
    path = verb(RelationEngine.path)
    namespaces = verb(NamespaceEngine.namespaces)
    rename_namespace = verb(NamespaceEngine.rename_namespace, "admin")

    # Insight.
    find_insight = verb(InsightEngine.find_insight, "write")
    apply_insight = verb(DecisionEngine.apply_insight, "write")
    decline_insight = verb(DecisionEngine.decline_insight, "write")
    undo_insight = verb(DecisionEngine.undo_insight, "write")
    insight_plan = verb(DecisionEngine.insight_plan)

    # Plans of insight and metabolism.
    plans = verb(PlanEngine.plans)

    # Evidence and tasks.
    add_evidence = verb(EvidenceEngine.add_evidence, "write")
    add_document = verb(DocumentEngine.add_document, "write")
    add_documents = verb(DocumentEngine.add_documents, "write")
    claim_evidence = verb(CorrectionEngine.claim_evidence)
    correct_edge = verb(CorrectionEngine.correct_edge, "write")
    correct_page = verb(CorrectionEngine.correct_page, "write")
    reject_claim = verb(CorrectionEngine.reject_claim, "write")
    restore_claim = verb(CorrectionEngine.restore_claim, "write")
    create_task = verb(TaskEngine.create_task, "write")
    update_task = verb(TaskEngine.update_task, "write")
    status = verb(TaskEngine.status)

    # Questions in SQL.
    query_graph = verb(ExploreEngine.query_graph)
    query_view = verb(ExploreEngine.query_view)
    render_view = verb(ExploreEngine.render_view)
    views = verb(ExploreEngine.views)

    # Policies and privacy.
    apply_policy = verb(PolicyEngine.apply_policy, "admin")
    policy = verb(PolicyEngine.policy)
    privacy = verb(PolicyEngine.privacy)
    choose_privacy = verb(PolicyEngine.choose_privacy, "admin")
    validate_boundary = verb(PolicyEngine.validate_boundary)
    reclassify = verb(PolicyEngine.reclassify, "admin")
    calibrate = verb(PolicyEngine.calibrate, "admin")

    # Metabolism.
    metabolize = verb(MetabolismEngine.metabolize, "admin")
    restore = verb(RestoreEngine.restore, "write")
    reinforce = verb(MetabolismEngine.reinforce, "write")
    forget = verb(ForgetEngine.forget, "write")

    # Both, by themselves.
    upkeep = verb(UpkeepRunEngine.upkeep)
    run_upkeep = verb(UpkeepRunEngine.run_upkeep, "admin")
    undo_upkeep = verb(UpkeepRunEngine.undo_upkeep, "write")

    # Review.
    review = verb(ReviewEngine.review)
    settle = verb(ReviewEngine.settle, "write")

    # Keys of a service.
    keys = verb(KeyEngine.keys, "admin")
    create_key = verb(KeyEngine.create_key, "admin")
    rotate_key = verb(KeyEngine.rotate_key, "admin")
    revoke_key = verb(KeyEngine.revoke_key, "admin")

    # Upkeep.
    history = verb(HistoryEngine.history)
    export = verb(UpkeepEngine.export)
    import_ = verb(UpkeepEngine.import_, "admin")
    backup = verb(UpkeepEngine.backup, "admin")
    reindex = verb(UpkeepEngine.reindex, "admin")
    embed = verb(UpkeepEngine.embed, "admin")
    reembed = verb(UpkeepEngine.reembed, "admin")
    distribute = verb(UpkeepEngine.distribute, "admin")
    info = verb(UpkeepEngine.info)
    doctor = verb(UpkeepEngine.doctor)


VERBS: Final = tuple(name for name, declared in vars(Verbs).items() if isinstance(declared, LazyVerb))
"""The names of the verbs."""


class Memory(Verbs):
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

    def _admit(self, name: str, role: Role) -> None:
        if not has_role(self.view.role, role):
            raise Forbidden(
                f"{name} is not for the role {self.view.role}",
                hint=f"it needs the role {role}: ask for a key that has it",
            )

    def _perform(
        self, engine: type[Engine], function: Callable[..., Any], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Any:
        del given
        return performing.done(self.view, engine, function, values)
