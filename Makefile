# make serve and make test are each complete on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
PORT ?= 8866
PY := .venv/bin/python
READY := .venv/.ready

.PHONY: serve test site bench browser compile

serve: $(READY)
	$(PY) -m explainer serve --port $(PORT)

test: $(READY) browser
	$(PY) -m pytest

site: $(READY)
	$(PY) -m explainer build site

bench: $(READY) browser
	$(PY) -m benchmarks

compile: $(READY)
	$(PY) -m explainer compile

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[test,speed,cluster]'
	$(PY) -m explainer.serving.warm
	touch $(READY)

# The tests drive a real browser: Chromium or Chrome, installed here only where none is found.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	else $(PY) -m playwright install chromium; fi
