"""Turns rows of sales into a summary, a bar chart and a table.

Reads the JSON file that SERVICE_INPUTS_FILE names and writes the summary to SERVICE_OUTPUT_FILE, and chart.svg and
by-month.csv into SERVICE_ARTIFACTS_DIR. Needs only the standard library. Amounts are decimals: 0.1 is never
0.1000000000000000055.

Exit codes: 0 done, 3 the rows are wrong (each is named on standard error), 1 anything else.
"""

import csv
import json
import os
import sys
from collections import defaultdict
from datetime import date
from decimal import Decimal
from xml.sax.saxutils import escape

WRONG_ROWS = 3
PROBLEMS_SHOWN = 20
CENT = Decimal("0.01")


class WrongRows(Exception):
    def __init__(self, problems):
        super().__init__(f"{len(problems)} of the rows are wrong")
        self.problems = problems


def check(rows):
    """The rows with real dates and decimals; raises WrongRows naming every row that cannot be counted."""
    checked, problems = [], []
    for number, row in enumerate(rows, start=1):
        try:
            checked.append(check_row(row))
        except (KeyError, TypeError, ValueError, ArithmeticError) as error:
            problems.append(f"row {number}: {describe(error)}")
    if problems:
        raise WrongRows(problems)
    return checked


def check_row(row):
    quantity, price = row["quantity"], Decimal(row["unit_price"])
    if isinstance(quantity, bool) or not isinstance(quantity, int) or quantity < 1:
        raise ValueError("quantity must be a whole number of at least 1")
    if not price.is_finite() or price < 0:
        raise ValueError("unit_price must not be negative")
    for field in ("region", "product"):
        if not isinstance(row[field], str) or not row[field].strip():
            raise ValueError(f"{field} is empty")
    return {
        "date": date.fromisoformat(row["date"]),
        "region": row["region"].strip(),
        "product": row["product"].strip(),
        "quantity": quantity,
        "amount": quantity * price,
    }


def describe(error):
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


def total_by(rows, key):
    totals = defaultdict(Decimal)
    for row in rows:
        totals[key(row)] += row["amount"]
    return dict(sorted(totals.items()))


def summarise(rows):
    by_product = total_by(rows, lambda row: row["product"])
    total = sum(by_product.values(), Decimal(0))
    # The larger amount wins, and of equal ones the first by name.
    best = min(by_product, key=lambda name: (-by_product[name], name), default=None)
    return {
        "rows": len(rows),
        "quantity": sum(row["quantity"] for row in rows),
        "total": money(total),
        "first_day": min((row["date"] for row in rows), default=None),
        "last_day": max((row["date"] for row in rows), default=None),
        "by_region": amounts(total_by(rows, lambda row: row["region"])),
        "by_month": amounts(total_by(rows, lambda row: row["date"].strftime("%Y-%m"))),
        "best_product": best and {"name": best, "total": money(by_product[best])},
    }


def amounts(totals):
    return {name: money(amount) for name, amount in totals.items()}


def money(amount):
    """Text with two digits: a JSON number would become a binary fraction in most readers."""
    return str(amount.quantize(CENT))


def chart(totals, title, currency):
    """A bar chart as SVG, one bar for each name."""
    width, bar, gap, left, top = 720, 28, 12, 140, 56
    height = top + len(totals) * (bar + gap) + 16
    largest = max((Decimal(amount) for amount in totals.values()), default=Decimal(0)) or Decimal(1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="32" font-size="18">{escape(title)}</text>',
    ]
    for index, (name, amount) in enumerate(totals.items()):
        y = top + index * (bar + gap)
        length = int(Decimal(amount) / largest * (width - left - 130))
        parts.append(f'<text x="{left - 10}" y="{y + 19}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{left}" y="{y}" width="{length}" height="{bar}" rx="3" fill="#2f6f9f"/>')
        parts.append(f'<text x="{left + length + 8}" y="{y + 19}">{amount} {escape(currency)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def write_table(path, totals, currency):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["month", f"total ({currency})"])
        table.writerows(totals.items())


def main():
    with open(os.environ["SERVICE_INPUTS_FILE"], encoding="utf-8") as file:
        given = json.load(file, parse_float=Decimal)
    title, currency = given.get("title", "Sales"), given.get("currency", "EUR")
    print(f"{title}: {len(given['rows'])} rows")
    summary = {"title": title, "currency": currency, **summarise(check(given["rows"]))}

    artifacts = os.environ["SERVICE_ARTIFACTS_DIR"]
    with open(os.path.join(artifacts, "chart.svg"), "w", encoding="utf-8") as file:
        file.write(chart(summary["by_region"], f"{title}, by region", currency))
    write_table(os.path.join(artifacts, "by-month.csv"), summary["by_month"], currency)
    with open(os.environ["SERVICE_OUTPUT_FILE"], "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=2, default=str, ensure_ascii=False)
        file.write("\n")
    print(f"total {summary['total']} {currency}, best product {summary['best_product']['name']}")


if __name__ == "__main__":
    try:
        main()
    except WrongRows as wrong:
        print(f"{wrong}:", file=sys.stderr)
        for problem in wrong.problems[:PROBLEMS_SHOWN]:
            print(f"  {problem}", file=sys.stderr)
        sys.exit(WRONG_ROWS)
