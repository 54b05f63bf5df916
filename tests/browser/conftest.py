"""The browser that tests open: Debian's Chromium, or the one at the path in CHROMIUM."""

import os
import shutil

import pytest

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert path, "there is no chromium: apt-get install chromium, or give its path in CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Open markup from a file at some width; return the page, what was fetched, and what was complained of."""
    contexts = []

    def opens(markup, width=1200, media="screen"):
        path = tmp_path / "page.html"
        path.write_text(markup, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        tab, fetched, said = context.new_page(), [], []
        tab.emulate_media(media=media)
        tab.on("request", lambda request: fetched.append(request.url))
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(path.as_uri())
        return tab, fetched, said

    yield opens
    for context in contexts:
        context.close()
