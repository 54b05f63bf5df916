"""The ECMAScript sampler in a real browser: it loads alone, complains of nothing, and draws what the package draws."""

import json

import pytest

import mechdesign as md
from tests.helpers import sampler_programs as programs

pytestmark = pytest.mark.browser

PAGE = '<!DOCTYPE html><html lang="en"><head><title>A survey</title></head><body></body></html>'
#: A page whose scripts are its own, that may evaluate no text and ask nothing of any other address.
POLICY = {"Content-Security-Policy": "default-src 'none'; script-src 'self'"}
DRAWING = """
async (answers) => {
  const { mechanism, report } = await import("/survey.sampler.js");
  return { mechanism, reports: answers.map((answer) => report(answer)) };
}
"""


def in_browser(chromium, text, answers, before=None):
    """Return what the module gives for the answers, what was fetched, and what was complained of."""
    context = chromium.new_context()
    try:
        tab, fetched, said = context.new_page(), [], []
        tab.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        # Served without a network: a module from a file has no origin that a browser lets it be imported from.
        tab.route("**/*", lambda route: route.fulfill(body=PAGE, content_type="text/html", headers=POLICY))
        tab.route("**/survey.sampler.js", lambda route: route.fulfill(body=text, content_type="text/javascript"))
        tab.goto("https://survey.invalid/page.html")
        if before is not None:
            tab.evaluate(f"() => {{ {before} }}")
        return tab.evaluate(DRAWING, answers), fetched, said
    finally:
        context.close()


@pytest.mark.parametrize("name", programs.MECHANISMS)
def test_a_browser_draws_what_the_package_draws(name, chromium, tmp_path):
    text = md.sampler(programs.made(name), tmp_path / "survey.sampler.js").read_text(encoding="utf-8")
    pairs = programs.stream(name)
    answers, before = [answer for answer, _ in pairs], programs.seeded([word for _, word in pairs])
    found, fetched, said = in_browser(chromium, text, answers, before)
    assert found["reports"] == programs.reports_of(name)
    assert found["mechanism"]["outputs"] == list(programs.made(name).outputs)
    assert (fetched, said) == (["page.html", "survey.sampler.js"], [])
    wrong = text.replace("threshold <= bits", "threshold < bits")
    assert in_browser(chromium, wrong, answers, before)[0]["reports"] != programs.reports_of(name)


def test_a_browser_has_randomness_of_its_own_and_refuses_what_is_no_answer(chromium, tmp_path):
    text = md.sampler(programs.made("labels"), tmp_path / "survey.sampler.js").read_text(encoding="utf-8")
    found, _, said = in_browser(chromium, text, ["no"] * 9)
    assert set(found["reports"]) <= {0, 1, 2} and said == []
    with pytest.raises(Exception, match="there is no such answer; give one of"):
        in_browser(chromium, text, ["nobody"])
    assert json.dumps(programs.made("labels").inputs.labels[0]) in text
