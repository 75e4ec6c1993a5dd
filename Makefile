# The two commands are `make lab` and `make test`; `make` alone lists the rest.
# PORT=, BROWSER= (none: open no browser) and PYTHON= may be given; make hands them on in the environment.

python = .venv/bin/python
marker = not full
once_more = --reruns=1 --rerun-show-tracebacks

# What somebody has set for other environments.
unexport CDPATH PYTHONHOME PYTHONINSPECT PYTHONDONTWRITEBYTECODE

.PHONY: help lab lite site test-site test test-full style types tests test-versions test-gpu test-gpu-device test-gpu-rest needs-gpu test-bridges test-graders test-hosts test-browsers test-cuda-compile predict-gpu test-cluster bench bench-compiled bench-gpu release-check clean
.NOTPARALLEL:

help:
	@echo "make lab        open JupyterLab on the first notebook (PORT=8888 BROWSER=none PYTHON=python3.12)"
	@echo "make lite       build a site without a server, the playground and JupyterLite with the lessons, in dist/lite (LITE_OFFLINE=folder: with its own Python)"
	@echo "make site       build the documentation that moves, with the playground and JupyterLite, in dist/site (LITE_OFFLINE as above;"
	@echo "                SITE_VERSIONS=folder: with the sites of older versions, each in a folder named after it)"
	@echo "make test-site  open all its pages in Chromium, without a network, and move its graphs"
	@echo "make test       check style and types, run the tests (Chromium and Graphviz are installed if need be)"
	@echo "make test-full  the same with the long tests, then make test-versions"
	@echo "make test-versions  the tests without a browser, with every Python here and the lowest and newest dependencies"
	@echo "make test-gpu   the tests that need no browser, with the current Python and its CuPy: first those that use the GPU"
	@echo "                (alone: make test-gpu-device), then all others (make test-gpu-rest)"
	@echo "make test-cluster  a cluster of Dask whose workers die, are slow or are told to stop"
	@echo "make test-bridges  the tests of the bridges to PyTorch and JAX, in an environment of their own"
	@echo "make test-graders  the lessons with nbgrader and otter-grader, in an environment of their own"
	@echo "make test-hosts  live views in marimo, Voila, Notebook 7, Sphinx, MyST and VS Code's widgets, in an environment of their own"
	@echo "make test-browsers  saved pages, the site where it is built, and the playground in Firefox and WebKit (installs them on Debian)"
	@echo "make test-cuda-compile  all GPU kernels through NVIDIA's compilers, without a GPU, in an environment of their own"
	@echo "make predict-gpu  the least time of some kernels on a GPU, from what these compilers say"
	@echo "make bench      measure the engine against other libraries"
	@echo "make bench-compiled  measure what autolab.compile makes of the steps"
	@echo "make bench-gpu  measure it on a GPU, with the current Python and its CuPy"
	@echo "make release-check  build the source archive, the wheel and the conda package, and check them in empty environments"
	@echo "make clean      remove environments, caches and artefacts"

lab:
	@scripts/environment lab
	@exec $(python) -m autolab.app.cli lab notebooks/00_start.ipynb \
	    $${PORT:+--port "$$PORT"} $${BROWSER:+--browser "$$BROWSER"}

lite:
	@scripts/environment lab,test
	$(python) scripts/lite.py $${LITE_OFFLINE:+--offline "$$LITE_OFFLINE"}

site: lite .docs-venv/made
	.docs-venv/bin/python docs/site/build.py $${SITE_VERSIONS:+--versions "$$SITE_VERSIONS"}

test-site:
	@scripts/environment lab,test
	@scripts/system-packages
	$(python) -m pytest tests/site -m "full or not full"

.docs-venv/made: pyproject.toml
	"$${PYTHON:-python3}" -m venv --clear .docs-venv
	.docs-venv/bin/python -m pip install --quiet --editable ".[docs]"
	@touch $@

test-full: marker =
test-full: once_more =
test-full: versions = test-versions
# Types are checked beside the tests, which leave a core idle at times, and what they are found to be is said after them.
# In a new checkout the tests are compiled first, which else each process of the tests would do for itself.
test test-full:
	@scripts/environment lab,test
	@scripts/system-packages
	@mkdir -p artefacts; $(MAKE) --no-print-directory --keep-going types >artefacts/types.txt 2>&1 & types=$$!; \
	trap 'kill $$types' INT TERM; \
	[ -d tests/__pycache__ ] || $(python) -m pytest --collect-only -qq -p no:cacheprovider >/dev/null 2>&1; \
	$(MAKE) --no-print-directory --keep-going style tests $(versions) marker="$(marker)" once_more="$(once_more)"; \
	failed=$$?; wait $$types || failed=2; cat artefacts/types.txt; exit $$failed

style:
	$(python) -m ruff check
	$(python) -m ruff format --check

types:
	$(python) -m mypy
	$(python) scripts/javascript.py

# Processes of tests, so many as tests/conftest.py says; each has its own browser and JupyterLab. On a busy machine a page
# may be late: what fails is tried once more, and both tries are in the report. `make test-full` gives no second chance.
tests:
	$(python) -m pytest -m "$(marker)" $(once_more) --numprocesses=auto --dist=worksteal

