"""``python -m semipriv``: the command line."""

import sys

from semipriv.cli import main

if __name__ == "__main__":
    sys.exit(main())
