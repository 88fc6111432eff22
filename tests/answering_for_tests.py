"""A server on loopback that says what it was told to say, for clients of services that misbehave."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager


@contextmanager
def answering(*answers):
    """The address of a server that gives one prepared answer after the other, each on a connection of its own, and the
    requests that it got. An answer is a status line with headers and a body, or None to hang up.
    """
    requests = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run():
            for answer in answers:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    requests.append(_request(connection))
                    if answer is not None:
                        connection.sendall(answer)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", requests
        finally:
            listening.shutdown(socket.SHUT_RDWR)  # which wakes a thread that waits for a connection
    thread.join(10)


def response(status, body=b"", **headers):
    """The bytes of an answer."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _request(connection):
    """The head and the body of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += (block := connection.recv(65_536))
        if not block:
            return data
    head, _, body = data.partition(b"\r\n\r\n")
    sizes = [line.partition(b":")[2] for line in head.splitlines() if line.lower().startswith(b"content-length:")]
    while sizes and len(body) < int(sizes[0]):
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body
