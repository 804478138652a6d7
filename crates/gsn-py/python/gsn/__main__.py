"""The command ``gsn``: the same program as the binary."""

from __future__ import annotations

import sys

from gsn import _gsn


def main() -> None:
    """Runs the program with the arguments of this process."""
    sys.exit(_gsn.main(["gsn", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
