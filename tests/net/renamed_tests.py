"""The tests whose names changed after the list was made, or that went: the old name, then the new one or the reason.

A key is a line of the list (`path::name`), or the name alone for all tests that have it. A value that is the name of a
test has to be one that there is; any other value is a reason, and is a sentence.
"""

from __future__ import annotations

RENAMED: dict[str, str] = {
    "test_a_node_and_itself_are_no_pair": "Means of lengths are taken by tests alone now, and are no part of the measures.",
    "test_relative_refuses_what_is_no_length": "Means of lengths are taken by tests alone now, and are no part of the measures.",
    "test_a_context_is_read_from_its_plain_form": "L1 makes a context itself; only tests write one in the plain form.",
    "test_a_norm_spec_is_read_with_its_effective_thresholds_nested": "So it does its norm spec.",
    "test_what_is_no_context_is_refused": "Nobody can hand over a context in the plain form.",
    "test_a_context_that_does_not_fit_the_graph_is_refused": "L1 makes the context from the graph itself.",
    "test_a_scene_that_does_not_fit_is_refused": "L1 makes the scene itself; the measures check their arrays.",
    "test_whatever_is_given_is_refused_or_judged_in_finite_numbers": "test_whatever_is_given_is_judged_in_finite_numbers",
    "tests/recall/test_diversify.py::test_each_text_once": "The pipeline takes each text once; its own tests show it.",
    "test_the_first_of_each_key_stays_and_in_order": "So they do that the first of each text stays.",
    "tests/storage/test_transfer.py::test_an_older_setting_does_not_overwrite_a_newer_one": (
        "test_a_setting_of_a_former_version_is_left_out"
    ),
}
