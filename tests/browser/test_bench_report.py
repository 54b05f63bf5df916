"""The report of a benchmark in a real browser, by the rules of the report of a mechanism."""

import pytest

from mechdesign.bench.reporting.page import page
from tests.bench.made_results import results, run
from tests.browser.test_report_page import check_accessible, check_alone, check_fits, check_read

pytestmark = pytest.mark.browser

FOUND = results(
    *(run("HIGHS", f"instance-{k}", 0.5 + k, error=1e-8, violated=k) for k in range(8)),
    *(run("a solver of one's own", f"instance-{k}", 1.5 + k, error=1e-12) for k in range(7)),
    run("a solver of one's own", "instance-7", float("inf"), outcome="raised", why="ValueError: no pivot " * 12),
)


def test_the_report_of_a_benchmark_in_a_browser(opened):
    markup = page(FOUND, earlier=FOUND)
    check_alone(opened, markup)
    check_accessible(opened, markup)
    check_fits(opened, markup)
    check_read(opened, markup, ["In words", "To 1e-06: HIGHS solves 8 of 8 instances", "within noise", "no pivot"])
