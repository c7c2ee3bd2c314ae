"""Every page of a built site in Chromium, wide and narrow, light and dark: python tests/bench/pages.py [SITE]

Prints what axe finds, what is wider than the screen, what a page complains of or asks of another machine.
Exit code 1 where there is any. `make site` builds the site; 59 pages take half an hour.
"""

import itertools
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_lib.authoring.build import ROOT

sys.path.insert(0, str(ROOT / "tests"))

from browser import AXE, CHROMIUM, FLAGS

WIDTHS, THEMES = (1280, 390), ("light", "dark")
RUN = "() => axe.run({ preload: false })"  # it would fetch the styles, which a page in a folder may not
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


def main(site):
    pages = sorted(site.rglob("*.html"))
    if not pages:
        sys.exit(f"{site} holds no pages: `make site` builds them")
    if CHROMIUM is None:
        sys.exit("no Chromium here: install Debian's chromium")
    faults = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for width, theme in itertools.product(WIDTHS, THEMES):
            for path in pages:
                found = look(browser, site, path, width, theme)
                faults += len(found)
                for text in found:
                    print(f"{path.relative_to(site)} at {width}, {theme}: {text}", flush=True)
        browser.close()
    print(f"{len(pages)} pages, {len(pages) * len(WIDTHS) * len(THEMES)} views: {faults} faults")
    sys.exit(bool(faults))


def look(browser, site, path, width, theme):
    said, viewport = [], {"width": width, "height": 900}
    context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda asked: said.extend(foreign(asked.url, site)))
    page.goto(path.as_uri())
    if (wider := page.evaluate(WIDER)) > 0:
        said.append(f"{wider} pixels wider than the screen")
    page.evaluate(AXE)
    for fault in page.evaluate(RUN)["violations"]:
        said += [f"axe: {fault['id']}: {node['html'][:200]}" for node in fault["nodes"]]
    context.close()
    return said


def foreign(address, site):
    return [] if address.startswith((site.as_uri(), "data:")) else [f"asks for {address}"]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site").resolve())
