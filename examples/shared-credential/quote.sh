# Asks for a price with the credential of the room, and writes the answer to the table of the task's owner. Here the partner
# is this line: it signs the article with the credential, which shows that the job has it without printing it.
article=$(sed -n 's/.*"article" *: *"\([^"]*\)".*/\1/p' "$SERVICE_INPUTS_FILE")
signature=$(printf '%s:%s' "$PARTNER_TOKEN" "$article" | sha256sum | cut -c1-16)

wget -q -O "$SERVICE_OUTPUT_FILE" \
  --header "Authorization: Bearer $SERVICE_CT_WRITEBACK_TOKEN" --header 'Content-Type: application/json' \
  --post-data "{\"op\":\"create\",\"client_row_key\":\"$article\",\"values\":{\"article\":\"$article\",\"price\":12.5,\"signature\":\"$signature\"}}" \
  "$SERVICE_CT_WRITEBACK_URL"
