"""The command line of the invoice tool."""

import argparse

from invoices.store import rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="invoices")
    parser.add_argument("--year", type=int)
    year = parser.parse_args().year
    for row in rows():
        if year is None or row["year"] == year:
            print(row["number"], row["amount"])
