"""Runs the translator of `my_translator.html` outside its page: by Node if it is here, else in Chromium."""

import json
import os
import shutil
import subprocess
from importlib.resources import files

import pytest
from browser import CHROMIUM, FLAGS

NODE = shutil.which("node")
ENGINE = (files("course_lib.program") / "translator.js").read_text(encoding="utf-8")
RUN = """({ model, sentences, off }) => {
    const translate = Translator(model), without = off ?? [[]];
    return sentences.flatMap(words => without.map(heads => {
        const { target, maps } = translate(words, heads);
        return off === null ? { target } : { target, maps };
    }));
}"""


def translated(model, sentences, off=None):
    """What JavaScript writes: {target} for each sentence; with lists of heads `off`, {target, maps}."""
    task = {"model": model, "sentences": [list(words) for words in sentences], "off": off}
    if NODE:
        return _by_node(task)
    if CHROMIUM:
        return _by_chromium(task)
    if os.environ.get("CI"):
        pytest.fail("neither Node nor Chromium is here: the translator's JavaScript has not run")
    pytest.skip("neither Node nor Chromium is here")


def _by_node(task):
    script = f"const module = undefined; {ENGINE}\nconst run = {RUN};\n"
    script += "const task = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    script += "process.stdout.write(JSON.stringify(run(task)));"
    # typed arrays as lists
    script = "Float32Array.prototype.toJSON = function () { return [...this]; };\n" + script
    done = subprocess.run(
        [NODE, "-e", script], input=json.dumps(task), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _by_chromium(task):
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.add_script_tag(content=ENGINE)
        found = page.evaluate(RUN, task)
        browser.close()
    return found
