"""The prompts, which clients show as slash commands: recall, remember and review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import mcp_types as types

from wherefrom.api.memory import Verbs
from wherefrom.interfaces.mcp.resources import DATA, overview
from wherefrom.interfaces.mcp.tools import answer
from wherefrom.interfaces.paging import compact
from wherefrom.interfaces.request_ids import ids_of
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.storage.events import tracing

_TOPIC: Final = types.PromptArgument(name="topic", description="What you are about to do or answer.", required=True)
_WHAT: Final = types.PromptArgument(name="what", description="What to save; omit for this conversation's decisions.")
_PLACE: Final = types.PromptArgument(name="namespace", description="Which namespace; omit for the default.")
_PROMPTS: Final = (
    types.Prompt(
        name="recall", title="Recall", description="Bring what is remembered about a topic.", arguments=[_TOPIC]
    ),
    types.Prompt(
        name="remember",
        title="Remember",
        description="Save something, or what was decided, learnt or changed.",
        arguments=[_WHAT],
    ),
    types.Prompt(
        name="review",
        title="Review",
        description="Look for contradictions among the memories, and mend them.",
        arguments=[_PLACE],
    ),
)


def listed() -> list[types.Prompt]:
    """The prompts as `prompts/list` shows them."""
    return list(_PROMPTS)


def answered(memory: Callable[[], Verbs], name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """The message that a prompt puts into the conversation."""
    prompt = next((prompt for prompt in _PROMPTS if prompt.name == name), None)
    if prompt is None:
        raise InvalidInput(f"there is no prompt {shown(name)}", hint="recall, remember or review")
    known = {argument.name: argument for argument in prompt.arguments or ()}
    if unknown := arguments.keys() - known.keys():
        raise InvalidInput(f"{name} takes no {shown(min(unknown))}", hint=f"it takes {', '.join(known)}")
    with tracing(ids_of({})):
        text = _TEXTS[name](memory, {key: value for key, value in arguments.items() if value.strip()})
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=prompt.description, messages=[message])


def _recall(memory: Callable[[], Verbs], given: Mapping[str, str]) -> str:
    if "topic" not in given:
        raise InvalidInput("recall needs a topic")
    recalled = compact(answer(memory(), "memory_activate", {"query": given["topic"]}))
    return f"Use what is remembered about: {given['topic']}\n\n{DATA}\n{recalled}\n\nSay which memo you rely on."


def _remember(memory: Callable[[], Verbs], given: Mapping[str, str]) -> str:
    del memory
    what = given.get("what", "what was decided, learnt or changed in this conversation")
    return (
        f"Save with memory_save: {what}\n\nOne thought per memo, self-contained: who, what, when. Look with "
        "memory_search first: where a memo says the same or what no longer holds, change that one (memo_id) instead. "
        "Then list what you saved, with ids."
    )


def _review(memory: Callable[[], Verbs], given: Mapping[str, str]) -> str:
    place = {"namespace": given["namespace"]} if "namespace" in given else {}
    held, pairs = overview(memory(), given.get("namespace")), compact(answer(memory(), "review", place))
    return (
        f"Review what the memory holds.\n\n{DATA}\n{held}\n\nPairs that contradict each other or look outdated:\n"
        f"{pairs}\n\nFor each pair propose what to keep (settle): first, second or both. Then read what else looks "
        "outdated or doubled (memory_get, memory_search), and propose what to change, judge or delete, with ids and "
        "one reason each. Change nothing before I agree."
    )


_TEXTS: Final[Mapping[str, Callable[[Callable[[], Verbs], Mapping[str, str]], str]]] = {
    "recall": _recall,
    "remember": _remember,
    "review": _review,
}
