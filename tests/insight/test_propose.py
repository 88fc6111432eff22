"""L1 on a real store whose vectors are known: centers, candidates, their scores by hand, and its answer to L3."""

from __future__ import annotations

import itertools
import math

import pytest
from insight_for_tests import tuned
from recall_for_tests import Compass

from wherefrom import Memory
from wherefrom.insight import decide, expand, propose
from wherefrom.insight.gates import GateState
from wherefrom.model.insight import ExpansionRequest
from wherefrom.storage import embeddings
from wherefrom.storage.candidates import WeightedEdge
from wherefrom.storage.port import SearchRequest, Times

ROOT_HALF = math.sqrt(0.5)
# The scores are relative to the mean of the ten best; a place that is not taken counts as 0.06.
FILL = 0.06


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=Compass()) as opened:
        yield opened


# What is rare is scored in test_shared.py.
PLAIN = {"names": 0.0, "terms": 0.0}


def composed(memory, text, *, center_id=None, linking=None, request=None, staged=None, **how):
    """The stage for a memo with this text, or for the question; with a request L1's answer to it. alpha 1: only vectors
    count, 0: only words.
    """
    store, access = memory.view.store, memory.view.access
    linking = linking or tuned(candidates=PLAIN)
    alpha, floor, planned = how.get("alpha", 1.0), how.get("floor", 0.0), how.get("planned", ())

    def work(tx):
        model = embeddings.active(tx)
        vector = None if model is None else store.embedder.embed([text])[0].astype("float32")
        if vector is not None:
            vector = vector / (vector @ vector) ** 0.5
        question = SearchRequest(text, vector, model, times=Times(memory.view.now()))
        index = propose.Index(tx, access, store.text_search, store.database.vectors, alpha=alpha, floor=floor)
        if request is not None:
            return expand.expand(index, question, staged, request, linking=linking, planned=planned)
        return propose.compose(index, question, center_id=center_id, linking=linking, planned=planned)

    return store.database.read(work)


def pairs_of(staged):
    return {(staged.ids[a], staged.ids[b]): pair for (a, b), pair in staged.pairs.items()}


def scored(relevance, *others):
    """The score of what speaks so much for a text, where the relevances of the ten best are known."""
    usual = max((sum(others) + (10 - len(others)) * FILL) / 10, FILL)
    standing_out = relevance / math.sqrt(usual * tuned().candidates.level)
    return standing_out / (1 + standing_out)


def meant(cosine, first, second, floor=0.0):
    """The meaning of a pair by its cosine and the cosines that each of the two has with others; missing ones count as
    the floor.
    """
    usual = (sum(first) + sum(second) + (20 - len(first) - len(second)) * floor) / 20
    return (cosine - usual) / (1 - usual)


# North, north east and east: the first two, and the last two, are as near as that.
SLANTED = meant(ROOT_HALF, (ROOT_HALF, 0.0), (ROOT_HALF, ROOT_HALF))


def test_scores_of_vectors_by_hand(memory):
    north, slanted, east = (memory.save(text).node.id for text in ("north", "north east", "east"))
    staged = composed(memory, "north", center_id=north)
    pair = pairs_of(staged)[north, slanted]
    assert pair.similarity == pytest.approx(ROOT_HALF, abs=1e-3)
    assert pair.score == pytest.approx(scored(SLANTED, SLANTED, 0.0), abs=1e-3)
    assert (pair.shared, pair.common_neighbours) == (0.0, 0)
    assert (north, east) not in pairs_of(staged), "what has nothing to do with it is no candidate"
    assert [staged.ids[center] for center in staged.context.centers] == [north]
    assert staged.scene.fresh == 1, "it has no links yet"


def test_a_floor_is_taken_off_the_similarity(memory):
    north, slanted = (memory.save(text).node.id for text in ("north", "north east"))
    pair = pairs_of(composed(memory, "north", center_id=north, floor=0.5))[north, slanted]
    near = meant(ROOT_HALF, (ROOT_HALF,), (ROOT_HALF,), floor=0.5)
    assert pair.similarity == pytest.approx(ROOT_HALF, abs=1e-3)
    assert pair.score == pytest.approx(scored(near, near), abs=1e-3)


