"""Processes of `wherefrom` without the second or two that their start takes: forked from one that has started.

Each is a process of its own, with the environment, folder, streams and end of the one that asked, and runs what
`python -m wherefrom` runs, or after `--program` a file of Python, or after `-c` what is written there. It is told to end
when the one that asked is, and killed when that one is: whoever kills it reads its output to the end, which comes when
it is dead. Tests of the start itself and of what it imports start an interpreter instead.

`asking_for_tests.py` is the process that asks, and this file, as a script, the one that forks.
"""

from __future__ import annotations

import marshal
import os
import shlex
import signal
import socket
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

PROGRAM = "--program"
_LENGTH_BYTES, _KILLED = 8, 256  # as in the file that asks
_ASKING = Path(__file__).with_name("asking_for_tests.py")
_LONGEST_S = 170
_LONGEST_SERVED_S = 3600  # a service may be one of a whole session
# Names the interpreter that a fork takes itself for: beside it, programs look for `wherefrom`.
INTERPRETER = "INTERPRETER_FOR_TESTS"
_IMPORTED = (
    "rich.console",
    "rich.progress",
    "rich.table",
    "wherefrom.api.memos",
    "wherefrom.api.relations",
    "wherefrom.api.store",
    "wherefrom.api.upkeep",
    "wherefrom.evidence.documents.add",
    "wherefrom.explore.sql",
    "wherefrom.insight.judge",
    "wherefrom.insight.plans",
    "wherefrom.interfaces.answering",
    "wherefrom.interfaces.answers",
    "wherefrom.interfaces.cli.app",
    "wherefrom.interfaces.cli.commands",
    "wherefrom.interfaces.cli.render",
    "wherefrom.interfaces.cli.special",
    "wherefrom.interfaces.http.app",
    "wherefrom.interfaces.http.serve",
    "wherefrom.interfaces.mcp.server",
    "wherefrom.metabolism.engine",
    "wherefrom.metabolism.plan",
    "wherefrom.recall.pipeline",
    "wherefrom.recall.verbs",
    "wherefrom.storage.postgres",
    "wherefrom.storage.sqlite",
    "wherefrom.storage.vector_index",
)


