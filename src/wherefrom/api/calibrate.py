"""The engine of calibration: fits the scales of both arms of a search to judged questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from wherefrom.api.params import DryRun, Place, check_query
from wherefrom.api.policy import PolicyEngine, check_policy
from wherefrom.api.questions import SEARCHED, Questions
from wherefrom.api.view import Engine, View
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param
from wherefrom.model.policies import CalibrationMethod, Fitted
from wherefrom.storage import embeddings
from wherefrom.text import check


class CalibrateEngine(Engine):
    """Fits scales, and puts them in force."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._questions = Questions(view)
        self._policies = PolicyEngine(view)

    def calibrate(
        self,
        judged: Iterable[Mapping[str, Any]],
        *,
        method: Annotated[CalibrationMethod, Param("How the scales are fitted.")] = "isotonic",
        namespace: Place = None,
        dry_run: DryRun = False,
    ) -> Fitted:
        """Fit the scales of both arms to judged questions and put them in force as the next version of the namespace's
        policy.

        A judged question is {"query": "…", "relevant": ["memo_id", …]}.
        """
        from wherefrom.policy.document import dump_with
        from wherefrom.recall import calibrate

        access = self.view.writing.narrowed(self.view.writing.resolve(namespace))
        if isinstance(judged, str | Mapping) or not isinstance(judged, Iterable):
            raise InvalidInput("judged questions are a list of objects")
        rows = [row for question in judged for row in self._judged_candidates(question, access)]
        model = self.store.database.read(embeddings.active)
        holds = self._policies.policy(namespace)[0]
        # A namespace without a policy of its own gets one that says nothing else.
        base = holds.yaml if holds.namespace else f"version: {holds.version}\n"
        version = _next_version(holds.version)
        fitted, maps = calibrate.fitted(rows, method, version=version)
        if not dry_run:
            section = {"method": fitted.method, "model": model.model_id if model else "none", **maps}
            text = dump_with(base, calibration=section, version=version)
            self._policies.apply_policy(check_policy(text, field="yaml"), namespace=namespace)
        return fitted

    def _judged_candidates(
        self, judged: Mapping[str, Any], access: Access
    ) -> list[tuple[float | None, float | None, bool]]:
        """BM25, similarity and relevance of the candidates of one judged question."""
        from wherefrom.storage.candidates import find

        if not isinstance(judged, Mapping) or not isinstance(judged.get("relevant"), list) or not judged["relevant"]:
            raise InvalidInput(
                "a judged question has a query and a list of relevant ids",
                hint='{"query": "…", "relevant": ["memo_id"]}',
            )
        relevant = {check.check_id(node_id, field="relevant") for node_id in judged["relevant"]}
        question, _ = self._questions.question(check_query(judged.get("query"), field="query"), None, access)
        question = replace(question, kinds=SEARCHED)
        searching = self._questions.searching()
        found = self.store.database.read(
            lambda tx: find(tx, access, question, text=searching.text, vectors=searching.vectors, reach=(64, 64))
        )
        return [
            (
                candidate.text_score,
                None
                if candidate.vector is None or question.vector is None
                else float(candidate.vector @ question.vector),
                candidate.id in relevant,
            )
            for candidate in found.found
        ]


def _next_version(version: str) -> str:
    major, minor, patch = version.split(".")
    return f"{major}.{minor}.{int(patch) + 1}"
