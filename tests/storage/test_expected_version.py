"""A save that knows a version changes that version and no other."""

from __future__ import annotations

import pytest

from wherefrom import Conflict, InvalidInput


def test_a_memo_that_was_changed_meanwhile_is_not_overwritten(memory):
    memo = memory.save("The gate opens at nine.").node
    changed = memory.save("The gate opens at ten.", memo_id=memo.id, expected_version=memo.version).node
    assert changed.version == memo.version + 1
    with pytest.raises(Conflict):
        memory.save("The gate opens at eleven.", memo_id=memo.id, expected_version=memo.version)
    assert memory.get(memo.id).content == "The gate opens at ten."
    with pytest.raises(InvalidInput):
        memory.save("The gate opens at noon.", expected_version=1)
