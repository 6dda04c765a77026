"""Write anew all files that pin decisions: numbers, options, columns, refusals, noise, twins, looks, levels and cells.

``python tests/pins.py`` does what each of the modules named here does by itself, in seconds; names of studies add
their cells and error levels, which are measured.  Read the differences: each is a decision that changed.
"""

import sys

import cells
import constants
import declared
import levels
import looks
import noises
import refusals
import twins

from semipriv.studies.catalogue import studies

if __name__ == "__main__":
    asked = sys.argv[1:]
    if unknown := [name for name in asked if name not in studies()]:
        sys.exit(f"unknown studies: {', '.join(unknown)} (`semipriv studies` lists them)")
    if asked:
        cells.main(asked)
        levels.main(asked)
    for pins in (constants, declared, refusals, noises, twins, looks):
        pins.main()
