# Everything runs in .venv, made on first use with uv when it is there, else with venv and pip.

PYTHON ?= $(shell for candidate in python3.13 python3.12 python3.11 python3 python; do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$candidate && break; done)
BIN := .venv/bin
INSTALLED := .venv/.installed

# Tests start hundreds of interpreters; without bytecode each of them would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint bench soak real lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Watch the main job: a RAG service goes wrong twice, pages, recovers (60 to 90 seconds, more on a busy machine)
	@$(BIN)/ragvigil demo

test: $(INSTALLED) ## Run the tests
	@$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

lint: $(INSTALLED) ## Check style and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy & mypy=$$!; $(BIN)/pyright; pyright=$$?; wait $$mypy && exit $$pyright

bench: $(INSTALLED) ## Measure speed and memory, as ratios to floors in the same run
	@for script in tests/bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

soak: $(INSTALLED) ## Kill the scorer 200 times under load, throw hostile bytes at it, give 50,000 verdicts, feed it (50 minutes)
	@$(BIN)/python tests/soak/soak_kills.py
	@$(BIN)/python tests/soak/soak_pages.py
	@$(BIN)/python tests/soak/soak_decoders.py
	@$(BIN)/python -m tests.soak.soak_servers --seconds 120
	@$(BIN)/python tests/soak/fuzz_decoders.py
	@$(BIN)/python tests/soak/soak_verdicts.py
	@$(BIN)/python tests/soak/soak_memory.py

real: $(INSTALLED) ## Pull from and show in real Phoenix and MLflow servers, push scores to Phoenix, each in a venv (25 minutes, 4 GB)
	@$(BIN)/python tests/real/real_pull.py phoenix
	@$(BIN)/python tests/real/real_pull_interrupted.py
	@$(BIN)/python tests/real/real_pull.py mlflow
	@$(BIN)/python tests/real/real_push.py
	@$(BIN)/python tests/real/real_shown.py phoenix
	@$(BIN)/python tests/real/real_shown.py mlflow

lock: $(INSTALLED) ## Pin the newest versions that pyproject.toml allows
	@$(BIN)/uv pip compile --quiet --upgrade --universal --fork-strategy fewest --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 --extra demo --group dev pyproject.toml -o requirements.lock

clean: ## Remove the virtual environment and caches
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist

$(INSTALLED): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: ragvigil needs Python 3.11 or newer on the PATH" >&2; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) .venv && \
		uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . ; \
	else \
		$(PYTHON) -m venv .venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@touch $@
