# Every command of the project; `make run` and `make test` set everything up by themselves.

UV_VERSION := 0.13.8
PY := .venv/bin/python
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell $(name) -c \
	'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $(name))))
LINT := .venv/lint/bin
LOCK_STATE = $$(cat requirements/dev.txt requirements/lint.txt | cksum)
# One more than CI has cores: tests also wait for PostgreSQL.
WORKERS ?= 3
# Five at once took longer than three (440 s and 355 s on the same two cores).
SLOW_AT_ONCE ?= 3
# Faults mostly wait, so more of them than there are cores run side by side.
FAULTS_AT_ONCE ?= 4
PYTEST = $(PY) -m pytest -q -rs --dist worksteal -n
TESTS ?=
LOAD ?=

# Some images forbid Python to store bytecode, and langgraph then takes twice as long to import. Setup
# compiles once, also for programs that are started by hand.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup install run test test-slow processes providers browser hostile faults audit image image-check wheel audit-dependencies lint types lock bench load clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

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

test: setup ## the fast tests (TESTS="-k word" chooses)
	$(PYTEST) $(WORKERS) -m "not slow and not processes and not browser and not hostile and not faults and not image" $(TESTS)

test-slow: setup ## all other tests but the faults: processes, browser, hostile input, long sweeps
	$(PYTEST) $(SLOW_AT_ONCE) -m "slow or processes or browser or hostile" -p tests.hostile.scoreboard $(TESTS)

processes: setup ## the tests that start programs and servers, and of the sandbox
	$(PYTEST) $(WORKERS) -m processes $(TESTS)

# Their packages stay out of the environment of all other tests: they make each process start later.
providers: setup ## the tests of other providers' packages, in an environment that has them
	@test -x .venv/providers/bin/python || $(PY) -m venv --without-pip .venv/providers
	@$(PY) -m uv pip sync --quiet --require-hashes --python .venv/providers/bin/python \
		requirements/dev.txt requirements/providers.txt
	.venv/providers/bin/python -m pytest -q -rs tests/model_endpoint/test_other_providers.py \
		tests/model_endpoint/test_public_connections.py $(TESTS)

browser: setup ## the tests in a browser
	$(PYTEST) $(WORKERS) -m browser $(TESTS)

hostile: setup ## the tests with hostile input, and a table of their results
	$(PYTEST) $(WORKERS) -m hostile -p tests.hostile.scoreboard $(TESTS)

faults: setup ## the tests that kill and stop processes, and a table of their results
	$(PYTEST) $(FAULTS_AT_ONCE) -m faults -p tests.faults.scoreboard $(TESTS)

image: ## the container image, built by buildah without a daemon (BASE=... takes another base)
	@deploy/build_image.sh

# Its ports are fixed, so it gets a network of its own, where nothing outside can be reached.
image-check: setup image ## the image built, its files read, and the composition run from it
	unshare --net -- sh -c 'ip link set lo up && exec "$$@"' sh \
		env DATABASE_URL=postgresql://auditor@127.0.0.1/auditor REDIS_URL=redis://127.0.0.1 \
		$(PYTEST) 0 -m image --durations 8 tests/image $(TESTS)

wheel: setup ## the wheel of the site in dist/, and its SHA-256
	@$(PY) -m hatchling build --clean --target wheel --directory dist
	@cd dist && sha256sum *.whl

audit: setup ## one audit without the site: make audit REPO=... PDF=...
	@test -n "$$REPO" || { echo "Say which repository: make audit REPO=https://... PDF=report.pdf"; exit 2; }
	@$(PY) -m courtroom "$$REPO" --allow-local $${PDF:+--pdf "$$PDF"}

lint: setup ## style, format, the import contracts and the schema of the composition
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(LINT)/lint-imports --no-logo
	$(LINT)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

types: setup ## mypy, strict
	$(PY) -m mypy .

audit-dependencies: setup ## the locked packages compared with known weaknesses
	@$(PY) -m requirements.check_advisories $(LINT)/pip-audit

lock: setup ## requirements/*.in compiled to hash-locked requirements/*.txt
	@for name in runtime guards storage sentences providers telemetry dev lint; do \
		$(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
			--excludes requirements/sentences.excludes requirements/$$name.in -o requirements/$$name.txt; \
	done

bench: setup ## speed and size, measured
	$(PY) -m benchmarks

load: setup ## a course on the evening of its deadline (LOAD="--ladder 50,100,200,400" finds what saturates first)
	$(PY) -m benchmarks.load $(LOAD)

clean: ## forgets caches and the embedded servers' data (the virtual environment stays)
	@if [ -f var/services-are-in ]; then rm -rf $$(cat var/services-are-in); fi
	rm -rf var dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
