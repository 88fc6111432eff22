# Two commands: `make run` sets everything up and shows what Wherefrom does; `make test` runs all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test test-slow test-all check bench docs clean

run: $(READY)
	$(BIN)/wherefrom demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not long"

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not long"

test-all: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m bench.startup
	$(BIN)/python -m bench.concurrency
	$(BIN)/python -m bench.graph
	$(BIN)/python -m bench.table

docs: $(READY)
	$(BIN)/python -m docs.generate

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Wherefrom needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