def test_what_fits_else_speaks_for_what_it_is_linked_to(memory):
    north, slanted, east = (memory.save(text).node.id for text in ("north", "north east", "east"))
    memory.relate(slanted, east, tag="next", weight=0.5)
    pair = pairs_of(composed(memory, "north", center_id=north))[north, east]
    shared = SLANTED * 0.5 / math.log(2)  # the relevance of the middle, the strength of its link, and its one link
    assert pair.shared == pytest.approx(shared, abs=1e-3)
    assert pair.score == pytest.approx(scored(tuned().candidates.support * shared, SLANTED, 0.0), abs=1e-3)
    assert pair.common_neighbours == 0


def test_neighbours_in_common_count_by_how_few_links_they_have(memory):
    start, middle, end = (memory.save(text).node.id for text in ("north", "up", "east"))
    memory.relate(start, middle, tag="next", weight=0.5)
    memory.relate(end, middle, tag="next", weight=0.8)
    staged = composed(memory, "north", center_id=start)
    pair = pairs_of(staged)[start, end]
    assert pair.shared == pytest.approx(0.5 * 0.8 / math.log(3))
    assert pair.common_neighbours == 1
    assert (start, middle) not in pairs_of(staged), "it is linked already"
    assert staged.scene.fresh == 0


def test_links_that_are_planned_count_like_those_that_are_there(memory):
    start, middle, end = (memory.save(text).node.id for text in ("north", "north up", "east"))
    planned = [WeightedEdge(start, middle, "related", 0.5), WeightedEdge(end, middle, "related", 0.8)]
    staged = composed(memory, "north", center_id=start, planned=planned)
    assert (start, middle) not in pairs_of(staged)
    assert pairs_of(staged)[start, end].common_neighbours == 1
    assert staged.scene.fresh == 0


def test_words_count_where_there_are_no_vectors(tmp_path):
    with Memory.open(tmp_path / "words.db", embedder="none") as memory:
        first, second, third = (
            memory.save(text).node.id for text in ("amber basalt cobalt", "amber basalt dolomite", "ebony fir gold")
        )
        staged = composed(memory, "amber basalt cobalt", center_id=first, alpha=0.3)
        pair = pairs_of(staged)[first, second]
        assert pair.similarity is None
        assert 0 < pair.words < 1
        relevance = pair.words * staged.found.word_weight
        assert pair.score == pytest.approx(scored(relevance, relevance))
        assert (first, third) not in pairs_of(staged)
        assert staged.context.norm_spec.dimension == 0


def test_a_question_has_what_fits_it_best_for_centers(memory):
    ids = [memory.save(text).node.id for text in ("north", "north north east", "north east", "east", "down")]
    staged = composed(memory, "north")
    assert [staged.ids[center] for center in staged.context.centers] == ids[:3]
    found = pairs_of(staged)
    assert len({frozenset(pair) for pair in found}) == len(found), "each link once, whichever center it is of"
    assert all(pair[0] in ids[:3] for pair in found)
    assert staged.scene.fresh == 0


def test_candidates_are_chosen_by_rank_and_score(memory):
    texts = ["north", *("north " * times + "east" for times in range(1, 9))]
    ids = [memory.save(text).node.id for text in texts]
    linking = tuned(candidates={"top_k": 3, "theta_cand": 0.5})
    staged = composed(memory, "north", center_id=ids[0], linking=linking)
    chosen = staged.context.candidate_edges
    assert [staged.ids[edge.target] for edge in chosen] == ids[:-4:-1], "the nearest first"
    assert all(edge.score >= 0.5 for edge in chosen)
    assert [edge.score for edge in staged.others] == sorted((edge.score for edge in staged.others), reverse=True)
    assert staged.context.candidate_selection["k_star"] == 3
    assert staged.context.candidate_selection["found"] == len(chosen) + len(staged.others) == 8
    spec = staged.context.norm_spec
    assert (spec.theta_link, spec.theta_cand, spec.dimension) == (linking.candidates.theta_link, 0.5, 9)
    assert composed(memory, "north", center_id=ids[0], linking=tuned(candidates={"theta_cand": 0.99})).others


def targets(staged, edges):
    return [staged.ids[edge.target] for edge in edges]


