"""Asks the process of `forking_for_tests` to run a command with our arguments, environment, folder and streams.

What tells us to end tells the command, and if we are killed, it is killed as well. This is started for every command, so it imports nothing but what is built into the interpreter: `json` and `socket` would
take longer than the start.
"""

import _signal
import _socket
import marshal
import posix
import sys

LENGTH_BYTES = 8
FAILED = 1
KILLED = 256  # what is added to the number of a signal


def ask(address: str, arguments: list[str]) -> int:
    """Have a command run; its exit code."""
    body = marshal.dumps({"arguments": arguments, "environment": dict(posix.environ), "folder": posix.getcwdb()})
    streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
    connection = _socket.socket(_socket.AF_UNIX)
    connection.connect(address)
    head = len(body).to_bytes(LENGTH_BYTES, "big")
    connection.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    connection.sendall(body)
    process = connection.recv(LENGTH_BYTES)
    for number in (_signal.SIGTERM, _signal.SIGINT):
        _signal.signal(number, lambda given, _: posix.kill(int.from_bytes(process, "big"), given))
    answer = connection.recv(LENGTH_BYTES)
    code = int.from_bytes(answer, "big") if answer else FAILED
    if code > KILLED:  # we end as the command did
        if code - KILLED != _signal.SIGKILL:
            _signal.signal(code - KILLED, _signal.SIG_DFL)
        posix.kill(posix.getpid(), code - KILLED)
    return code


if __name__ == "__main__":
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
