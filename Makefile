# Every target sets up what it needs: on a fresh machine with Python 3.11 and make, `make demo` and `make test` just work.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help venv demo test lint types imports docs unit test-integration bench lock clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

venv: .venv/ready  ## build .venv from requirements.lock

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Epsilens needs Python 3.11 or newer; say PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv/ready-integration: .venv/ready requirements-integration.lock
	$(PIP) install --require-hashes -r requirements-integration.lock
	@touch $@

demo: .venv/ready  ## run the main job on the embedded demo population
	$(BIN)/epsilens demo

test: lint types imports docs unit  ## everything that needs no outside component

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

imports: .venv/ready
	$(BIN)/lint-imports --no-cache

docs: .venv/ready  ## is docs/formulas.md what the docstrings say?
	$(BIN)/python tools/formulas.py --check

unit: .venv/ready
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m "not integration"

test-integration: .venv/ready-integration  ## Spark, PostgreSQL and browser tests (what is missing is skipped, or fails under CI=true)
	$(BIN)/python -m pytest -q -m integration tests/integration

bench: .venv/ready-integration  ## ratios against peers and the bare engine, in one run
	$(BIN)/python -m benchmarks

lock:  ## resolve the pinned versions anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra dev pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra dev --extra spark --extra postgres --extra bench -c requirements.lock pyproject.toml -o requirements-integration.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
