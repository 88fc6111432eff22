"""`wherefrom completion`: scripts for bash, zsh and fish that know all commands, their options and the words for them.

The script holds the words themselves, so that the shell completes at once and starts no Python for it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import typer.main

from wherefrom import config, interfaces
from wherefrom.explore.views import list_views
from wherefrom.interfaces.cli.app import app, entry_of
from wherefrom.interfaces.cli.commands import words_of
from wherefrom.interfaces.verbs import COMMANDS

# The words of arguments and options that are not declared with a verb: by the command, and the name in its function.
_WORDS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("completion", "shell"): ("bash", "zsh", "fish"),
    ("config set", "name"): tuple(setting.name for setting in config.SETTINGS),
    ("config unset", "name"): tuple(setting.name for setting in config.SETTINGS),
    ("reembed", "embedder"): ("static", "endpoint", "sentence-transformers"),
}
_HELP: Final = ("-h", "--help")


class Option(NamedTuple):
    """An option in all its spellings; whether a value follows it, and the words that the value may be."""

    spellings: tuple[str, ...]
    takes_value: bool
    words: tuple[str, ...]
    about: str


class Completed(NamedTuple):
    """The words that can be typed after a command: its options, and those that stand there without an option."""

    options: tuple[Option, ...]
    words: Mapping[str, str]


def print_script(shell: str) -> None:
    """Print the script for a shell."""
    sys.stdout.write(_SCRIPTS[shell](everything()))


def everything() -> dict[str, Completed]:
    """The words that can be typed after each command, by its name; after none for the program itself."""
    group = typer.main.get_command(app)
    found = {"": _of_group(group, "", (Option(("--version",), False, (), "Say which version this is."),))}
    for word, command in group.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            found[word] = _of_group(command, f"{word} ", tuple(map(_option_of(word), _options(command))))
            found |= {
                f"{word} {below}": _of_command(f"{word} {below}", inner) for below, inner in command.commands.items()
            }
        else:
            server = {"mcp": interfaces.server, "serve": interfaces.serving}.get(word)
            found[word] = _of_command(word, command) if server is None else _of_server(server)
    return found


def _of_group(group: Any, place: str, options: tuple[Option, ...]) -> Completed:
    entries = {word: entry_of(place + word) for word in group.commands}
    words = {word: entry.about if entry else _short(group.commands[word].help or "") for word, entry in entries.items()}
    return Completed((*options, _help()), words)


def _of_command(name: str, command: Any) -> Completed:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    words = {word: "" for param in arguments for word in _words(name, param.name)}
    return Completed((*map(_option_of(name), _options(command)), _help()), words)


def _of_server(server: Any) -> Completed:
    """The options of `wherefrom mcp` or `wherefrom serve`, which another library reads."""
    actions = server.parser()._actions  # argparse tells them in no other way
    options = (
        Option(tuple(action.option_strings), action.nargs != 0, tuple(action.choices or ()), action.help or "")
        for action in actions
        if action.help != argparse.SUPPRESS
    )
    return Completed(tuple(options), {})


def _options(command: Any) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "option" and param.name != "help"]


def _option_of(command: str) -> Callable[[Any], Option]:
    """Return what describes an option of a command."""
    return lambda param: Option(
        (*param.opts, *param.secondary_opts), not param.is_flag, _words(command, param.name), param.help or ""
    )


def _help() -> Option:
    return Option(_HELP, False, (), "Show the help.")


def _words(command: str, parameter: str) -> tuple[str, ...]:
    """The words that an argument or option of a command may be, if it is one of a few."""
    if command == "view" and parameter == "name":
        return tuple(view.name for view in list_views())
    verb = next((verb for verb in COMMANDS if verb.command == command), None)
    declared = None if verb is None else verb.parameters.get(parameter)
    return words_of(declared) if declared is not None else _WORDS.get((command, parameter), ())


def _valued(completed: Completed) -> dict[tuple[str, ...], list[str]]:
    """The options of a command that take a value, by the words that it may be."""
    found: dict[tuple[str, ...], list[str]] = {}
    for option in completed.options:
        if option.takes_value:
            found.setdefault(option.words, []).extend(option.spellings)
    return found


# --- bash -------------------------------------------------------------------------------------------------------------

_BASH: Final = """\
# Completion of wherefrom in bash, made by: wherefrom completion bash
_wherefrom() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= words= options=
    # To bash the = of --option=word is a word of its own.
    if [[ $current == = ]]; then current=
    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
    case $command in
        @groups@) ((COMP_CWORD > 2)) && command+=" ${COMP_WORDS[2]}" ;;
    esac
    case "$command $previous" in
