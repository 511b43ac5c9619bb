python3 /app/sales_report.py
