"""The report of any mechanism: of one without a question, beside the optimum at the level that it has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechdesign.designing.answer import answered
from mechdesign.designing.settings import Settings
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.notions import LDP
from mechdesign.objectives import InformationDesign
from mechdesign.reports.optimum import Optimum
from mechdesign.reports.writing import require_mechanism, write_report
from mechdesign.rivals.without_matrix import variance_of

#: Inputs up to which the optimum is found in seconds, and the seconds that it may take.
MOST_INPUTS, SECONDS = 20, 30.0


def report(
    mechanism: Any, path: str | Path, *, about: Mapping[str, str] | None = None, overwrite: bool = False
) -> Path:
    """Write what people have to know of a mechanism as one page of HTML, and return the path.

    The page says the question in words, for whom the guarantee holds and what it does not promise, shows the matrix,
    the exact audit with its witness, the value and its bound beside known mechanisms, how reports are drawn and used,
    and what can be estimated from how many of them. It needs no network and no script, and prints on paper. Of a
    mechanism without a question it says what the best mechanism of the same level would gain.

    Parameters
    ----------
    mechanism : Mechanism or Design
        What the page is about.
    path : str or Path
        Where it goes; its name ends in ``.html``, or promises no other format. A report that is there is replaced.
    about : mapping of str to str, optional
        What the page says of the survey, to be filed: texts for `data`, `purpose`, `controller`, `contact` and
        `date`. A blank line stands for each that is missing, the date as well; without `about` no such section is made.
    overwrite : bool
        Whether a file of another kind may be replaced.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    DomainError
        A file of another kind is there, the name promises another format, it is no mechanism, or `about` has another
        name or something that is no text.
    WriteError
        The folder is missing, or may not be written to.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.7, 0.3], labels=["no", "yes"])
    >>> design = md.design(survey, md.LDP(1.0), md.InformationDesign("A"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     md.report(design, f"{folder}/survey.html", about={"purpose": "health"}).stat().st_size > 5000
    True
    """
    made = require_mechanism(mechanism)
    return write_report(made, path, about=about, overwrite=overwrite, optimum=optimum(made))


def optimum(mechanism: Mechanism) -> Optimum | None:
    """Return the best mechanism for frequencies at the level that a mechanism without a question has.

    None if it has a question, no finite level, or too many inputs to find the optimum by the way.

    Examples
    --------
    >>> import mechdesign as md
    >>> found = optimum(md.baselines.unrelated_question("1/2", "1/10"))
    >>> print(found.sentences()[-1])
    This mechanism needs 2.33 times as many reports as the best one for the same errors.
    """
    if mechanism.question is not None:
        return None
    inputs, asked = mechanism.inputs, mechanism.problem or mechanism.inputs
    if inputs.data_of_input is not None or not 2 <= inputs.n <= MOST_INPUTS:
        return None
    notion = mechanism.guarantee or LDP(1.0)
    found = audit(mechanism, notion)
    if len(found.levels) > 1 or not 0.0 < found.levels[0] < math.inf:
        return None
    at_level = notion.at(found.levels[0])
    try:
        best = answered(asked, at_level, InformationDesign("A"), Settings(time_limit=SECONDS))
    except MechdesignError:
        return None
    own = variance_of(mechanism, inputs)
    return Optimum(at_level, own, best.value, best.bound, best.certificate.manner)
