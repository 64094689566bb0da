"""Run the command line: `python -m courtroom`."""

from courtroom.cli import main

if __name__ == "__main__":
    main()
