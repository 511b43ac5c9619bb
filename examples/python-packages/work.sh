python /app/main.py
