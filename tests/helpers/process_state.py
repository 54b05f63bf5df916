"""What a process has one of, and a design must leave as it was: filters, BLAS threads, numpy's state, handlers."""

import ctypes
import locale
import os
import random
import signal
import sys
import threading
import warnings
from decimal import getcontext
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info


def state():
    """Return everything by name, as values that compare."""
    return {
        "filters": list(warnings.filters),
        "list of filters": id(warnings.filters),
        "showwarning": (warnings.showwarning, warnings.formatwarning, warnings._showwarnmsg_impl),
        "BLAS threads": {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()},
        "numpy's errors": (np.geterr(), np.geterrcall(), np.getbufsize()),
        "numpy's printing": str(np.get_printoptions()),
        "numpy's random numbers": str(np.random.get_state()),  # noqa: NPY002 - the state that a process has one of
        "random numbers": random.getstate(),
        "signal handlers": {each: signal.getsignal(each) for each in signal.valid_signals()},
        "handler of Ctrl-C": _handler(signal.SIGINT),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "streams": (sys.stdout, sys.stderr, sys.stdin),
        "hooks": (sys.excepthook, sys.displayhook, threading.excepthook, sys.getprofile(), sys.gettrace()),
        "limits": (sys.getrecursionlimit(), sys.get_int_max_str_digits(), sys.getswitchinterval()),
        "decimals": str(_context()),
        "locale": locale.setlocale(locale.LC_ALL),
    }


def _context():
    """Return how decimals are computed: flags only record what was, and a library's import sets one."""
    found = getcontext().copy()
    found.clear_flags()
    return found


def changed(before):
    """Return what differs from `before`, by name, with what it was and is."""
    after = state()
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def _handler(number):
    """Return the address of the handler that the kernel knows of: solvers set theirs past Python."""
    if not hasattr(ctypes.CDLL(None), "sigaction"):
        return None
    found = (ctypes.c_char * 256)()
    ctypes.CDLL(None).sigaction(int(number), None, ctypes.byref(found))
    return bytes(found)[: ctypes.sizeof(ctypes.c_void_p)]
