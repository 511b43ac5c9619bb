node /app/main.mjs
