"""JupyterLab on a copy of the course, in a real browser without a screen."""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from jupyter_server_of import start

from course_lib.authoring.build import ROOT

HERE = Path(__file__).parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = """
--no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
""".split()  # noqa: SIM905
WIDTH = 1300  # CSS pixels
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
SETTINGS = {  # all cells are drawn, so that all can be looked at
    "notebook-extension/tracker": {"windowingMode": "none", "kernelShutdown": True},
    "docmanager-extension/plugin": {"autosave": False},
}
RUN_CELL = """async i => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = i;
    notebook.deselectAll();
    await jupyterapp.commands.execute('notebook:run-cell');
    return notebook.widgets[i].model.toJSON();
}"""
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
AUDIT = (HERE / "audit.js").read_text(encoding="utf-8")
OPEN = """async path => {
    const panel = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
    await panel.context.ready;
    await panel.sessionContext.ready;
    return panel.content.widgets.length;
}"""
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
CONTROLS = f"{PANEL} .jupyter-widgets :is(select, input)"
NAME = "node => node.labels[0].textContent"
VALUE = "node => node.localName === 'select' ? node.selectedIndex : Number(node.value)"
DRAWN = "node => node.closest('.widget-vbox').querySelector('.jupyter-widgets-output-area')?.innerHTML"
CLOSE = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.context.save();
    await panel.sessionContext.shutdown();
    panel.close();
}"""


def serve(folder: Path, theme: str) -> tuple[subprocess.Popen, str]:
    """A server of JupyterLab whose settings are its own; returns it and its address."""
    for name in ("notebooks", "solutions"):
        shutil.copytree(ROOT / name, folder / "course" / name, dirs_exist_ok=True)
    shutil.copy(ROOT / "nbgrader_config.py", folder / "course")
    (folder / "config" / "labconfig").mkdir(parents=True)
    shutil.copy(ROOT / "page_config.json", folder / "config" / "labconfig")
    settings = SETTINGS | {"apputils-extension/themes": {"theme": THEMES[theme]}}
    for name, values in settings.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    own = {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")}
    own["WATCHED"] = str(folder / "watched")
    own["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE / "watch"), os.environ.get("PYTHONPATH")]))
    served = start("jupyterlab", folder / "course", folder, "--LabApp.expose_app_in_browser=True", env=own)
    return served.process, f"{served.address}/lab?token={served.token}"


class Lab:
    """A browser with JupyterLab open. `complaints` are errors in its console and requests to other hosts."""

    def __init__(self, playwright, folder: Path, theme: str = "light"):
        self.theme, self.root, self.watched = theme, folder / "course", folder / "watched"
        self.server, address = serve(folder, theme)
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        self.page = self.browser.new_page(viewport={"width": WIDTH, "height": 1000})
        self.page.set_default_timeout(300_000)
        self.complaints: list[str] = []
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._watch)
        self.page.goto(address)
        self.page.wait_for_function("window.jupyterapp !== undefined")
        self.page.evaluate("async () => { await jupyterapp.restored; }")

    def _listen(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} {message.location.get('url', '')}")

    def _watch(self, request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.complaints.append(f"request to {parts.hostname}")

    def open(self, path: str) -> int:
        """Open a notebook and wait for its kernel; returns the number of cells."""
        return self.page.evaluate(OPEN, path)

    def run(self, cell: int) -> dict:
        """Run one cell; returns it with its outputs."""
        return self.page.evaluate(RUN_CELL, cell)

    def turned_to(self) -> list[str]:
        """Other machines that the server or a kernel turned to."""
        return self.watched.read_text().splitlines() if self.watched.exists() else []

    def faults(self) -> list[str]:
        """What of the open notebook cannot be seen, read or reached, and what is cut off at 200 %."""
        found = self.page.evaluate(AUDIT)
        self.page.set_viewport_size({"width": WIDTH // 2, "height": 500})  # what a zoom of 200 % leaves
        self.page.wait_for_timeout(500)
        zoomed = [f"at 200 %: {fault}" for fault in self.page.evaluate(AUDIT) if fault.startswith("cut off")]
        self.page.set_viewport_size({"width": WIDTH, "height": 1000})
        return found + zoomed

    def use_widgets(self) -> list[str]:
        """With the keyboard alone, give every control another value; returns their names.

        From their cell on Tab leads to each of them; what it draws must have changed.
        """
        controls = self.page.locator(CONTROLS)
        names = [control.evaluate(NAME) for control in controls.all()]
        if names:
            controls.first.evaluate(
                "node => node.closest('.jp-Cell').querySelector('.jp-OutputArea').focus()"
            )
        for control in controls.all():
            self._tab_to(control)
            self._change(control)
        return names

    def _tab_to(self, control) -> None:
        for _ in range(40):
            if control.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"40 times Tab do not reach {control.evaluate(NAME)}")

    def _change(self, control) -> None:
        """A value that differs, and, when the kernel is done, another picture or text below."""
        before, drawn = control.evaluate(VALUE), control.evaluate(DRAWN)
        if control.locator("option").count() == 1:
            return
        for key in ["Space", "ArrowDown", "Enter"] if control.locator("option").count() else ["ArrowUp"]:
            self.page.keyboard.press(key)
        assert control.evaluate(VALUE) == before + 1, f"the keyboard does not change {control.evaluate(NAME)}"
        redrawn = f"([node, drawn]) => ({DRAWN})(node) !== drawn"
        self.page.wait_for_function(redrawn, arg=[control.element_handle(), drawn])

    def validate(self) -> str:
        """What nbgrader's button says of the open notebook."""
        self.page.locator(PANEL).get_by_role("button", name="Validate").press("Enter")
        dialog = self.page.locator(".jp-Dialog").filter(has_text="Validation Results")
        said = dialog.inner_text()
        self.page.keyboard.press("Escape")
        return said

    def close_notebook(self) -> None:
        """Save and close; that the kernel leaves messages unanswered as it goes is no complaint."""
        complaints = list(self.complaints)
        self.page.evaluate(CLOSE)
        self.complaints[:] = complaints

    def pictures(self, start: Path, height: int = 1800) -> list[Path]:
        """Screenshots of the whole notebook from top to bottom, START_0.png, START_1.png ..."""
        self.page.set_viewport_size({"width": 1300, "height": height + 100})
        self.page.evaluate("() => { jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
        panel = self.page.locator(".jp-WindowedPanel-outer:visible")
        files, whole = [], panel.evaluate("node => node.scrollHeight")
        for top in range(0, whole, height - 100):
            panel.evaluate("(node, top) => node.scrollTo(0, top)", top)
            self.page.wait_for_timeout(300)
            files.append(start.with_name(f"{start.name}_{len(files)}.png"))
            panel.screenshot(path=files[-1])
        return files

    def close(self) -> None:
        self.browser.close()
        self.server.terminate()
        self.server.wait(timeout=30)
