# Every target sets up what it needs: on a fresh machine with Python 3.11 and make, `make demo` and `make test` just work.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := -m pytest -q -n auto --dist loadfile -m "not integration and not slow"

.PHONY: help venv demo test lint types imports docs unit fuzz test-integration test-newest test-lowest wheel-check handbook bench lock clean
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

demo: .venv/ready  ## what is at risk among synthetic people
	$(BIN)/epsilens demo

test: lint types imports unit docs  ## everything that needs no outside component

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

imports: .venv/ready
	$(BIN)/lint-imports --no-cache

# Rewriting 7,000 assertions in every worker is long and explains failures only: what failed is run again, explained.
unit: .venv/ready
	$(BIN)/python $(PYTEST) --assert=plain -p tools.formula_runs || ($(BIN)/python -m pytest -q --lf --lfnf none; exit 1)

docs: unit  ## is docs/formulas.md what the docstrings say and the tests run?
	$(BIN)/python tools/formulas.py --check

fuzz: .venv/ready  ## 10,000 command lines drawn from the tree of commands
	$(BIN)/python -m pytest -q -n auto -m integration tests/fuzz

test-integration: .venv/ready-integration fuzz wheel-check test-newest test-lowest  ## long tests, Spark, PostgreSQL, browser; the wheel, the newest Python, the lowest versions
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "integration or slow" tests --ignore tests/fuzz

test-newest: .venv/ready  ## the unit tests under the newest Python here that pyproject.toml lists
	$(BIN)/python tools/environments.py newest

test-lowest: .venv/ready  ## the tests with the lowest versions that pyproject.toml admits
	$(BIN)/python tools/environments.py lowest

wheel-check: .venv/ready  ## build sdist and wheel, install the wheel into an empty environment, try it
	$(BIN)/python tools/environments.py wheel

handbook: .venv/ready-integration  ## the handbook as a site in build/handbook, made without a network
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/handbook

bench: .venv/ready-integration  ## ratios against peers and the bare engine, in one run; writes docs/benchmarks.md
	mkdir -p build
	$(BIN)/python -m benchmarks --json build/benchmarks.json

UV := uv pip compile --quiet --generate-hashes --no-header --no-emit-index-url --python-version 3.11
lock:  ## resolve the pinned versions anew (needs uv)
	$(UV) --universal --group dev --extra app pyproject.toml -o requirements.lock
	$(UV) --universal -c requirements.lock pyproject.toml -o requirements-runtime.lock
	$(UV) --universal --group dev --group bench --group browser --group handbook --extra app --extra spark --extra postgres -c requirements.lock pyproject.toml -o requirements-integration.lock
	$(UV) --resolution lowest-direct --group test --extra app pyproject.toml -o requirements-lowest.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
