# The whole house in one place: `make run` and `make test` set everything up by themselves.

UV_VERSION := 0.13.8
PY := .venv/bin/python
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell $(name) -c \
	'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $(name))))
LINT := .venv/lint/bin
LOCK_STATE = $$(cat requirements/dev.txt requirements/lint.txt | cksum)
BROWSER ?= 1
# One more than CI has cores: a third of their time tests wait for other processes.
WORKERS ?= 3
FAULTS_AT_ONCE ?= 4
TESTS ?=
LOAD ?=

# Some images forbid Python to keep what it compiled; compiled anew, langgraph alone takes twice as long to import.
# So setup compiles once, for those who start a program by hand as well.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup install run test hostile faults audit lint types lock bench load clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' Makefile

setup: ## the virtual environment with every locked package (does nothing when it is current)
	@test "$$(cat .venv/locked 2>/dev/null)" = "$(LOCK_STATE)" || $(MAKE) --no-print-directory install

# pip alone is the slower way, for a machine that cannot have uv.
install:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or set PYTHON to it."; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@test -x $(LINT)/python || $(PY) -m venv --without-pip .venv/lint
	@if $(PY) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); then \
		install="-m uv pip sync --quiet --require-hashes --compile-bytecode"; \
		$(PY) $$install --python $(PY) requirements/dev.txt && $(PY) $$install --python $(LINT)/python requirements/lint.txt; \
	else \
		install="install --quiet --disable-pip-version-check --no-deps --require-hashes"; \
		$(PY) -m pip $$install -r requirements/dev.txt && $(PY) -m pip --python $(LINT)/python $$install -r requirements/lint.txt; \
	fi
	@$(PY) -m compileall -q -j 0 courtroom grading auditor_site
	@echo "$(LOCK_STATE)" > .venv/locked

run: setup ## the site with its demo cohort on http://127.0.0.1:8000 (PORT=... elsewhere)
	@$(PY) -m auditor_site.localservices exec -- $(PY) manage.py serve

test: setup ## every test (BROWSER=0 leaves the browser out, TESTS="-k word" chooses)
	$(PY) -m pytest -q -rs -n $(WORKERS) --dist worksteal -m "not hostile_full and not faults_full$(if $(filter 0,$(BROWSER)), and not browser)" $(TESTS)

hostile: setup ## the whole corpus of hostile input, with its scoreboard (make test runs a part of it)
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal -p tests.hostile.scoreboard $(HOSTILE) tests/hostile

faults: setup ## every fault, on real processes, with its scoreboard (make test brings about a part of them)
	$(PY) -m pytest -q -n $(FAULTS_AT_ONCE) --dist worksteal -p tests.faults.scoreboard $(FAULTS) tests/faults

audit: setup ## one audit without the site: make audit REPO=... PDF=...
	@test -n "$$REPO" || { echo "Say which repository: make audit REPO=https://... PDF=report.pdf"; exit 2; }
	@$(PY) -m courtroom "$$REPO" --allow-local $${PDF:+--pdf "$$PDF"}

lint: setup ## style, format and the import contracts
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(LINT)/lint-imports --no-logo

types: setup ## mypy, strict
	$(PY) -m mypy .

lock: setup ## requirements/*.in compiled to hash-locked requirements/*.txt
	@for name in runtime guards dev lint; do \
		$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			requirements/$$name.in -o requirements/$$name.txt; \
	done

bench: setup ## speed and size, measured
	$(PY) -m benchmarks

load: setup ## a course on the evening of its deadline (LOAD="--ladder 50,100,200,400" finds what saturates first)
	$(PY) -m benchmarks.load $(LOAD)

clean: ## forgets caches and the embedded servers' data (the virtual environment stays)
	@if [ -f var/services-are-in ]; then rm -rf "$$(cat var/services-are-in)"; fi
	rm -rf var .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
