echo "sending an invoice"
printf '{"sent":true,"request":%s}' "$(cat "$SERVICE_INPUTS_FILE")" > "$SERVICE_OUTPUT_FILE"
