"""Pages in Chromium that ask no other machine for anything, and complain of nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def quiet_pages(browser, is_own: Callable[[str], bool]) -> Iterator[Callable]:
    """A function that makes an empty page; at the end nothing was said or asked for that is not its own."""
    contexts, said = [], []

    def empty(width=1300, theme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url))
        return page

    yield empty
    for context in contexts:
        context.close()
    foreign = [each for each in said if not is_own(each)]
    assert foreign == [], foreign  # this file is no test, so pytest does not say what it compared
