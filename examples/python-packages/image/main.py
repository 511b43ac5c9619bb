import json
import os

from tabulate import tabulate

with open(os.environ["SERVICE_INPUTS_FILE"], encoding="utf-8") as file:
    rows = json.load(file)["rows"]

print(f"formatting {len(rows)} rows")
with open(os.environ["SERVICE_OUTPUT_FILE"], "w", encoding="utf-8") as file:
    json.dump({"table": tabulate(rows, headers="keys", tablefmt="github")}, file)
