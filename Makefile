# `make` alone prints help: the text after `##` is what it says of a target.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: bench mutate mutmut report test test-all lint published alarms viewer clean help tools

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

bench: $(READY) tools ## Measure every suite: tables here, files under reports/out/ (QUICK=1: within a minute)
	$(BIN)/adjudge bench --out reports/out $(if $(filter-out 0,$(QUICK)),--quick)

mutate: $(READY) ## Judge the checks: which wrong versions do they catch, files under reports/out/ (QUICK=1: a part)
	$(BIN)/adjudge mutate --out reports/out $(if $(filter-out 0,$(QUICK)),--quick)

mutmut: $(READY) .venv/.mutmut-ready ## Judge the tests: which generic mutants of rules, macro and representations survive
	$(BIN)/adjudge mutate generic --out reports/out

report: $(READY) ## Make one page of what is in reports/out/: reports/out/report.html
	$(BIN)/adjudge report --out reports/out

test: lint tools ## Lint and run the tests
	$(BIN)/pytest -n 2 -m "not slow"

test-all: lint tools ## Lint and run the tests, the slow ones too
	$(BIN)/pytest -n 2

lint: $(READY) ## Check style, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

published: $(READY) tools ## Make again what README and docs/ show: plot, tables, reference
	$(BIN)/adjudge bench --quick --out reports/out > /dev/null
	$(BIN)/adjudge mutate --out reports/out > /dev/null
	$(BIN)/python -m mutants.describe reports/out/described.jsonl
	$(BIN)/python -m reports.published reports/out

alarms: $(READY) ## Run the battery over a thousand seeds, for half an hour, and keep what it found
	$(BIN)/adjudge check --seeds 1000 --json > reports/out/alarms.jsonl
	$(BIN)/python -m reports.alarms reports/out/alarms.jsonl

viewer: ## Fetch the viewer of mutation reports, which a test opens in Chromium, from the npm registry (needs npm)
	npm install --prefix build/viewer --ignore-scripts --no-audit --no-fund --silent mutation-testing-elements@3.9.0

clean: ## Remove all that make has made: the environment, caches and reports/out/
	rm -rf .venv build dist *.egg-info reports/out .hypothesis .pytest_cache .ruff_cache .import_linter_cache
	find harness mutants reports tests transforms -name __pycache__ -prune -exec rm -rf {} +
	rm -rf __pycache__

help: ## Show this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The system tools that instruction counts need; does nothing when they are there, and never fails.
tools: $(READY)
	@sh harness/install_tools.sh .venv/.tools-tried

$(READY): pyproject.toml $(BIN)/python
	@echo "Installing adjudge and its packages in .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

.venv/.mutmut-ready: $(READY)
	@echo "Installing mutmut in .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutmut]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "adjudge needs Python 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install -y python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv
