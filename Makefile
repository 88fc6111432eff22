# Three commands: `make run` sets everything up and shows what Wherefrom does; `make serve` opens its page on an example;
# `make test` runs all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp for what the program needs to run, one for the tools of tests and checks beside it.
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
# How many tests run at once.
WORKERS ?= 2
# The tests that `make test` runs; CI runs the slow ones with them, which collects tests and starts servers once.
MARKS ?= not slow and not long
# What is compiled is kept, whatever the environment says: else each process that a test starts compiles all of it, and
# each worker of pytest rewrites all tests.
export PYTHONDONTWRITEBYTECODE :=

# What npm builds the page of.
PAGE := src/wherefrom/interfaces/http/page/index.html

.PHONY: run serve page page-if-npm ready test test-again test-slow test-all test-partitioned conformance check bench bench-changes docs clean

run: $(READY) page-if-npm
	$(BIN)/wherefrom demo
	@test -f $(PAGE) || echo 'The page was not built: it needs npm; run `make page`.'

serve: $(READY) page-if-npm
	$(BIN)/wherefrom serve --demo

# The page, for which npm is needed.
page: $(PAGE)

# Without npm, or if it fails, all goes on without the page, and whoever misses it is told.
page-if-npm: $(READY)
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory page || true; fi

ready: $(DEV)

test: $(DEV)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "$(MARKS)"

# The tests that failed the last time, one after another.
test-again: $(DEV)
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

test-slow: $(DEV)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "slow and not long"

test-all: $(DEV)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile all
	$(MAKE) --no-print-directory test-partitioned

# The tests of storage and of interfaces once more, on tables that are cut into parts by owner.
test-partitioned: $(DEV)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --partitioned -k postgres tests/storage tests/acceptance

# The official conformance suite of MCP, which npm installs into .conformance/.
conformance: $(DEV)
	$(BIN)/python -m tests.conformance.suite

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV)
	$(BIN)/python -m bench.startup
	$(BIN)/python -m bench.concurrency
	$(BIN)/python -m bench.graph
	$(BIN)/python -m bench.import_speed
	$(BIN)/python -m bench.owner_locks
	$(BIN)/python -m bench.owners
	$(BIN)/python -m bench.table

# Facts that change; WHEREFROM_BENCH_DATA says where the data is.
bench-changes: $(DEV)
	$(BIN)/python -m bench.changes --databases sqlite postgres
	$(BIN)/python -m bench.knowledge_updates --databases sqlite postgres
	$(BIN)/python -m bench.save_near

docs: $(DEV)
	$(BIN)/python -m docs.generate
	$(BIN)/python -m tests.docs_for_tests --write

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .conformance

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Wherefrom needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $(READY)

web/node_modules/.ready: web/package.json web/package-lock.json
	cd web && npm install --no-save --no-progress
	touch $@

$(PAGE): $(READY) web/node_modules/.ready $(shell find web/src web/public web/*.ts web/*.html web/*.json web/*.py -type f 2>/dev/null | grep -v verbs.ts)
	$(BIN)/python web/write_types.py
	cd web && npm run build

$(DEV): $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(DEV)
