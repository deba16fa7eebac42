#!/bin/sh
# A simulator as they come: it reads an input file, writes an output file, and ends.
# Usage: decay.sh COUNTS      in the directory where rates.txt is; writes result.txt there.
# The activity of a decaying source over a background is compared with the counts of a detector (Poisson).
set -eu
awk '
  FILENAME == "rates.txt" { rate[$1] = $2; next }
  /^#/ { next }
  {
    expected = rate["activity"] * exp(-rate["decay"] * $1) + rate["background"]
    total += $2 * log(expected) - expected
  }
  END { printf "%.17g\n", total }
' rates.txt "$1" > result.txt
