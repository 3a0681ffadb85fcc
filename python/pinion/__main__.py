"""The command: python -m pinion is what `pinion` is."""
import os
import signal
import sys

from . import _pinion


def main():
    """Runs the command with the words of the command line, and ends the program."""
    # what Python changed of how a program in C answers to these
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.environ.setdefault("PINION_MODELS", os.path.join(os.path.dirname(__file__), "models"))
    sys.exit(_pinion.command(b"pinion", *map(os.fsencode, sys.argv[1:])))


if __name__ == "__main__":
    main()
