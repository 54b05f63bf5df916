"""``python -m mechdesign`` is the command `mechdesign`."""

from mechdesign.cli import main

if __name__ == "__main__":
    main()
