# Two commands on a fresh machine: `make run` and `make test`. Both need Python 3.11+ with venv, and nothing else.
# `make help` lists the rest.

HOST ?= $(or $(TURNWRIGHT_HOST),127.0.0.1)
PORT ?= $(or $(TURNWRIGHT_PORT),8000)
RULESET ?=
ARGS ?=

BIN := .venv/bin
# Only folders that are there: mypy refuses a path that is not.
TYPED := $(wildcard app rulesets tests bench migrations tools)

.DEFAULT_GOAL := help
.PHONY: help run demo test laws soak faults fresh check format bench peers openapi clients lock env env-dev clean

help: ## list what make can do here
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do printf '  make %-9s %s\n' "$$name" "$$what"; done

run: env ## serve on HOST:PORT (127.0.0.1:8000) with the database under data/
	@$(BIN)/turnwright migrate
	@exec $(BIN)/turnwright serve --host $(HOST) --port $(PORT) $(ARGS)

demo: env ## play a whole fight over HTTP and tell it; RULESET=id chooses the rules
	@$(BIN)/turnwright demo $(if $(RULESET),--ruleset $(RULESET)) $(ARGS)

test: env-dev ## every test at its everyday size, PostgreSQL included; ARGS= goes to pytest
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow" $(ARGS)

laws: env-dev ## the laws on chance states, 10,000 of them for the action list, as long as it takes
	@TURNWRIGHT_TEST_PROFILE=long $(BIN)/python -m pytest -n 2 --dist worksteal --timeout 0 tests/laws $(ARGS)

soak: env-dev ## the tests of the promises at their night size: kills, crowds, floods, hours of play
	@TURNWRIGHT_TEST_PROFILE=long $(BIN)/python -m pytest -n 2 --dist worksteal --timeout 0 tests/reliability tests/persistence tests/webhooks tests/api/test_hostile.py $(ARGS)

faults: env-dev ## does the suite notice? each seeded fault, in a scratch copy, must turn a test red (a quarter of an hour)
	@$(BIN)/python -m tools.seeded_faults $(ARGS)

fresh: env-dev ## does `make run` suffice in an empty copy of the project? (about half a minute)
	@$(BIN)/python -m pytest -m slow tests/architecture/test_fresh_copy.py

check: env-dev ## format, lint, types, import rules, openapi.json, migrations up and down on both databases
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy $(TYPED)
	@$(BIN)/lint-imports
	@$(BIN)/turnwright openapi --check
	@$(BIN)/python -m tools.check_migrations

format: env-dev ## write the format, and what ruff can mend by itself
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: env-dev ## measure; ARGS= goes to the benchmark
	@$(BIN)/python -m bench $(ARGS)

peers: env-dev ## install what `make bench` measures beside us: python-chess, d20, boardgame.io
	@sh tools/peers.sh

openapi: env-dev ## write openapi/openapi.json anew
	@$(BIN)/turnwright openapi

clients: env-dev ## install the generators whose clients `make test` then compiles and plays with (about 480 MB)
	@sh tools/clients.sh

# The development lock comes first and bounds the runtime one, or packages that both name drift apart.
# UV names the tool, which is not part of the environment: it writes the locks, pip reads them.
UV ?= uv
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
lock: ## resolve requirements*.in anew (needs uv; UV= names it)
	$(LOCK) $(ARGS) requirements-dev.in -o requirements-dev.lock
	$(LOCK) -c requirements-dev.lock requirements.in -o requirements.lock
	$(LOCK) $(ARGS) tests/clients/requirements.in -o tests/clients/requirements.lock
	$(LOCK) $(ARGS) bench/peers/requirements.in -o bench/peers/requirements.lock

env:
	@sh tools/environment.sh run

env-dev:
	@sh tools/environment.sh dev

clean: ## remove the environments and every cache; data/ stays
	rm -rf .clients .peers .venv .venv.lock build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
