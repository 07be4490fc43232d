# Two commands matter: `make run` and `make test`. Everything they need is set up by themselves.
SHELL := /bin/sh
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
PY := .venv/bin/python
# Never fetch an interpreter: the machine's own Python (3.11 or newer) is used.
export UV_PYTHON_DOWNLOADS := never
export UV_LINK_MODE := copy
# Compiled files are kept, whatever the shell says: without them every start of Python compiles pandas and all else anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast test-postgres slow-list lint build bench bench-peers waits load sizes answers golden oracle calibrate fuzz faults attacks rights arrangement shots reference lock audit

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.tools/bin/uv:
	python3 -m venv .tools
	.tools/bin/pip --quiet --disable-pip-version-check install "uv>=0.9"

# The stamp makes the second set-up free; a changed lock or pyproject makes it run again.
.venv/.ready: requirements-dev.txt pyproject.toml | $(filter .tools/bin/uv,$(UV))
	$(UV) venv --quiet --allow-existing --python "$$(command -v python3)" .venv
	$(UV) pip sync --quiet --python $(PY) requirements-dev.txt
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
	.venv/bin/tiebreak warm-up
	@touch $@

setup: .venv/.ready  ## make .venv with everything the product and its tests need

run: setup  ## open the dashboard on a store with real content
	.venv/bin/tiebreak demo --if-empty
	.venv/bin/tiebreak serve

# A worker for each processor: more threads in the matrix library would only wait for one another.
test test-fast test-postgres slow-list fuzz faults calibrate: export OPENBLAS_NUM_THREADS := 1
PYTEST := $(PY) -m pytest --workers auto

test: setup  ## run every test, the browser's too
	$(PY) -m benchmarks.chromium
	$(PY) -m benchmarks.suite

test-fast: setup  ## the daily loop: no browser, no simulations, nothing that tests/slow.txt lists
	$(PYTEST) --fast

# These are about files: their locks, pages, copies and rights.
FILES_ONLY := backup damage engine faults fault_rounds restore seals shown text_checks
test-postgres: setup  ## the tests of the store and of all answers on PostgreSQL, which they start by themselves
	$(PYTEST) --postgres tests/test_both_back_ends.py tests/test_store $(FILES_ONLY:%=--ignore=tests/test_store/test_%.py)

slow-list: setup  ## measure which tests are slow, for test-fast
	$(PYTEST) -m "not browser and not calibration and not slow and not shared" --list-slow=0.12

# Atheris is no part of the development environment: it looks into that one from its own.
.tools/atheris/.ready: setup
	test -e $@ || python3 -m venv .tools/atheris
	test -e $@ || .tools/atheris/bin/pip --quiet --disable-pip-version-check install atheris
	$(PY) -c "import sysconfig; print(sysconfig.get_path('purelib'))" > "$$(.tools/atheris/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/develop.pth"
	@touch $@

fuzz: setup  ## new examples for the property tests, a hundred times as many; ON=tests/test_store, FILES=folder
	$(if $(FILES),nice $(PY) -m benchmarks.fuzz $(FILES) --inputs $(or $(INPUTS),100000))
	$(if $(FILES),$(MAKE) .tools/atheris/.ready)
	$(if $(FILES),nice .tools/atheris/bin/python -m benchmarks.fuzz_coverage $(FILES) --inputs $(or $(INPUTS),100000) --seconds $(or $(SECONDS),0))
	nice $(PYTEST) -m hypothesis --hypothesis-profile=fuzz $(or $(ON),tests/test_importers) --timeout=3600

faults: setup  ## kill writers, cut connections, fill disks, crowd a store, on both back-ends; ROUNDS=100, SEED=…, LOG=FILE goes on from there
	nice $(PYTEST) tests/test_store/test_faults.py --full
	nice -n 15 $(PY) -m benchmarks.faults --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),0) $(if $(LOG),--log $(LOG)) --out docs/reliability.md

attacks: setup  ## give commands and a server files that mean harm, and doctor broken stores
	nice $(PY) -m benchmarks.attacks --out docs/reliability.md

rights: setup  ## try each write as each role and token, into docs/reliability.md
	$(PY) -m benchmarks.rights

