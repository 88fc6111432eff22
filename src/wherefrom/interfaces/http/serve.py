"""`wherefrom serve`: the service on a port, in one process or several, until it is told to end."""

from __future__ import annotations

import argparse
import errno
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import uvicorn

try:
    import resource
except ImportError:  # not on this system
    resource = None  # type: ignore[assignment]

from wherefrom import config, interfaces
from wherefrom.api import Store
from wherefrom.interfaces.http.app import Options, Service
from wherefrom.interfaces.http.guards import LOOPBACK, is_loopback
from wherefrom.interfaces.http.observation import log_as_json, send_traces
from wherefrom.interfaces.http.processes import GRACE_SECONDS, WRONG, supervise
from wherefrom.interfaces.http.tokens import issuer_tokens
from wherefrom.interfaces.http.welcome import welcome
from wherefrom.interfaces.http.workers import Limits
from wherefrom.model.errors import InvalidInput, WherefromError
from wherefrom.model.identifiers import utc_now

logger = logging.getLogger("wherefrom.http")

_KEEP_ALIVE_SECONDS: Final = 75
_BACKLOG: Final = 2048
_MOST_FILES: Final = 65_536
# Options that are no settings, and the settings that a person may choose for the example.
_NO_SETTINGS: Final = ("demo", "no_keys", "open", "socket")
_OF_EXAMPLE: Final = ("http_port", "http_workers", "http_threads")
# A call reads its answer with dozens of statements, and after each it waits for the interpreter while another call
# computes, for as long as this. With Python's 5 ms an activation beside a computing thread took twice as long.
_SWITCH_SECONDS: Final = 0.001


def parser() -> argparse.ArgumentParser:
    """Return what reads the options of `wherefrom serve`."""
    options = argparse.ArgumentParser(
        prog="wherefrom serve",
        description="Serve the memory over HTTP: a page at /, MCP at /mcp, the verbs as JSON at /api. On loopback it "
        "needs no keys until the first is made; any other address wants keys (`wherefrom key create`) or tokens of an "
        "issuer.",
    )
    options.add_argument("--db", metavar="URL", help="path, sqlite:///… or postgresql://… (WHEREFROM_DB)")
    options.add_argument("--host", dest="http_host", help="address to listen on (WHEREFROM_HTTP_HOST)")
    options.add_argument("--port", dest="http_port", type=int, help="port to listen on (WHEREFROM_HTTP_PORT)")
    options.add_argument("--workers", dest="http_workers", type=int, help="processes (WHEREFROM_HTTP_WORKERS)")
    options.add_argument("--threads", dest="http_threads", type=int, help="calls at once in each of them")
    options.add_argument(
        "--allowed-host", dest="http_hosts", action="append", metavar="NAME", help="further name of the service"
    )
    options.add_argument(
        "--allowed-origin", dest="http_origins", action="append", metavar="ORIGIN", help="whose pages may call"
    )
    options.add_argument(
        "--trusted-proxy", dest="http_proxies", action="append", metavar="ADDRESS", help="a proxy to believe"
    )
    options.add_argument("--public-url", metavar="URL", help="address at which clients reach it (WHEREFROM_PUBLIC_URL)")
    options.add_argument("--oidc-issuer", metavar="URL", help="whose tokens let callers in (WHEREFROM_OIDC_ISSUER)")
    options.add_argument("--oidc-audience", action="append", metavar="NAME", help="whom its tokens must be for")
    options.add_argument("--oidc-claims", metavar="MAP", help="what their claims give (WHEREFROM_OIDC_CLAIMS)")
    options.add_argument("--no-keys", action="store_true", help="need no keys: whoever reaches it may do everything")
    options.add_argument(
        "--demo", action="store_true", help="serve an example to look around in, on this machine alone; it is not kept"
    )
    options.add_argument("--open", action="store_true", help="open the page in a browser")
    options.add_argument("--socket", type=int, metavar="FD", help=argparse.SUPPRESS)
    return options


def serve(arguments: Sequence[str]) -> NoReturn:
    """Serve until a signal comes; then let the running calls finish, and end the process."""
    given = parser().parse_args(arguments)
    log_as_json()
    is_first = given.socket is None
    try:
        with _folder_of_example(made=given.demo and is_first) as folder:
            settings = _settings(given, folder)
            _raise_limit_of_files()
            if not is_first:
                _run(settings, socket.socket(fileno=given.socket), no_keys=given.no_keys or given.demo)
            else:
                listening = _listening(settings, or_free=given.demo and given.http_port is None)
                if given.demo:
                    interfaces.example.fill(settings, now=utc_now())
                shows = given.open or (given.demo and sys.stdout.isatty())
                greet = partial(welcome, listening, wanted_port=settings.http_port, opens_browser=shows)
                if settings.http_workers > 1:
                    greet()
                    own = ("--db", settings.db) if given.demo else ()
                    sys.exit(supervise([*arguments, *own], listening, settings.http_workers))
                _run(settings, listening, no_keys=given.no_keys or given.demo, greet=greet)
    except WherefromError as error:
        sys.stderr.write(f"{error.code}: {error}\n")
        # Of several processes, one that cannot reach its store is started anew, and one with wrong options is not.
        sys.exit(WRONG if isinstance(error, InvalidInput) else 1)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # all is closed; a thread that loads a model would hold up the usual end, or crash in it


