"""What `wherefrom serve` tells the person who starts it: where its page is, which it may open in a browser."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from typing import Final

from wherefrom import config
from wherefrom.interfaces.http.web_page import NOT_BUILT, is_built

# Addresses that stand for all of a machine, as somebody on it writes them.
_OWN_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


def welcome(listening: socket.socket, *, wanted_port: int, opens_browser: bool) -> None:
    """Say where the page is, or that there is none, and open it in a browser if that is wanted and can be seen.

    wanted_port: the port that was to be listened on; another one is explained.
    """
    url = address_of(listening)
    port = listening.getsockname()[1]
    taken = "" if wanted_port in (0, port) else f"Port {wanted_port} is taken, another one is used. "
    line = f"{taken}The {'page' if is_built() else 'service'} is at {url} (Ctrl-C ends it)\n"
    sys.stdout.write(line if is_built() else f"{line}{NOT_BUILT}\n")
    sys.stdout.flush()
    if opens_browser and is_built() and config.has_screen():
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()  # some browsers hold up their caller


def address_of(listening: socket.socket) -> str:
    """Return the URL by which somebody on this machine reaches a service."""
    host, port = listening.getsockname()[:2]
    host = _OWN_ADDRESS.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
