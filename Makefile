PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help lab test browser-test build grade grade-demo bench pair
help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

lab: $(READY)  ## open the course in JupyterLab (make lab ARGS=--no-browser on a server)
	$(BIN)/jupyter lab --ServerApp.root_dir=. \
		--LabApp.default_url=/lab/tree/notebooks/00_start_here/00_start_here.ipynb $(ARGS)

test: $(READY)  ## run all tests, one process a core (make test ARGS="-k attention")
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist loadgroup $(ARGS)

browser-test: $(READY)  ## run every notebook in JupyterLab in Chromium, light and dark (COURSE_PICTURES=folder keeps screenshots)
	@command -v chromium chromium-browser google-chrome >/dev/null || sudo apt-get install --yes chromium
	COURSE_BROWSER=all $(BIN)/python -m pytest tests/test_browser.py $(ARGS)

build: $(READY)  ## make both notebooks of every lesson from solutions/*.py
	$(BIN)/python -m course_lib.build

$(READY): pyproject.toml constraints.txt page_config.json
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, got " + sys.version.split()[0] + ": make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[lab,dev]'
	mkdir -p .venv/etc/jupyter/labconfig && cp page_config.json .venv/etc/jupyter/labconfig/
	@touch $@

grade: $(READY)  ## grade what students handed in for a lesson (make grade LESSON=02_attention ARGS="--workers 4")
	$(BIN)/python -m course_lib.grading $(LESSON) $(ARGS)

grade-demo: $(READY)  ## grade a made-up class with stock nbgrader, in demo_class/
	$(BIN)/python -m course_lib.grading.demo_class

bench: $(READY)  ## measure, and print
	$(BIN)/python tests/bench/checks.py
	$(BIN)/python tests/bench/translator.py
	$(BIN)/python tests/bench/transfer.py

pair: $(READY)  ## edit a lesson in JupyterLab: its notebook and its text follow each other (make pair LESSON=02_attention)
	$(BIN)/jupytext --set-formats "solutions/$(LESSON)//ipynb,solutions//py:percent" solutions/$(LESSON).py
