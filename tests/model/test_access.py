"""An access that reads further roots: what it sees, what paths mean to it, and that it writes in its root alone."""

from __future__ import annotations

import pytest
from also_for_tests import access_of
from hypothesis import given
from hypothesis import strategies as st
from policy_for_tests import parse

from wherefrom import BoundaryDenied, InvalidInput, InvalidNamespace
from wherefrom.engine.boundary import access_seeing
from wherefrom.model.access import also_roots
from wherefrom.model.namespaces import is_inside
from wherefrom.policy.boundary import Policies

SEGMENTS = st.sampled_from(["me", "team", "teams", "tea", "Team", "a", "ab", "%", "_", "é"])
PATHS = st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join)


@pytest.mark.parametrize(
    ("namespace", "seen"),
    [
        ("me", True),
        ("me/x", True),
        ("team", True),
        ("team/x/y", True),
        ("teams", False),
        ("tea", False),
        ("Team", False),
        ("other", False),
        ("x/team", False),
        ("me2", False),
    ],
)
def test_sees_its_root_and_the_further_ones(namespace, seen):
    access = access_of(also=["team"])
    assert access.sees(namespace, "internal") is seen
    assert not access.sees(namespace, "pii")
    assert access.own().sees(namespace, "internal") is (seen and is_inside(namespace, "me"))


def test_what_is_hidden_is_hidden_in_further_roots_too():
    access = access_of(also=["team"], hidden=("internal team/x/",))
    assert access.sees("team", "internal") and access.sees("team/x", "public")
    assert not access.sees("team/x", "internal") and not access.sees("team/x/y", "internal")
    assert access.own() == access_of()


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (None, "me/d"),
        ("", "me/d"),
        ("x", "me/d/x"),
        ("/x", "me/x"),
        ("me/x", "me/x"),
        ("team", "team"),
        ("team/x", "team/x"),
        (" team / x ", "team/x"),
        ("team/x/..", "team"),
        ("/team", "me/team"),
        ("./team", "me/d/team"),
        ("teams", "me/d/teams"),
        ("Team", "me/d/Team"),
    ],
)
def test_paths_to_read(path, place):
    assert access_of("me", ["team"], "me/d").readable(path) == place


@pytest.mark.parametrize("path", ["team/..", "team/../other", "../..", "/.."])
def test_no_path_leaves_the_roots(path):
    with pytest.raises(InvalidNamespace):
        access_of("me", ["team"], "me/d").readable(path)


def test_a_path_to_write_stays_inside_the_root():
    access = access_of("me", ["team"])
    assert access.resolve("/team") == access.resolve("./team") == "me/team"
    assert access_of("me").resolve("team") == "me/team"
    with pytest.raises(BoundaryDenied, match="'team/x' is outside the root 'me'"):
        access.resolve("team/x")
    with pytest.raises(InvalidNamespace, match="readable besides: 'team'"):
        access.resolve("../x")


def test_narrowed_to_a_further_root_it_only_reads():
    access = access_of("me", ["team"])
    inside = access.narrowed("team/x")
    assert (inside.root, inside.also, inside.writes, inside.home) == ("team/x", (), False, "me")
    assert inside.narrowed("team/x/y").writes is False
    for refused in (inside.writing, lambda: inside.resolve(None), lambda: inside.resolve("team/x/y")):
        with pytest.raises(BoundaryDenied, match="may only read 'team/x'"):
            refused()
    mine = access.narrowed("x")
    assert (mine.root, mine.also, mine.writes, mine.home) == ("me/x", (), True, "me/x")
    assert access.narrowed(None) is access
    assert access.writing() == access_of("me")


def test_a_search_looks_in_the_default_and_the_further_roots():
    access = access_of("me", ["team", "me/b"], "me/a")
    assert access.reading(None).roots == ("me/a", "me/b", "team")
    assert access.reading("team").roots == ("team",)
    assert access.reading("/").roots == ("me",)
    assert access_of("me", namespace="me/a").reading(None).roots == ("me/a",)


def test_further_roots_are_plain_paths_each_once():
    assert also_roots(["team/a", "team", " team ", "x", "me/d/y"], default="me/d") == ("team", "x")
    assert also_roots(["team/a", "team/ab", "team%"], default="me") == ("team%", "team/a", "team/ab")
    assert also_roots(["team"], default="team/a") == ("team",)
    for wrong in ([""], ["/"], ["team/.."], ["a\0"], [None], [3]):
        with pytest.raises(InvalidNamespace):
            also_roots(wrong, default="me")
    for wrong in ("team", None, {"team"}, [f"t{number}" for number in range(101)]):
        with pytest.raises(InvalidInput):
            also_roots(wrong, default="me")


