# Two commands: `make run` sets everything up and shows what Wherefrom does; `make test` runs all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp for what the program needs to run, one for the tools of tests and checks beside it.
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
# What is compiled is kept, whatever the environment says: else each process that a test starts compiles all of it, and
# each worker of pytest rewrites all tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-slow test-all check bench bench-changes docs clean

run: $(READY)
	$(BIN)/wherefrom demo

test: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not long"

test-slow: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not long"

test-all: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist worksteal

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
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Wherefrom needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $(READY)

$(DEV): $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(DEV)
