PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DIRECT := torch|numpy|matplotlib|ipython|ipywidgets|tqdm|jupyterlab|nbgrader|jupytext

.PHONY: help lab check test static test-oldest test-latest test-places browser-test build slides site pictures archives release grade grade-demo bench pair
help:  ## this list
	@grep -E '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

lab: $(READY)  ## open the course in JupyterLab (make lab ARGS=--no-browser on a server)
	@echo "The lessons open in your browser, or at the address below: begin with 00_start_here. Control-C twice stops it."
	@$(BIN)/jupyter lab --log-level=WARN --ServerApp.root_dir=. \
		--LabApp.default_url=/lab/tree/notebooks $(ARGS)

check: static  ## what finds most mistakes in a minute or two: style, types, stale notebooks, the quick tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadgroup -m "not slow" --seeds 1 $(ARGS)

test: static  ## run all tests, one process a core (make test ARGS="-k attention")
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadgroup $(ARGS)

static: $(READY)
	$(BIN)/ruff check course_lib tests solutions
	$(BIN)/ruff format --check --quiet course_lib tests solutions
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/course build --check
	$(BIN)/course translate check

# uv finds the lowest versions that pyproject.toml admits, or the newest there are.
test-oldest test-latest: test-%:  ## run all tests on the declared floors, or on the newest of everything; several GB each
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-$*/bin/uv pip install --quiet --python .venv-$* --resolution $(if $(filter oldest,$*),lowest-direct,highest) -e '.[lab,dev]'
	.venv-$*/bin/uv pip freeze --quiet --python .venv-$* | grep -E '^($(DIRECT))=='
	OMP_NUM_THREADS=1 .venv-$*/bin/python -m pytest --numprocesses auto --dist loadgroup $(ARGS)

test-places: $(READY)  ## run every notebook on Colab's versions, and install environment.yml (COLAB_PYTHON=python3.13 COLAB_TORCH=2.11.0)
	COURSE_PLACES=1 COLAB_PYTHON=$(COLAB_PYTHON) COLAB_TORCH=$(COLAB_TORCH) OMP_NUM_THREADS=1 \
		$(BIN)/python -m pytest tests/test_places.py $(ARGS)

browser-test: $(READY)  ## run every notebook in JupyterLab in Chromium, light and dark, and all translated ones (COURSE_PICTURES=folder keeps screenshots)
	@sh tests/chromium.sh
	COURSE_BROWSER=all $(BIN)/python -m pytest tests/test_browser.py tests/test_translation.py $(ARGS)

build: $(READY)  ## make both notebooks of every lesson from solutions/*.py
	$(BIN)/course build

slides: $(READY)  ## make slides of every lesson in slides/, pages that need no network (make slides ARGS=02_attention)
	OMP_NUM_THREADS=1 $(BIN)/course slides $(ARGS)

site: $(READY)  ## make the web edition in site/, pages that need no network; 40 minutes the first time (make site ARGS=02_attention)
	OMP_NUM_THREADS=1 $(BIN)/course site $(ARGS)

pictures: $(READY)  ## draw README's pictures again, from the lessons
	$(BIN)/python tests/pictures.py

release: $(READY)  ## make a release: version, build, tests, wheel, sdist, commit, tag (make release VERSION=0.2.0)
	$(BIN)/course release $(VERSION)

archives: $(READY)  ## make the wheel and the sdist of this version in dist/, without solutions
	$(BIN)/python -m build --outdir dist .

$(READY): pyproject.toml constraints.txt page_config.json
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, got " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	@echo "Installing PyTorch, JupyterLab and the course into .venv. This happens once and takes some minutes."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[lab,dev,cluster,postgres]'
	@mkdir -p .venv/etc/jupyter/labconfig && cp page_config.json .venv/etc/jupyter/labconfig/
	@touch $@

grade: $(READY)  ## grade what students handed in for a lesson (make grade LESSON=02_attention ARGS="--workers 4")
	$(BIN)/course grade $(LESSON) $(ARGS)

grade-demo: $(READY)  ## grade a made-up class with stock nbgrader, in demo_class/
	$(BIN)/course demo

bench: $(READY)  ## measure, and print
	$(BIN)/python tests/bench/checks.py
	$(BIN)/python tests/bench/program.py
	$(BIN)/python tests/bench/translator.py
	$(BIN)/python tests/bench/transfer.py
	$(BIN)/python tests/bench/grading.py

pair: $(READY)  ## edit a lesson in JupyterLab: its notebook and its text follow each other (make pair LESSON=02_attention)
	$(BIN)/jupytext --set-formats "solutions/$(LESSON)//ipynb,solutions//py:percent" solutions/$(LESSON).py