def test_l1_answers_a_request_with_what_another_search_finds(memory):
    ids = [memory.save(text).node.id for text in ["north", *("north " * times + "east" for times in range(1, 9))]]
    linking = tuned(candidates={**PLAIN, "top_k": 2}, cand_expansion={"budget": 1})
    staged = composed(memory, "north", center_id=ids[0], linking=linking)
    known = staged.context.candidate_edges
    asked = {"center_id": ids[0], "linking": linking, "staged": staged}

    def answered(budget, hint):
        request = ExpansionRequest(staged.context.centers, known, "AG", budget, radius_hint=2, theta_link_hint=hint)
        return composed(memory, "north", request=request, **asked)

    assert len(staged.found.order) < len(ids), "the first search stopped before the last ones"
    larger = answered(6, 0.0)
    assert targets(larger, larger.context.candidate_edges) == ids[:0:-1][:8], "those before, then the next best"
    assert larger.context.candidate_selection["expanded_by"] == 6
    assert larger.scene.graph.size > staged.scene.graph.size
    hinted = answered(6, larger.context.candidate_edges[3].score)
    assert targets(hinted, hinted.context.candidate_edges) == ids[:0:-1][:4]
    assert answered(6, 1.0) is None


def test_a_node_that_only_a_longer_walk_leads_to_counts_at_its_hop(memory):
    for times in range(2, 42):
        memory.save("east " * times + "north")
    ids = [memory.save(text).node.id for text in ("north", "up", "up north", "down")]
    for one, other in itertools.pairwise(ids):
        memory.relate(one, other, tag="next", weight=1.0)
    limits = {**PLAIN, "top_k": 1, "support": 2.0}
    linking = tuned(candidates=limits, cand_expansion={"budget": 1}, gauge={"hops": 2})
    staged = composed(memory, "north", center_id=ids[0], linking=linking)
    request = ExpansionRequest((0,), staged.context.candidate_edges, "AG", 8, radius_hint=3, theta_link_hint=0.0)
    larger = composed(memory, "north", center_id=ids[0], linking=linking, staged=staged, request=request)
    by_hop = larger.context.candidate_edges_by_hop
    assert ids[3] not in targets(larger, larger.context.candidate_edges)
    assert ids[3] in targets(larger, by_hop[2])
    assert set(by_hop) == {2}


def test_a_decision_about_a_stage_goes_through_both_cycles(memory):
    ids = [memory.save(text).node.id for text in ["north", *("north " * times + "east" for times in range(1, 9))]]
    linking = tuned(
        candidates={**PLAIN, "top_k": 2, "theta_link": 0.3, "links": 50},
        gates={"theta_ag": -10.0, "theta_dg": 10.0},
        cand_expansion={"budget": 4},
    )
    staged = composed(memory, "north", center_id=ids[0], linking=linking)

    def again(staged, request):
        return composed(memory, "north", center_id=ids[0], linking=linking, staged=staged, request=request)

    decision, state = decide.decide(staged, GateState(), again, linking=linking)
    assert [metrics.candidates for metrics in decision.cycles] == [2, 6]
    assert decision.cycles[1].hops[0].ig > decision.cycles[0].hops[0].ig
    assert {link.target_id for link in decision.accepted} == set(ids[3:])
    assert (len(state.attention), state.resting) == (1, linking.gates.cool_down)
    assert state.decision == (min(link.figures.g for link in decision.links),)
    anew = composed(memory, "north", center_id=ids[0], linking=linking)
    assert decide.decide(anew, GateState(), again, linking=linking)[0] == decision
    for link in decision.links:
        assert link.figures.similarity is not None
        assert link.weight == round(link.figures.score, 4)
        assert "north" not in link.reason, "reasons have no word of the texts"


def test_the_steps_between_the_ends_are_told(memory):
    ids = [memory.save(text).node.id for text in ("north", "up", "north east", "north north east")]
    memory.relate(ids[0], ids[1], tag="next", weight=0.5)
    memory.relate(ids[1], ids[2], tag="next", weight=0.5)
    staged = composed(memory, "north", center_id=ids[0])
    decision, _ = decide.decide(staged, GateState(), lambda *_: None, linking=tuned())
    distance = {link.target_id: link.figures.distance for link in decision.links}
    assert distance == {ids[2]: 2, ids[3]: None}
    assert {frozenset(pair) for pair in decision.around} == {frozenset(ids[:2]), frozenset(ids[1:3])}
