# Two commands set everything up by themselves: `make` (the main job) and `make test`.
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
ENVIRONMENT := .venv/.complete
# A run, or the tests, start Python hundreds of times: where nothing keeps bytecode, each start compiles all it imports.
unexport PYTHONDONTWRITEBYTECODE
# Snakemake and others keep files in the home folder: where it cannot be written, they get one here.
ifneq ($(shell mkdir -p "$${XDG_CACHE_HOME:-$$HOME/.cache}" 2> /dev/null && test -w "$${XDG_CACHE_HOME:-$$HOME/.cache}" && echo yes),yes)
export HOME := $(CURDIR)/.snakemake/home
unexport XDG_CACHE_HOME
endif

REPORT ?= results/report.html

# Machines differ by two, so what a command takes is told in units of a calibration: docs/running.md, "What a run costs".
TOLD := -m semipriv_lab.workflow.calibration

.PHONY: all first report report.pdf archive test lint bench clean
all: $(ENVIRONMENT)
	$(BIN)/python $(TOLD) $(BIN)/snakemake --cores $(CORES)
	@sed '/^$$/,$$d' results/summary.txt; cat results/timings/minutes.txt

# One figure through every stage of the workflow, in half a minute, for whoever wants to see something before all is made.
FIRST := results/first/figures/excess_vs_public__excess.png
first: $(ENVIRONMENT)
	$(BIN)/snakemake $(FIRST) --cores $(CORES) --configfile config/first.yaml
	@echo $(FIRST)

# One file to read or to pass on: figures with their captions, the ledger, runtimes; REPORT=results/report.zip for many files.
report: all
	$(BIN)/snakemake --report $(REPORT)

# The run as a document: verdicts, claims, figures with captions, findings with their proofs.
report.pdf: all
	$(BIN)/python -m semipriv_lab.reference.document results/report.pdf
	@echo results/report.pdf

# The results as one file with digests, from which `semipriv claim` and `semipriv diff` read without running anything.
archive: all
	$(BIN)/semipriv archive

# Three rings of tests: of what changed, in a minute; of all that a release needs; of everything.
check: lint
	$(BIN)/python tests/changed.py | xargs --no-run-if-empty $(PYTEST)
	$(BIN)/python tests/changed.py --learners | xargs --no-run-if-empty $(BIN)/semipriv check

test: lint
	$(BIN)/python $(TOLD) $(PYTEST)

# Where continuous integration runs it (CI is set), Slurm must be there.
test-exhaustive: java lint
	$(PYTEST) -m 'not spark'
	$(MAKE) --no-print-directory test-spark
	@PATH="$$PATH:/usr/sbin:/sbin"; \
	if test -n "$(CI)" || { command -v slurmctld && command -v munged; } > /dev/null; then \
		$(MAKE) --no-print-directory test-slurm; \
	else printf '\nNOT TESTED: the workflow through Slurm, which is not installed here (docs/running.md, "On a cluster").\n'; fi

PYTEST := $(BIN)/pytest -n 2 --dist worksteal

lint: $(ENVIRONMENT)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync style types

.PHONY: check test-exhaustive style types
style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml

types:
	$(BIN)/mypy

# Speed of the kernels, and errors on a real table, against baselines, some of which are installed for this alone.
bench: .venv-bench/.complete
	PYTHONPATH=src .venv-bench/bin/python $(TOLD) $(MAKE) --no-print-directory benchmarks

.PHONY: benchmarks
benchmarks: .venv-bench/.complete
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/run.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/run.py --without-avx
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/growth.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/page.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/mixture_table.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/head_to_head.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/many_features.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/many_classes.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/regression.py
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/one_dimension.py
	$(MAKE) --no-print-directory rival-tables
	$(MAKE) --no-print-directory rival-statistics

# Synthetic tables beside those of libraries that refuse the package's NumPy: they have an environment of their own.
.PHONY: rival-tables
rival-tables: .venv-bench/.complete .venv-tables/.complete
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/rival_tables.py

# Statistics by group beside OpenDP and diffprivlib, in another environment: the one above needs an old OpenDP.
.PHONY: rival-statistics
rival-statistics: .venv-bench/.complete .venv-statistics/.complete
	PYTHONPATH=src:benchmarks .venv-bench/bin/python benchmarks/rival_statistics.py

# Counts in Spark beside its own best queries: 1e5, 1e6 and 1e7 rows.
.PHONY: bench-spark
bench-spark: .venv-spark/.complete
	PYTHONPATH=src:benchmarks .venv-spark/bin/python benchmarks/in_spark.py

# Accountants and samplers against other libraries: asked anew, compared with the answers that were kept, and these with us.
.PHONY: test-oracles answers
test-oracles: $(ENVIRONMENT) .venv-oracles/.complete
	.venv-oracles/bin/python tests/oracles/ask.py --check
	$(BIN)/pytest tests/unit/privacy/test_other_libraries.py

# Keep new answers, after a change of the questions or of the lock.
answers: .venv-oracles/.complete
	.venv-oracles/bin/python tests/oracles/ask.py

# The package alone, without the workflow: a wheel and a source archive in dist/, the same bytes of the same commit.
.PHONY: wheel test-lowest
wheel: $(ENVIRONMENT)
	@mkdir -p dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2> /dev/null || date +%s) $(BIN)/python -c \
		'from flit_core.buildapi import *; print(build_wheel("dist"), build_sdist("dist"))'

