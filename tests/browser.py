"""JupyterLab on a copy of the course, in a real browser without a screen."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from course_lib.build import ROOT

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = """
--no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
""".split()  # noqa: SIM905
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
OPEN = """async path => {
    const panel = await jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
    await panel.context.ready;
    await panel.sessionContext.ready;
    return panel.content.widgets.length;
}"""
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
    settings = SETTINGS | {"apputils-extension/themes": {"theme": THEMES[theme]}}
    for name, values in settings.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")} | {
        f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("SETTINGS", "WORKSPACES")
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [*command, f"--ServerApp.root_dir={folder / 'course'}"],
            cwd=folder / "course", env=os.environ | own, stdout=log, stderr=log,
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}/lab?token={token}"
    deadline = time.monotonic() + 120
    while True:
        try:
            urlopen(address).close()
            return server, address
        except URLError:
            if time.monotonic() > deadline or server.poll() is not None:
                raise RuntimeError((folder / "server.log").read_text()) from None
            time.sleep(0.2)


class Lab:
    """A browser with JupyterLab open. `complaints` are errors in its console and requests to other hosts."""

    def __init__(self, playwright, folder: Path, theme: str = "light"):
        self.theme = theme
        self.server, address = serve(folder, theme)
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        self.page = self.browser.new_page(viewport={"width": 1300, "height": 1000})
        self.complaints: list[str] = []
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._watch)
        self.page.goto(address)
        self.page.wait_for_function("window.jupyterapp !== undefined", timeout=120_000)
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

    def use_widgets(self) -> int:
        """Choose another option in every dropdown, move every slider; returns how many there were."""
        dropdowns = self.page.locator(".jp-NotebookPanel:visible .widget-dropdown select")
        sliders = self.page.locator(".jp-NotebookPanel:visible .widget-slider .noUi-handle")
        for dropdown in dropdowns.all():
            dropdown.select_option(index=dropdown.locator("option").count() - 1)
        for slider in sliders.all():
            slider.press("ArrowRight")
        self.page.evaluate(
            "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestKernelInfo()"
        )
        return dropdowns.count() + sliders.count()

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
