"""Names that have changed: the former one works, with a warning, for one minor version."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final

from mechdesign.errors import DomainError


@dataclass(frozen=True)
class Renamed:
    """A keyword that was called `former`, is called `name`, and goes under its former name in version `gone`."""

    former: str
    name: str
    gone: str

    def taken(self, given: Any, keywords: dict[str, Any]) -> Any:
        """Return `given`, or what `keywords` hold under the former name: it is taken out of them, with a warning.

        To be called by the public function itself: the warning names the line of its caller.

        Raises
        ------
        DomainError
            Both names are given.

        Warns
        -----
        FutureWarning
            The former name is used; Python shows these to everyone, wherever their code is.
        """
        if self.former not in keywords:
            return given
        value = keywords.pop(self.former)
        if given is not None:
            rule = f"it is the former name of {self.name}, which is given too"
            raise DomainError(self.former, value, rule, f"give {self.name} alone")
        said = f"The keyword {self.former} is called {self.name} now and goes in mechdesign {self.gone}"
        warnings.warn(f"{said}; write {self.name}=.", FutureWarning, stacklevel=3)
        return value


@dataclass(frozen=True)
class Recast:
    """A call that returned something else `former`ly; what it returned then is had by `instead`, and goes in `gone`."""

    former: str
    instead: str
    gone: str

    def warn(self) -> None:
        """Say so, by the line that called the public function.

        Warns
        -----
        FutureWarning
            Python shows these to everyone, wherever their code is.
        """
        said = f"{self.former} goes in mechdesign {self.gone}; {self.instead}"
        warnings.warn(f"{said}.", FutureWarning, stacklevel=3)


#: The levels of `frontier` and `sweep`, which are not of epsilon for every notion.
LEVELS: Final = Renamed("epsilons", "levels", gone="0.3.0")

#: k-ary randomised response of a number of inputs was an array; of a problem it is a mechanism.
RESPONSE_AS_ARRAY: Final = Recast(
    "An array from randomised_response(n, epsilon)",
    "give a Problem for a Mechanism, or take response_matrix(n, epsilon) for the array",
    gone="0.3.0",
)

#: The folder of sampling, estimates and accounting.
CHANNEL: Final = Recast("The module mechdesign.channel", "it is called mechdesign.estimation now", gone="0.3.0")