# The library as users have it: the wheel, without the laboratory and its packages; its tests in a folder that is no checkout.
.PHONY: test-library
test-library: .venv-library/.complete
	.venv-library/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --no-index --no-build-isolation --force-reinstall .
	away=$$(mktemp -d) && trap 'rm -rf "$$away"' EXIT && mkdir "$$away/tests" && cp -R pyproject.toml docs "$$away" && \
	cp -R tests/*.py tests/library tests/oracles tests/statistical tests/unit "$$away/tests" && cd "$$away" && \
	env -u PYTHONPATH $(CURDIR)/.venv-library/bin/pytest -n 2 --dist worksteal -p no:cacheprovider \
		tests/library/alone.py tests/unit tests/statistical --pyargs semipriv

# On the oldest dependencies that pyproject.toml allows; tests/lowest/README.md says what is left out.
test-lowest: .venv-lowest/.complete
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba .venv-lowest/bin/pytest -n 2 --dist worksteal -p no:cacheprovider \
		--override-ini filterwarnings=default --deselect 'tests/lab/papers/test_gates.py::test_properties_of_a_study[bbd24_rrspm_law]' \
		tests/unit tests/lab tests/benchmarks tests/statistical src/semipriv/audit/properties tests/workflow/test_module.py

# Tables in Spark, in one process and on a private cluster of two workers: one session a process, so one process at a time.
.PHONY: test-spark java
test-spark: java .venv-spark/.complete
	$(SPARK) -m spark tests/unit/practice/databases tests/unit/practice/sources/test_versions.py
	$(SPARK) --verbose tests/spark/on_a_cluster.py

java:
	@command -v java > /dev/null || { \
	echo 'java not found, which Spark needs; on Debian or Ubuntu: apt-get install default-jre-headless' >&2; exit 1; }

# Spark leaves sockets open, and uses what pandas will not have.
SPARK := .venv-spark/bin/pytest -p no:cacheprovider -W ignore

.PHONY: slurm test-slurm locks

# A private single-node Slurm runs one of each kind, is disturbed, and releases; without Slurm's and munge's packages it says what to install.
test-slurm: $(ENVIRONMENT) .venv-slurm/.complete
	$(BIN)/pytest -p no:cacheprovider --verbose tests/slurm/through_slurm.py

# What a cluster user starts Snakemake from: the package's dependencies and the executor plugin.
slurm: .venv-slurm/.complete

# Locks, after a change of pyproject.toml: the main one first, with which the plugin's must agree (a test checks it).
# UPGRADE=--upgrade takes the newest versions.
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header $(UPGRADE)
COMPILE := $(LOCK) pyproject.toml
locks:
	$(COMPILE) --extra workflow --extra database --group develop --group documentation --group document --group tables --output-file requirements.lock
	$(COMPILE) --extra figures --extra database --group benchmark --group tables --output-file benchmarks/requirements.lock
	$(COMPILE) --extra workflow --group slurm --group tables --constraints requirements.lock --output-file profiles/slurm/requirements.lock
	$(LOCK) tests/oracles/requirements.in --output-file tests/oracles/requirements.lock
	$(LOCK) benchmarks/tables.in --output-file benchmarks/tables.lock
	$(LOCK) benchmarks/statistics.in --output-file benchmarks/statistics.lock
	$(COMPILE) tests/library/requirements.in --extra check --extra database --extra figures --constraints requirements.lock --output-file tests/library/requirements.lock
	$(COMPILE) tests/library/requirements.in --extra check --extra database --extra spark --constraints requirements.lock --output-file tests/spark/requirements.lock
	$(filter-out --universal,$(COMPILE)) --extra workflow --extra database --group develop --resolution lowest-direct --output-file tests/lowest/requirements.lock

# Each environment is made from its lock alone; envs/make.py makes an interrupted one again, and touches nobody else's folder.
$(ENVIRONMENT) .venv-lowest/.complete .venv-spark/.complete: pyproject.toml
$(ENVIRONMENT): requirements.lock
.venv-lowest/.complete: tests/lowest/requirements.lock
.venv-library/.complete: tests/library/requirements.lock
.venv-bench/.complete: benchmarks/requirements.lock
.venv-tables/.complete: benchmarks/tables.lock
.venv-statistics/.complete: benchmarks/statistics.lock
.venv-oracles/.complete: tests/oracles/requirements.lock
.venv-slurm/.complete: profiles/slurm/requirements.lock
.venv-spark/.complete: tests/spark/requirements.lock
$(ENVIRONMENT) .venv-lowest/.complete .venv-library/.complete .venv-bench/.complete .venv-tables/.complete .venv-statistics/.complete \
.venv-oracles/.complete .venv-slurm/.complete .venv-spark/.complete:
	$(PYTHON) envs/make.py $(@D) $(filter %.lock,$^) $(if $(filter pyproject.toml,$^),--editable)

# The documentation as a site, in site/: tutorials are run, the API and the reference are read off the code; no network.
.PHONY: docs docs-serve
docs: $(ENVIRONMENT)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "site/index.html"

docs-serve: docs
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site

clean:
	rm -rf site
	rm -rf data/synthetic data/split data/*.parquet .snakemake
	find results -mindepth 1 ! -name README.md -delete
