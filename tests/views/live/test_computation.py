"""A computation in a thread of its own, and what it leaves behind in the interpreter."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, time
from autolab.views.live.computation import Computation

results = []
def run(work, stop):
    computation = Computation(work, lambda c, result: results.append(result))
    computation.start()
    if stop:
        computation.stop("asked")
        computation.guard()
    computation._thread.join()

def endless(check):
    while True:
        time.sleep(0.01)

run(lambda check: 1, False)
run(endless, True)  # from outside, as it never calls check

def trace(frame, event, arg):
    frame.f_trace_opcodes = True
    return trace

def traced(n):
    for k in range(3):
        n += k
    return n

sys.settrace(trace)
n = traced(1)
sys.settrace(None)
print(n, results)
"""


def test_a_debugger_works_after_a_computation_and_after_one_that_was_stopped_from_outside() -> None:
    """CPython 3.11 hangs under a tracer where an interruption of a thread was taken back."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.split() == ["4", "[1,", "None]"]
