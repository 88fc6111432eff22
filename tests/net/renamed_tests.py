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
    "test_costs_weigh_nodes_and_edges": "The costs of a node and of an edge are 1: nothing ever set others.",
    "test_costs_that_are_none": "The costs of a node and of an edge are 1: nothing ever set others.",
    "test_features_that_are_no_numbers": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_weights_that_lead_beyond_numbers": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_weights_that_are_none": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_features_are_rows": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_rows_for_other_nodes": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_places_that_are_none": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_edges_that_are_none": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_flags_that_are_none": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_edges_that_are_none_are_refused": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_scores_that_do_not_fit_are_refused": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_what_is_no_question_is_refused": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_values_given_out_are_nobody_elses": "The measures trust the arrays that insight makes: a scene is checked once, in insight/context.py.",
    "test_delta_ged_of_what_is_no_cost": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_doubt_of_an_infinite_score": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_what_is_no_number": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_no_weight_turns_a_sign": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_hops_begin_at_0": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_a_gauge_beyond_numbers": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_hop_0_is_needed_once": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_a_hop_that_was_not_measured": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_entropies_and_link_weights_that_are_none": "The figures come from the measures and the settings, whose ranges are checked where they are read.",
    "test_a_budget_holds_across_unannounced_ends": "Insight announces the ends of all edges that it asks for.",
    "test_the_python_example_of_the_readme_runs": "test_a_page_runs_as_it_stands",
    "test_a_save_sweeps_a_few": "What has expired is archived and not let go: tests/storage/test_archive.py.",
    "test_activate_does_not_recall_what_has_just_expired_and_sweeps_it": "What has expired is archived and not let go: tests/storage/test_archive.py.",
    "test_what_has_expired_is_not_recalled_and_swept_with_a_receipt": "What has expired is archived and not let go: tests/storage/test_archive.py.",
    "test_what_expired_stays_gone_and_that_is_said": "What has expired is archived and not let go: tests/storage/test_archive.py.",
    "test_what_would_have_expired_meanwhile_does_not_come_back": "What has expired is archived and not let go: tests/storage/test_archive.py.",
}
