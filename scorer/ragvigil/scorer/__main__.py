"""``python -m ragvigil.scorer`` is the same as ``ragvigil``."""

from ragvigil.scorer.cli import main

if __name__ == "__main__":
    main()