@cache
def wherefrom_command() -> tuple[str, ...]:
    """What to start in place of `python -m wherefrom`."""
    import atexit
    import subprocess
    import tempfile

    address = f"{tempfile.mkdtemp(prefix='wherefrom-test-fork-')}/socket"
    forking = subprocess.Popen([sys.executable, "-P", __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert forking.stdin is not None
    assert forking.stdout is not None

    @atexit.register
    def stop() -> None:
        with forking:
            forking.stdin.close()

    assert forking.stdout.readline() == b"ready\n"
    return (sys.executable, "-I", "-S", str(_ASKING), address)


def programs_in(folder: Path) -> None:
    """Make a folder with the programs of an environment, of which `wherefrom` starts by a fork."""
    folder.mkdir(parents=True)
    for name, started in (("wherefrom", wherefrom_command()), ("python", (sys.executable,))):
        (folder / name).write_text(f'#!/bin/sh\nexec {shlex.join(started)} "$@"\n')
        (folder / name).chmod(0o755)


def _asked(connection: socket.socket) -> tuple[dict, list[int]]:
    head, streams, _, _ = socket.recv_fds(connection, _LENGTH_BYTES, 3)
    missing, body = int.from_bytes(head, "big"), b""
    while missing > len(body):
        body += connection.recv(missing - len(body))
    return marshal.loads(body), streams


def _become(arguments: list[str], environment: dict[bytes, bytes], folder: bytes, streams: list[int]) -> None:
    """Make this fork the process that was asked for."""
    signal.alarm(_LONGEST_SERVED_S if arguments[:1] == ["serve"] else _LONGEST_S)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    os.environb.clear()
    os.environb.update(environment)
    os.chdir(folder)
    sys.argv = ["wherefrom", *arguments]
    sys.executable = os.environ.pop(INTERPRETER, sys.executable)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115


def _forked(connection: socket.socket) -> int:
    """Fork the command that is asked for and tell its id, which is returned; 0 in the command itself."""
    request, streams = _asked(connection)
    command = os.fork()
    if not command:
        _become(**request, streams=streams)
        return 0
    for stream in streams:
        os.close(stream)
    with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked did not wait
        connection.sendall(command.to_bytes(_LENGTH_BYTES, "big"))
    return command


def _start() -> None:
    """Do what the start of most commands does: import, read the packaged model, the packaged policy and all SQL."""
    import gc
    import importlib
    import threading

    for name in _IMPORTED:
        importlib.import_module(name)
    import httpcore2

    from wherefrom.embedding import static
    from wherefrom.policy import document
    from wherefrom.storage import postgres, sql, sqlite

    static._load = cache(static._load)
    static._load()
    httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
    for trusted in (False, True):  # as clients ask for it
        httpcore2.default_ssl_context(_trust_env=trusted)
    document.default()
    _warm_up()
    for dialect in (sqlite.DIALECT, postgres.DIALECT):
        for writing in (False, True):
            sql.statements(dialect, writing=writing)
    for thread in threading.enumerate():  # one that has done its work may take a moment more to end
        if thread is not threading.current_thread():
            thread.join(10)
    assert threading.active_count() == 1  # or a fork could miss what another thread holds
    gc.collect()
    gc.freeze()  # or every fork looks through, and so copies, all of this


def _warm_up() -> None:
    """Do once what every process does for the first time and keeps: put commands and tools together, save, and ask."""
    import tempfile

    import typer

    from wherefrom.api.memory import Memory
    from wherefrom.interfaces.cli.app import app
    from wherefrom.interfaces.cli.commands import command_of
    from wherefrom.interfaces.verbs import COMMANDS, TOOLS

    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)
    for verb in COMMANDS:
        command_of(verb.command)
    for verb in TOOLS:
        assert verb.input, verb.answer
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # it has threads, which forks would miss
    with tempfile.TemporaryDirectory() as folder, Memory.open(f"{folder}/memory.db") as memory:
        for text in ("Ada wrote the first program in 1843.", "Ada wrote the first programs in London."):
            memory.save(text)
        memory.search("Who wrote the first program?")


def _fork_until_the_tests_end(address: str) -> bool:
    """Start, then fork a process at every request; True in one that is to run a command.

    When a command ends, whoever asked is told its exit code; when whoever asked ends first, the command is killed.
    """
    import select
    import shutil

    _start()
    running: dict[int, tuple[int, socket.socket]] = {}  # by what says that the process has ended
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            asked = {connection: command for command, connection in running.values()}
            ready = select.select([listener, sys.stdin, *running, *asked], [], [])[0]
            for source in [source for source in ready if source in running]:
                os.close(source)
                _tell_the_end(*running.pop(source))
            for source in [source for source in ready if source in asked and source.fileno() >= 0]:
                os.kill(asked[source], signal.SIGKILL)  # nothing is ever sent: whoever asked has ended
            if sys.stdin in ready:
                break
            if listener in ready:
                connection, _ = listener.accept()
                command = _forked(connection)
                if not command:
                    connection.close()
                    for source, (_, other) in running.items():
                        os.close(source)
                        other.close()
                    return True
                running[os.pidfd_open(command)] = (command, connection)
    shutil.rmtree(os.path.dirname(address))  # noqa: PTH120
    return False


def _tell_the_end(command: int, connection: socket.socket) -> None:
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    code = code if code >= 0 else _KILLED - code
    with connection, suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(code.to_bytes(_LENGTH_BYTES, "big"))


def _run() -> None:
    """Run the program or the command."""
    if sys.argv[1:2] == [PROGRAM]:
        import runpy

        runpy.run_path(sys.argv[2], run_name="__main__")
    elif sys.argv[1:2] == ["-c"]:
        program = sys.argv[2]
        sys.argv[1:3] = []
        exec(program, {"__name__": "__main__"})
    else:
        from wherefrom.__main__ import main

        main()


def _end(code: int) -> None:
    """End as an interpreter does, but for the freeing of every object, which would copy all that forks share.

    Returns when there is something to say at the end, which is left to the interpreter.
    """
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(code & 0xFF)


if __name__ == "__main__" and _fork_until_the_tests_end(sys.argv[1]):
    try:
        _run()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        _end(ended.code or 0)
        raise
    _end(0)