arrangement: setup  ## two servers, HAProxy, PostgreSQL and two workers of Dask; servers are killed on the way
	$(PY) -m benchmarks.chromium
	$(PY) -m benchmarks.arrangement

shots: setup  ## pictures of every page, and its faults by axe, in shots/; STORES="a.db b.db", else three of our own
	$(PY) -m benchmarks.chromium
	$(PY) -m pytest tests/test_browser --full
	$(PY) -m benchmarks.shots $(STORES)

lint: setup  ## ruff, mypy --strict and the contract of the layers
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

build: setup  ## the wheel and the source archive, in dist/
	rm -rf dist
	$(UV) build --quiet --no-build-isolation --python $(PY) --out-dir dist .

bench: setup  ## speed as a ratio against peers, measured in one run
	$(PY) -m benchmarks

.peers/.ready: benchmarks/peers/requirements.txt | setup
	$(UV) venv --quiet --allow-existing --python $(PY) .peers
	$(UV) pip sync --quiet --python .peers/bin/python $<
	@touch $@

bench-peers: .peers/.ready  ## speed and figures beside the real peers, which get an environment of their own
	$(PY) -m benchmarks.peers .peers/bin/python

load: setup  ## sessions of a real server on a copy of STORE, into docs/performance.md; WORKERS=2
	$(PY) -m benchmarks.load $(or $(STORE),tiebreak.db) --workers $(or $(WORKERS),1) --out docs/performance.md

waits: setup  ## what a person waits for, row by row, beside its aim; PARTS="start clicks"
	$(PY) -m benchmarks.waits $(PARTS)

sizes: setup  ## how time, memory and files grow with a store, into docs/sizes.md; SCORES="100000 1000000"
	nice $(PY) -m benchmarks.sizes $(if $(SCORES),--scores $(SCORES)) --out docs/sizes.md

answers: setup  ## record what every command answers; AGAINST=FOLDER says what has changed
	nice $(PY) -m benchmarks.answers $(if $(NAME),--name "$(NAME)") $(if $(QUICK),--quick) \
	  $(if $(AGAINST),--against "$(AGAINST)") $(if $(EXPECT),--expect "$(EXPECT)") \
	  $(if $(TOLERANCE),--tolerance $(TOLERANCE))

golden: setup  ## record what imports bring and what a small store answers, after an intended change
	$(PY) -m benchmarks.golden
	$(PY) -m benchmarks.golden_answers

oracle: setup  ## R against our commands, on new and nasty data (skipped where R is absent)
	nice $(PY) -m benchmarks.oracle $(if $(SEED),--seed $(SEED)) $(if $(REPEATS),--repeats $(REPEATS))

calibrate: setup  ## the statistical calibration in full (slow), and docs/calibration*.md anew
	$(PYTEST) tests/test_statistics --full --timeout=3600
	$(PY) -m benchmarks.calibration --out docs
	$(PY) -m benchmarks.calibration.replicability --out docs
	$(PY) -m benchmarks.calibration.claims --out docs
	$(PY) -m benchmarks.calibration.metrics --out docs
	$(PY) -m benchmarks.calibration.end_to_end --out docs

audit: setup  ## ask pip-audit about known faults in the pinned libraries
	@told=$$($(UV) tool run --quiet pip-audit --strict --requirement requirements.txt --require-hashes \
	  --disable-pip 2>&1); code=$$?; echo "$$told"; case "$$code $$told" in \
	  0*) ;; \
	  *"known vulnerabilit"*) echo "Libraries with known faults are pinned: see above." >&2; exit 1;; \
	  *) echo "pip-audit could not ask about every library: nothing is known of their faults." >&2; exit 2;; \
	esac

reference: setup  ## the pages of docs/reference anew, from the product
	$(PY) -m benchmarks.reference

lock: | $(filter .tools/bin/uv,$(UV))  ## pin every dependency again, with hashes
	$(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --quiet -o requirements.txt
	$(UV) pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --quiet -c requirements.txt -o requirements-dev.txt
	$(UV) pip compile benchmarks/peers/requirements.in --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --quiet -o benchmarks/peers/requirements.txt
