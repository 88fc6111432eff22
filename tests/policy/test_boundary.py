from __future__ import annotations

import pytest

from recollect import InvalidInput
from recollect.policy.boundary import DEFAULT_ALLOW, visible_classes


@pytest.mark.parametrize(
    ("allow", "classes"),
    [
        (DEFAULT_ALLOW, ("public", "internal")),
        (("tool:search",), ("public", "internal")),
        (("tool:contact-lookup",), ("public", "internal", "pii")),
        (("anything",), ("public",)),
        ((), ()),
        (("*",), ("public",)),
        (("secret", "tool:*"), ("public", "internal")),
    ],
)
def test_tags_open_classes_and_nothing_opens_secret(allow, classes):
    assert visible_classes(allow) == classes


@pytest.mark.parametrize("allow", ["answer:task", [""], [3]])
def test_malformed_tags(allow):
    with pytest.raises(InvalidInput):
        visible_classes(allow)
