"""The module of HiGHS, with a constructor that prints nothing in any version."""

from __future__ import annotations

from typing import Any


def highs() -> Any:
    """Return the module `highspy`; from then on ``highspy.Highs()`` prints nothing in this process.

    Since version 1.16 the constructor writes a banner to standard output before anybody can set ``output_flag``. The
    flag is off while the constructor registers its callbacks, and is what it was afterwards, so that whoever wants the
    banner gets it when the solver runs. cvxpy constructs HiGHS itself, which is why the class is changed and not
    derived from.

    Examples
    --------
    >>> highs().Highs().getOptionValue("output_flag")[1]
    True
    """
    import highspy

    # HiGHS 1.7.1 has none, and its constructor prints nothing.
    registers = getattr(highspy.Highs, "enableCallbacks", None)
    # Once in a process: each further layer would add a frame to every construction.
    if registers is None or hasattr(registers, "registers"):
        return highspy

    def enable_callbacks(engine: Any) -> Any:
        output = engine.getOptionValue("output_flag")[1]
        engine.setOptionValue("output_flag", False)
        try:
            return registers(engine)
        finally:
            engine.setOptionValue("output_flag", output)

    enable_callbacks.registers = registers  # type: ignore[attr-defined] # marks the class as changed
    highspy.Highs.enableCallbacks = enable_callbacks
    return highspy
