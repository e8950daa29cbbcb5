# SPDX-License-Identifier: Apache-2.0
"""How a rig's script is told what to do: a command a line on standard input, each answered with one line, "ok …" or
"error …". A command is a method of the rig's and its arguments. The end of input ends the rig.
"""
import sys


def serve(make):
    """Carries out what is asked of the rig that `make` makes for the first command; has it `end` at the end."""
    rig = None
    for line in sys.stdin:
        words = line.split()
        try:
            rig = rig or make()
            print("ok", getattr(rig, words[0])(*words[1:]) or "", flush=True)
        except Exception as error:  # The test is told; it decides.
            print("error", repr(error).replace("\n", " "), flush=True)
    if rig:
        rig.end()
