# SPDX-License-Identifier: Apache-2.0
"""The command loop of the fixture scripts.

Each line of standard input is a command: the name of a method of the fixture and its arguments. Each command is
answered with one line, "ok …" or "error …". The end of input ends the fixture.
"""
import sys


def serve(make):
    """Executes commands on the fixture that `make` creates at the first command. Calls `end` at the end of input."""
    fixture = None
    for line in sys.stdin:
        words = line.split()
        try:
            fixture = fixture or make()
            print("ok", getattr(fixture, words[0])(*words[1:]) or "", flush=True)
        except Exception as error:  # The test receives the error and decides.
            print("error", repr(error).replace("\n", " "), flush=True)
    if fixture:
        fixture.end()
