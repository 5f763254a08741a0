# Two commands: `make demo` and `make test`. The rest is for maintainers.
PYTHON ?= python3
BIN := .venv/bin
# Tests never write into the demo's data.
TEST_ENV := DATA_DIR=$(CURDIR)/build/test-data

.PHONY: demo test bench lint engine picture lock clean
.DELETE_ON_ERROR:

demo: .venv/site.stamp  ## a populated site on http://127.0.0.1:8000 with its own worker; Ctrl-C stops all
	@$(BIN)/python manage.py demo $(DEMO)

test: .venv/test.stamp  ## the whole suite; what a machine lacks is skipped with a reason (and fails under CI=true)
	$(TEST_ENV) $(BIN)/python -m pytest -n 2 --dist loadgroup $(TESTS)

bench: .venv/test.stamp  ## speed and memory, beside the reference's figures
	$(BIN)/python -m tests.benchmarks

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TEST_ENV) $(BIN)/python manage.py makemigrations --check --dry-run

engine: .venv/site.stamp  ## the engine alone: its wheel in an empty environment, measured and used
	@$(BIN)/python .ci/engine_alone

picture: .venv/bin/python  ## who imports whom, into docs/architecture.md
	@$(BIN)/python .ci/draw_imports.py

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "%s is Python %d.%d; this site needs 3.11 or newer. Name one: make demo PYTHON=python3.12" % ("$(PYTHON)", sys.version_info[0], sys.version_info[1]))'
	@$(PYTHON) -m venv .venv

# Everything is pinned with hashes; --no-deps because the lock files are complete.
.venv/site.stamp: .ci/site.lock pyproject.toml | .venv/bin/python
	@echo "Installing the site (once, about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r .ci/site.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/test.stamp: .ci/test.lock pyproject.toml | .venv/site.stamp
	@echo "Installing the test tools and llama-cpp-python, which is built from source (once, about five minutes) …"
	@CMAKE_BUILD_PARALLEL_LEVEL=$${CMAKE_BUILD_PARALLEL_LEVEL:-2} $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --no-deps --require-hashes -r .ci/test.lock
	@touch $@

lock:  ## pin the newest allowed versions (needs uv); no registry host ends up in the files
	uv pip compile pyproject.toml --extra site --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --upgrade --quiet -o .ci/site.lock
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --upgrade --quiet -o .ci/test.lock

clean:
	rm -rf .venv build var
