"""Calibration, which crosses recall and policy: fits the scales of both arms of a search, and puts them in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from wherefrom.api.policy import PolicyEngine, check_policy
from wherefrom.engine.params import DryRun, Place
from wherefrom.engine.view import Engine
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param
from wherefrom.model.policies import CalibrationMethod, CalibrationReport
from wherefrom.policy.document import dump_with
from wherefrom.recall import calibrate
from wherefrom.recall.candidates import judged_candidates
from wherefrom.storage import embeddings


class CalibrateEngine(Engine):
    """Fits scales, and puts them in force."""

    def calibrate(
        self,
        judged: Iterable[Mapping[str, Any]],
        *,
        method: Annotated[CalibrationMethod, Param("How the scales are fitted.")] = "isotonic",
        namespace: Place = None,
        dry_run: DryRun = False,
    ) -> CalibrationReport:
        """Fit the scales of both arms to judged questions and put them in force as the next version of the namespace's
        policy.

        A judged question is {"query": "…", "relevant": ["memo_id", …]}.
        """
        access = self.view.access.narrowed(self.view.access.resolve(namespace))
        if isinstance(judged, str | Mapping) or not isinstance(judged, Iterable):
            raise InvalidInput("judged questions are a list of objects")
        rows = [row for question in judged for row in judged_candidates(self.view, question, access)]
        policies = PolicyEngine(self.view)
        current = policies.policy(namespace)[0]
        major, minor, patch = current.version.split(".")
        version = f"{major}.{minor}.{int(patch) + 1}"
        report, maps = calibrate.fitted(rows, method, version=version)
        if not dry_run:
            model = self.store.database.read(embeddings.active)
            section = {"method": report.method, "model": model.model_id if model else "none", **maps}
            # A namespace without a policy of its own gets one that says nothing else.
            base = current.yaml if current.namespace else f"version: {current.version}\n"
            text = dump_with(base, calibration=section, version=version)
            policies.apply_policy(check_policy(text, field="yaml"), namespace=namespace)
        return report
