# Every verb sets up what it needs. `make run` and `make test` are all a fresh machine has to know.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNABLE := $(VENV)/.runnable
READY := $(VENV)/.ready
PIP_INSTALL := $(BIN)/pip install --disable-pip-version-check
# The lock lists every package. Without --no-deps, pip refuses it on the day one of them has a newer release.
define INSTALL
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --no-deps --require-hashes -r $(1)
	$(PIP_INSTALL) --quiet --no-deps --no-build-isolation -e .
endef
# Twice the two cores of CI: many tests wait for a process or a time limit.
JOBS ?= 4
# Compiled test modules are kept: writing asserts anew in all of them takes longer than many tests.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: run test quick check compiled fmt reference bench conformance lock services clean

# The question goes through the environment as it is: neither make nor the shell reads it.
run: override export QUESTION := $(value QUESTION)
run: $(RUNNABLE)  ## answer a question with cited sources
	$(BIN)/python -m tests.internet.demo

# Installing waits for the network and checking keeps one core busy, so each has company.
test:  ## everything: checks, tests, conformance
	$(MAKE) -j2 $(READY) services
	$(MAKE) -j3 check compiled conformance
	$(PYTEST)

quick: $(READY)  ## the working loop: unit and contract tests in process, under two minutes
	$(PYTEST) -m "not slow and not process" tests --ignore=tests/cluster --ignore=tests/deployment --ignore=tests/e2e --ignore=tests/upgrade

check: $(READY)  ## format, lint, types, layers, derived files, unused code, figures of the tree
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/citewell reference --check
	$(BIN)/python -m tests.meta.dead_code
	$(BIN)/python -m tests.meta.tree_figures

compiled: $(READY)  ## test modules, once for all workers of a run: each would compile all of them
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq > $(VENV)/compiled.log || \
		{ cat $(VENV)/compiled.log; exit 1; }

fmt: $(READY)  ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(READY)  ## write the manifest and the generated docs
	$(BIN)/citewell reference

bench: $(READY)  ## ratios against peers and baselines, into benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

conformance: $(READY)  ## the official MCP suite, from npm
	bash tests/conformance/run.sh

services:  ## what tests need from Debian's packages and npm, where we may install it
	bash .ci/services
	bash tests/node/install.sh

# Extras stay in the lock: for `psycopg[binary]` beside a pinned `psycopg`, pip takes the newest release, and refuses it.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-strip-extras
# All but `semantic`, which would add 180 MB for an option that needs a model besides.
RUN_EXTRAS := --extra csl --extra stealth --extra browser --extra postgres --extra dbos --extra redis --extra s3 --extra keyring --extra prices
# What a server in a container needs: no browser, no keyring of a desktop.
IMAGE_EXTRAS := --extra csl --extra stealth --extra postgres --extra dbos --extra redis --extra s3 --extra prices

lock: $(READY)  ## pin every dependency with its hash, and no registry's name
	$(BIN)/pip install --quiet uv
	$(COMPILE) --all-extras --group dev --output-file requirements.lock pyproject.toml
	$(COMPILE) $(RUN_EXTRAS) --group build --constraint requirements.lock --output-file requirements-run.lock pyproject.toml
	$(COMPILE) $(IMAGE_EXTRAS) --group build --constraint requirements.lock --output-file requirements-image.lock pyproject.toml

# What running needs: the program and its extras. pip shows its progress, for this takes minutes.
$(RUNNABLE): requirements-run.lock pyproject.toml
	@echo "Installing Citewell and what it needs into $(VENV), once; about 330 MB."
	$(call INSTALL,requirements-run.lock)
	touch $(RUNNABLE)

# What running needs, at the same versions, and what tests and checks need besides.
$(READY): requirements.lock requirements-run.lock pyproject.toml
	@echo "Installing Citewell and the development tools into $(VENV), once; about 440 MB."
	$(call INSTALL,requirements.lock)
	touch $(RUNNABLE) $(READY)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache node_modules tests/conformance/node_modules tests/node/node_modules