@values@
        *) case "$command" in
@commands@
            esac
            [[ $current == -* ]] && words=$options ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _wherefrom wherefrom
"""


def _bash(known: Mapping[str, Completed]) -> str:
    values, commands = [], []
    for name, completed in known.items():
        for words, spellings in _valued(completed).items():
            # Where any text may follow, bash offers files.
            action = f"words={_quoted(' '.join(words))}" if words else "return"
            values.append(f"        {_pattern(name, spellings)}) {action} ;;")
        options = " ".join(spelling for option in completed.options for spelling in option.spellings)
        said = f"words={_quoted(' '.join(completed.words))} options={_quoted(options)}"
        commands.append(f"            {_quoted(name)}) {said} ;;")
    return _filled(_BASH, known, values, commands)


def _pattern(name: str, spellings: Sequence[str]) -> str:
    return "|".join(_quoted(f"{name} {spelling}") for spelling in spellings)


def _filled(script: str, known: Mapping[str, Completed], values: Sequence[str], commands: Sequence[str]) -> str:
    """A script with the words that have commands below them, the values of options, and what follows each command."""
    groups = "|".join(sorted({name.split()[0] for name in known if " " in name}))
    script = script.replace("@groups@", groups).replace("@values@", "\n".join(values))
    return script.replace("@commands@", "\n".join(commands))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- zsh --------------------------------------------------------------------------------------------------------------

_ZSH: Final = """\
#compdef wherefrom
# Completion of wherefrom in zsh, made by: wherefrom completion zsh
_wherefrom() {
    local command= previous=$words[CURRENT-1]
    local -a found options
    (( CURRENT > 2 )) && command=$words[2]
    case $command in
        (@groups@) (( CURRENT > 3 )) && command+=" $words[3]" ;;
    esac
    case "$command $previous" in
@values@
        (*) case "$command" in
@commands@
            esac
            [[ $PREFIX == -* ]] && found=($options) ;;
    esac
    if (( $#found )); then _describe wherefrom found; else _files; fi
}
if [[ $funcstack[1] == _wherefrom ]]; then _wherefrom "$@"; else compdef _wherefrom wherefrom; fi
"""


def _zsh(known: Mapping[str, Completed]) -> str:
    values, commands = [], []
    for name, completed in known.items():
        for words, spellings in _valued(completed).items():
            action = f"found=({_described(dict.fromkeys(words, ''))})" if words else "_files; return"
            values.append(f"        ({_pattern(name, spellings)}) {action} ;;")
        options = {spelling: option.about for option in completed.options for spelling in option.spellings}
        commands.append(f"            ({_quoted(name)}) found=({_described(completed.words)})")
        commands.append(f"                options=({_described(options)}) ;;")
    return _filled(_ZSH, known, values, commands)


def _described(words: Mapping[str, str]) -> str:
    """Words with what is said about them, as `_describe` wants them."""
    return " ".join(_quoted(f"{word}:{_short(about)}" if about else word) for word, about in words.items())


def _short(about: str) -> str:
    """The first sentence about something, on one line."""
    return " ".join(about.split()).split(". ")[0].rstrip(".")


# --- fish -------------------------------------------------------------------------------------------------------------


_FISH: Final = """\
# Completion of wherefrom in fish, made by: wherefrom completion fish
function __wherefrom_at
    set -l words (commandline -opc)
    set -l command "$words[2]"
    if string match -qr '^(@groups@)$' -- "$command"
        set command (string trim -- "$command $words[3]")
    end
    test "$command" = "$argv"
end
@commands@
"""


def _fish(known: Mapping[str, Completed]) -> str:
    commands = []
    for name, completed in known.items():
        at = f"complete -c wherefrom -n {_fish_quoted(f'__wherefrom_at {name}'.strip())}"
        commands += [f"{at} -f -a {_fish_quoted(word)}{_told(about)}" for word, about in completed.words.items()]
        for option in completed.options:
            names = " ".join(
                f"-{'l' if name.startswith('--') else 's'} {name.lstrip('-')}" for name in option.spellings
            )
            words = f" -x -a {_fish_quoted(' '.join(option.words))}" if option.words else " -r" * option.takes_value
            commands.append(f"{at} {names}{words}{_told(option.about)}")
    return _filled(_FISH, known, (), commands)


def _told(about: str) -> str:
    return f" -d {_fish_quoted(_short(about))}" if about else ""


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS: Final = {"bash": _bash, "zsh": _zsh, "fish": _fish}
