"""A cluster of Citus that somebody else has started: WHEREFROM_TEST_CITUS is the URL of a database on its coordinator.

That database has the extensions citus and vector, and knows its workers by addresses that can be reached from here, with
the user and without a password. Tests make databases of their own on every server.
"""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Cluster:
    """The servers, the coordinator first."""

    def __init__(self, url):
        self._given = conninfo_to_dict(url)
        with psycopg.connect(url) as connection:
            query = (
                "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid > 0 order by nodeid"
            )
            workers = connection.execute(query).fetchall()
        self.servers = [(self._given["host"], int(self._given.get("port", 5432))), *workers]

    def connect(self, name, number=0):
        host, port = self.servers[number]
        return psycopg.connect(
            make_conninfo("", user=self._given["user"], host=host, port=port, dbname=name), autocommit=True
        )

    def make(self, template=None):
        """The URL of a new database on all servers: an empty one, or a copy."""
        name = f"test_{uuid.uuid4().hex}"

        def copy(server):
            if template is not None:
                # Citus connects to each database by itself, now and then.
                server.execute(f"alter database {template} with allow_connections false")
                server.execute(
                    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", (template,)
                )
            server.execute(f"create database {name} template {template or 'template1'} strategy file_copy")

        self._everywhere(copy)
        if template is None:
            self._join(name)
        host, port = self.servers[0]
        return f"postgresql://{self._given['user']}@{host}:{port}/{name}?connect_timeout=10"

    def drop(self, name):
        dropping = f"drop database if exists {name} with (force)"
        self._everywhere(lambda server: _again(lambda: server.execute(dropping)))

    def _everywhere(self, work):
        """Do it on all servers at once, each on a new connection: a server may have been restarted."""

        def run(number):
            with self.connect("postgres", number) as server:
                work(server)

        with ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(run, range(len(self.servers))))

    def _join(self, name):
        for number in range(len(self.servers)):
            with self.connect(name, number) as connection:
                connection.execute("create extension citus")
                connection.execute("create extension vector")
        with self.connect(name) as connection:
            connection.execute(f"alter database {name} set citus.shard_count = 2")
            connection.execute("select citus_set_coordinator_host(%s, %s)", self.servers[0])
            for server in self.servers[1:]:
                _again(lambda server=server: connection.execute("select citus_add_node(%s, %s)", server))


def _again(work, attempts=4):
    """Citus looks after each database by itself, and alters roles, which belong to all databases of a server."""
    for left in reversed(range(attempts)):
        try:
            work()
            break
        except (psycopg.errors.ObjectInUse, psycopg.errors.InternalError_):
            if not left:
                raise