@pytest.mark.parametrize(
    ("reader", "maker", "covered"),
    [
        ({"also": ["team"]}, {}, True),
        ({}, {"also": ["team"]}, False),
        ({"also": ["team"]}, {"also": ["team"]}, True),
        ({"also": ["team"]}, {"also": ["team/a"]}, True),
        ({"also": ["team/a"]}, {"also": ["team"]}, False),
        ({"also": ["team"]}, {"also": ["teams"]}, False),
        ({"also": ["team"]}, {"root": "team/x"}, True),
        ({"root": "team"}, {"root": "team/a", "also": ["team/b"]}, True),
        ({"also": ["team"], "hidden": ("internal team/",)}, {"also": ["team"]}, False),
        ({"also": ["team"], "hidden": ("internal team/",)}, {}, True),
    ],
)
def test_covers_what_another_sees(reader, maker, covered):
    assert access_of(**reader).covers(access_of(**maker)) is covered


@given(root=PATHS, also=st.lists(PATHS, max_size=3), path=PATHS, slash=st.booleans())
def test_whatever_the_path_reading_stays_in_the_roots_and_writing_in_the_root(root, also, path, slash):
    access = access_of(root, also)
    path = "/" + path if slash else path
    place = access.readable(path)
    assert any(is_inside(place, each) for each in access.roots)
    assert access.narrowed(path).sees(place, "public")
    assert access.readable(place) == place
    try:
        assert access.resolve(path) == place
    except BoundaryDenied:
        assert not is_inside(place, root)
    else:
        assert is_inside(place, root)


def policies_of(**texts):
    read = {name.replace("_", "/"): parse(f"version: 1.0.0\nboundary_classes: {text}") for name, text in texts.items()}
    return Policies(read)


def seeing(base, known, tags=("answer:task",)):
    return access_seeing(base, known, tags)


CLOSED = "{internal: {allow: [vault]}}"


@pytest.mark.parametrize(
    ("root", "also", "closed", "classes", "hidden"),
    [
        ("me", ["team"], {}, 2, ()),
        ("me", ["team"], {"team": CLOSED}, 2, ("internal team/",)),
        ("me", ["team/a"], {"team": CLOSED}, 2, ("internal team/a/",)),
        ("me", ["team"], {"team_x": CLOSED}, 2, ("internal team/x/",)),
        ("me", ["team"], {"teams": CLOSED, "other": CLOSED}, 2, ()),
        ("me", ["team"], {"me": CLOSED}, 1, ()),
        ("me", ["team"], {"me_x": CLOSED, "team": CLOSED}, 2, ("internal me/x/", "internal team/")),
        ("team/a", ["team"], {"team_a": CLOSED}, 1, ()),
        ("team/a", ["team"], {"team_b": CLOSED}, 2, ("internal team/b/",)),
        ("me", ["team"], {"team": "{public: {allow: [vault]}}"}, 2, ("internal team/", "public team/")),
    ],
)
def test_a_stricter_policy_of_a_further_root_holds_there(root, also, closed, classes, hidden):
    access = seeing(access_of(root, also), policies_of(**closed))
    assert access.classes == ("public", "internal")[:classes]
    assert access.hidden == hidden
    trusted = seeing(access_of(root, also), policies_of(**closed), tags=("answer:task", "vault"))
    assert trusted.hidden == ()


@given(
    root=PATHS, also=st.lists(PATHS, max_size=3), closed=st.lists(PATHS, max_size=3), place=PATHS, opens=st.booleans()
)
def test_nothing_is_seen_that_the_policy_of_its_place_closes(root, also, closed, place, opens):
    known = Policies(dict.fromkeys(closed, parse(f"version: 1.0.0\nboundary_classes: {CLOSED}")))
    tags = ("answer:task", "vault") if opens else ("answer:task",)
    access = seeing(access_of(root, also), known, tags)
    for boundary_class in ("public", "internal", "pii"):
        if access.sees(place, boundary_class):
            assert boundary_class in known.at(place).visible_classes(tags)
