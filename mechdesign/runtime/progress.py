"""A bar on stderr that counts what is done; none where that is no terminal."""

from __future__ import annotations


class Bar:
    """Counts to `total`, once for each call, within its `with` block.

    Parameters
    ----------
    what : str
        What is counted, said before the bar.
    total : int, optional
        How many there will be, where that is known from the start.
    done : int
        How many there are already.
    wanted : bool
        Whether to show anything.
    """

    def __init__(self, what: str, total: int | None = None, done: int = 0, wanted: bool = True) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        shown = wanted and console.is_terminal
        said = TextColumn("{task.description}", markup=False)
        self._bar = Progress(said, *columns, console=console, transient=True, disable=not shown)
        self._task = self._bar.add_task(what, total=total, completed=done)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, what: str | None = None, total: int | None = None) -> None:
        """Count one more event, and report its name."""
        self._bar.update(self._task, total=total, advance=1, description=what)
