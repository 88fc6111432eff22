from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import InvalidNamespace
from wherefrom.model import namespaces


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        (None, "acme/DEF"),
        ("", "acme/DEF"),
        ("A", "acme/DEF/A"),
        ("../B", "acme/B"),
        ("/C", "acme/C"),
        ("/", "acme"),
        ("..", "acme"),
        ("acme/X", "acme/X"),
        ("acme", "acme"),
        (" a // b ", "acme/DEF/a/b"),
        ("./a/./b", "acme/DEF/a/b"),
        ("a/../b", "acme/DEF/b"),
        ("日本/東京", "acme/DEF/日本/東京"),
    ],
)
def test_resolves_like_a_chroot(path, resolved):
    assert namespaces.resolve(path, root="acme", default="acme/DEF") == resolved


@pytest.mark.parametrize(
    "path", ["../../x", "/..", "acme/../x", "a/../../../..", "..\x00", "a\nb", "\ud800", "x" * 257]
)
def test_refuses_to_leave_the_root_or_to_carry_controls(path):
    with pytest.raises(InvalidNamespace):
        namespaces.resolve(path, root="acme", default="acme/DEF")


@given(st.lists(st.sampled_from(["..", ".", "a", "b", "acme", "", " "]), max_size=12), st.booleans())
def test_whatever_the_path_the_result_is_inside_the_root(parts, absolute):
    path = ("/" if absolute else "") + "/".join(parts)
    try:
        resolved = namespaces.resolve(path, root="acme/team", default="acme/team/x")
    except InvalidNamespace:
        return
    assert namespaces.is_inside(resolved, "acme/team")
    assert namespaces.resolve(resolved, root="acme/team", default="acme/team/x") == resolved


def test_composed_and_decomposed_names_are_one():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert namespaces.parse(composed) == namespaces.parse(decomposed)


@pytest.mark.parametrize("root", ["", "/", "a/../b", "."])
def test_a_root_is_a_plain_path(root):
    with pytest.raises(InvalidNamespace):
        namespaces.parse(root, field="root")


def test_a_sibling_with_the_same_beginning_is_not_inside():
    assert not namespaces.is_inside("team-b", "team")
    assert not namespaces.is_inside("teams", "team")
