"""Records the statements that verbs run on PostgreSQL, each with the parameters that it was last given."""

from __future__ import annotations

from contextlib import contextmanager

from wherefrom.model.errors import WherefromError
from wherefrom.storage.postgres_pipeline import PipelinedTransaction


@contextmanager
def recorded():
    """The statements by name and text, as they are run meanwhile in this process."""
    seen = {}
    kind = PipelinedTransaction  # where they are defined: what is set back on a class below would stay there
    execute, stream = kind._execute, kind.stream

    def noted(run):
        def noting(transaction, name, parameters, **options):
            seen[name, transaction._statements.sql(name, parameters)] = dict(parameters)
            return run(transaction, name, parameters, **options)

        return noting

    kind._execute, kind.stream = noted(execute), noted(stream)
    try:
        yield seen
    finally:
        kind._execute, kind.stream = execute, stream


def plans(connection, seen):
    """The plan of each statement that was recorded, as JSON, by its name."""
    for (name, text), parameters in seen.items():
        if not text.startswith("set "):
            with connection.transaction(force_rollback=True):
                yield name, connection.execute(f"explain (format json) {text}", parameters).fetchone()[0]


def run_all(memory, script, world):
    """Call all verbs of a script; returns the failures."""
    made, failed = world(memory), []
    for verb, arguments in script:
        try:
            result = getattr(memory, verb)(**arguments(made))
        except WherefromError as error:
            failed.append((verb, str(error)))
        else:
            failed += [(verb, result.error)] if (getattr(result, "error", None) or "").startswith("PostgreSQL") else []
    return failed
