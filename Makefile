# Two commands set everything up by themselves: `make` (the main job) and `make test`.
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
ENVIRONMENT := .venv/.complete

.PHONY: all test lint bench clean
all: $(ENVIRONMENT)
	$(BIN)/snakemake --cores $(CORES)
	@cat results/summary.txt

test: $(ENVIRONMENT)
	$(MAKE) --no-print-directory lint
	$(BIN)/pytest -n 2 --dist loadgroup

lint: $(ENVIRONMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake --lint

# Speed of the kernels, and errors on a real table, against baselines, some of which are installed for this alone.
bench: .venv-bench/.complete
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/run.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/mixture_table.py

.venv-bench/.complete: benchmarks/requirements.lock
	@rm -f $@
	$(PYTHON) -m venv --clear .venv-bench
	.venv-bench/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes --requirement benchmarks/requirements.lock
	@touch $@

# The environment is made from the lock alone; an interrupted installation has no stamp and is made again.
$(ENVIRONMENT): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "semipriv needs Python 3.11 or newer, $(PYTHON) is " + sys.version.split()[0])'
	@rm -f $@
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -rf data/synthetic data/split data/breast_cancer.parquet .snakemake
	find results -mindepth 1 ! -name README.md -delete
