"""Run the command line: `python -m courtroom`."""

import sys

from courtroom.cli import main

if __name__ == "__main__":
    sys.exit(main())