# ONLY="3.11-lowest 3.13-newest" takes some of them, TESTS="tests/engine -x" goes to pytest.
test-versions:
	@scripts/environment lab,test
	@$(python) scripts/versions.py

# Nothing is installed, and plugins that happen to be there stay out. What failed is at the end, a line each; the whole of
# it is in a file beside. `part=1/2` takes the first half of the tests. A GPU's kernels are compiled at first use and kept on disk: a second run is much faster.
# `workers=8` runs eight tests at a time, where pytest-xdist is installed. The bridges have their own target: JAX takes most of a GPU's memory.
test-gpu-device test-gpu-rest needs-gpu: python = "$${PYTHON:-python3}"
part = 1/1
gpu_tests = PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONPATH=tests $(python) -m pytest tests -p helpers.lean -q --tb=line \
	--ignore=tests/bridges $(if $(workers),-p xdist.plugin -n $(workers)) \
	--maxfail=50 --durations=10 -m "not browser and not lab and not full" --part=$(part) \
	--junitxml="$${OUT:-artefacts}/$@-$(subst /,-of-,$(part)).xml"

test-gpu: needs-gpu
	@$(MAKE) --no-print-directory --keep-going test-gpu-device test-gpu-rest

test-gpu-device: needs-gpu
	$(gpu_tests) --gpu=only

test-gpu-rest:
	$(gpu_tests) --gpu=without

needs-gpu:
	@$(python) -c 'from autolab.engine.backend import gpu_status as gpu; \
	    exit(gpu().state != "ok" and f"These tests need a GPU. {gpu().detail}.")'

# Real processes that are killed and started again: two minutes.
test-cluster:
	@scripts/environment lab,test
	$(python) -m pytest tests/gradcheck/test_cluster.py -m full

# Both libraries are large, so they are not in the environment of the other tests, where those of the bridges are skipped.
test-bridges: .bridges-venv/made
	.bridges-venv/bin/python -m pytest tests/bridges autolab/bridges autolab/shared/foreign.py tests/views/graph/test_page_foreign.py tests/analysis/test_diagnosis.py

.bridges-venv/made: tests/bridges/requirements.txt pyproject.toml
	"$${PYTHON:-python3}" -m venv --clear .bridges-venv
	.bridges-venv/bin/python -m pip install --quiet --editable ".[lab,test]" -r tests/bridges/requirements.txt
	@touch $@

# Both bring a web server and more, so they have an environment of their own; without it these tests are skipped.
test-graders: .graders-venv/made
	.graders-venv/bin/python -m pytest tests/lesson/grading/test_graders.py

.graders-venv/made: tests/lesson/grading/requirements.txt pyproject.toml
	"$${PYTHON:-python3}" -m venv --clear .graders-venv
	.graders-venv/bin/python -m pip install --quiet --editable . -r tests/lesson/grading/requirements.txt
	@touch $@

# The places other than JupyterLab that show live views, in an environment of their own; without it these tests are skipped.
test-hosts: .hosts-venv/made
	.hosts-venv/bin/python -m pytest tests/hosts

# Both browsers are Debian's, on a screen that nobody sees; what is not here is skipped.
test-browsers:
	@scripts/environment lab,test
	@scripts/system-packages firefox-esr webkit2gtk-driver xvfb
	$(python) -m pytest -n0 tests/browsers -m ""

.hosts-venv/made: tests/hosts/requirements.txt pyproject.toml
	"$${PYTHON:-python3}" -m venv --clear .hosts-venv
	.hosts-venv/bin/python -m pip install --quiet --editable ".[lab]" -r tests/hosts/requirements.txt
	@touch $@

test-cuda-compile: .cuda-venv/made
	.cuda-venv/bin/python -m pytest tests/gpu/test_cuda_compiles.py

predict-gpu: .cuda-venv/made
	@PYTHONPATH=tests:tests/gpu .cuda-venv/bin/python tests/gpu/predicted.py

.cuda-venv/made: tests/gpu/requirements.txt pyproject.toml
	"$${PYTHON:-python3}" -m venv --clear .cuda-venv
	.cuda-venv/bin/python -m pip install --quiet --editable . -r tests/gpu/requirements.txt
	@touch $@

bench:
	@scripts/environment lab
	$(python) benchmarks/engine.py

bench-compiled:
	@scripts/environment lab
	BENCHMARK_OF=compiled $(python) benchmarks/engine.py --only chains nets muladd orders sequences

bench-gpu: python = "$${PYTHON:-python3}"
bench-gpu:
	@PYTHONPATH=. $(python) benchmarks/gpu.py $${OUT:+--folder "$$OUT"}

release-check:
	$${PYTHON:-python3} scripts/release.py

clean:
	rm -rf .venv .cuda-venv .bench-venv .bridges-venv .lite-venv .graders-venv .hosts-venv .docs-venv .pytest_cache .mypy_cache .ruff_cache .hypothesis artefacts build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find autolab tests -type d -empty -delete
