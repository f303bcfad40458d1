"""`python -m dragoman.cli` is the command `dragoman`."""

from dragoman.cli.main import main

main()
