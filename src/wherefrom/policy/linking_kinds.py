"""Reads the `insight` section of a policy: what each parameter of insight may be."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, get_args

import yaml

from wherefrom.model.insight import ExpansionMode, GateMode, PathEngine, SourceFocus
from wherefrom.policy.linking import Linking
from wherefrom.policy.nodes import Choice, Flag, Number, fault
from wherefrom.policy.sections import Kinds, Sections, Values, read_sections, refuse_crossed

_SHARE: Final = Number(0, 1)
_WEIGHT: Final = Number(0, 10)
_THRESHOLD: Final = Number(-10, 10)
_QUANTILE: Final = Number(0, 1, without_low=True, without_high=True)
# What 0 means in these is in the docstring of PathKnobs.
_HUNDRED: Final = Number(0, 100, whole=True)

# Each section and key of `insight`; the keys are the fields of the dataclasses in policy/linking.py.
KINDS: Final[Kinds] = MappingProxyType(
    {
        "gauge": {"temperature": _WEIGHT, "path_weight": _WEIGHT, "hops": Number(0, 4, whole=True)},
        "candidates": {
            "top_k": Number(1, 100, whole=True),
            "theta_cand": _SHARE,
            "theta_link": _SHARE,
            "support": Number(0, 2),
            "links": Number(1, 50, whole=True),
            "allow_autocand": Flag(),
        },
        "cand_expansion": {
            "mode": Choice(get_args(ExpansionMode)),
            "budget": Number(0, 64, whole=True),
            "cycles": Number(0, 5, whole=True),
            "near_centers_hop": Number(1, 3, whole=True),
        },
        "gates": {
            "mode": Choice(get_args(GateMode)),
            "theta_ag": _THRESHOLD,
            "theta_dg": _THRESHOLD,
            "ag_quantile": _QUANTILE,
            "dg_quantile": _QUANTILE,
            "window": Number(8, 4_096, whole=True),
            "warm_up": Number(1, 1_024, whole=True),
            "cool_down": Number(0, 100, whole=True),
        },
        "paths": {
            "engine": Choice(get_args(PathEngine)),
            "pair_samples": Number(0, 100_000, whole=True),
            "sources_cap": Number(1, 4_096, whole=True),
            "sources_focus": Choice(get_args(SourceFocus)),
            "prune_topk": _HUNDRED,
            "endpoint_window": _HUNDRED,
            "gain_epsilon": _SHARE,
            "budget": _HUNDRED,
        },
    }
)


def read_insight(node: yaml.Node) -> Values:
    """What the section sets, by section and key.

    What does not go together is refused here, within one document; `document.linking` puts it right where the
    policies of several namespaces meet.
    """
    found, defaults = read_sections(node, of="insight", kinds=KINDS), Linking()
    refuse_crossed(found, defaults, section="candidates", low="theta_cand", high="theta_link")
    refuse_crossed(found, defaults, section="gates", low="warm_up", high="window")
    _refuse_autocand(found, defaults)
    return found.values


def _refuse_autocand(found: Sections, defaults: Linking) -> None:
    mode = found.value("cand_expansion", "mode", defaults=defaults)
    if mode != "l1" and not found.value("candidates", "allow_autocand", defaults=defaults):
        raise fault(
            found.keys["cand_expansion", "mode"],
            f"insight.cand_expansion.mode {mode} needs insight.candidates.allow_autocand",
            hint="allow_autocand: true in the same policy, or mode: l1",
        )