@contextmanager
def _folder_of_example(*, made: bool) -> Iterator[Path | None]:
    """The folder that the example lies in as long as it is served; None unless one is to be `made`."""
    if not made:
        yield None
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # else one that comes while the example is made leaves it
    with tempfile.TemporaryDirectory(prefix="wherefrom-example-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _settings(given: argparse.Namespace, folder: Path | None) -> config.Settings:
    """Return the settings of the service. The example has the defaults, whatever the user's own memory has."""
    named = {name: value for name, value in vars(given).items() if name not in _NO_SETTINGS}
    if not given.demo:
        return config.load(named)
    if folder is not None:
        if given.no_keys or any(value is not None for name, value in named.items() if name not in _OF_EXAMPLE):
            hint = "it goes with --port, --workers, --threads and --open"
            raise InvalidInput("--demo serves an example of its own, on this machine alone", hint=hint)
        named["db"] = str(folder / "memory.db")
    usual = {setting.name: setting.default for setting in config.SETTINGS if setting.name not in _OF_EXAMPLE}
    return config.load(usual | {name: value for name, value in named.items() if value is not None})


def _run(
    settings: config.Settings, listening: socket.socket, *, no_keys: bool, greet: Callable[[], None] | None = None
) -> None:
    """Serve until a signal comes; `greet` is called once it does. The service is open to others only if they need keys
    or tokens, or nobody is to need one.
    """
    tokens = issuer_tokens(settings)
    if no_keys and tokens is not None:
        raise InvalidInput("--no-keys lets everybody in, and an issuer of tokens is named", hint="choose one of them")
    # Whoever is behind a proxy, or reaches it by another name, is not on this machine.
    is_alone = is_loopback(settings.http_host) and not (settings.http_hosts or settings.http_proxies)
    keyless = True if no_keys else None if tokens is None and is_alone else False
    if no_keys and not is_alone:
        logger.warning("whoever reaches the service may do everything: it was started with --no-keys")
    sys.setswitchinterval(_SWITCH_SECONDS)
    end_traces = send_traces()
    with Store.from_settings(settings) as store:
        if keyless is False and tokens is None and not store.has_keys():
            raise InvalidInput(
                "the service can be reached by others, and there are no keys",
                hint="make one with `wherefrom key create`, name an issuer with --oidc-issuer, or say --no-keys "
                "if everybody may do everything",
            )
        own = () if settings.http_host in ("0.0.0.0", "::") else (settings.http_host,)  # noqa: S104
        public = () if tokens is None else (tokens.host,)
        options = Options(
            keyless=keyless,
            hosts=(*LOOPBACK, *own, *public, *settings.http_hosts),
            origins=settings.http_origins,
            rate=settings.http_rate,
            limits=Limits(threads=settings.http_threads, seconds=settings.http_timeout_ms / 1000),
            tokens=tokens,
        )
        server = _Server(Service(store, options), settings, greet)
        for sig in (signal.SIGTERM, signal.SIGINT):
            # uvicorn raises the signal anew when it has ended: by default, that kills the process with the store open.
            signal.signal(sig, server.handle_exit)
        server.run([listening])
    end_traces()


class _Server(uvicorn.Server):
    """uvicorn, which tells the service when it is about to end."""

    def __init__(self, service: Service, settings: config.Settings, greet: Callable[[], None] | None) -> None:
        self._service = service
        self._greet = greet
        super().__init__(
            uvicorn.Config(
                service.app(),
                log_config=None,
                access_log=False,
                lifespan="on",
                ws="none",
                server_header=False,
                proxy_headers=bool(settings.http_proxies),
                forwarded_allow_ips=list(settings.http_proxies),
                reset_contextvars=True,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logger.info("ending")
        self._service.end()
        await super().shutdown(sockets)
        logger.info("ended")

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = (sockets or [])[0].getsockname()[:2]
        logger.info("serving", extra={"fields": {"address": f"http://{host}:{port}", "mcp": "/mcp", "api": "/api"}})
        if self._greet is not None:
            self._greet()


def _listening(settings: config.Settings, *, or_free: bool = False) -> socket.socket:
    """Return the socket that is listened on, on a free port if its own is taken and `or_free` says so. Its protocol is
    named so that asyncio sets TCP_NODELAY; without that, small answers are delayed.
    """
    host, port = settings.http_host.strip("[]"), settings.http_port
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        if or_free and error.errno == errno.EADDRINUSE:
            return _listening(replace(settings, http_port=0))
        raise InvalidInput(f"cannot listen on {host}, port {port}: {error.strerror}", hint="choose another") from None
    listening.set_inheritable(True)
    return listening


def _raise_limit_of_files() -> None:
    """Let the process have as many connections as the system lets it have."""
    if resource is None:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if most == resource.RLIM_INFINITY else min(most, _MOST_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
