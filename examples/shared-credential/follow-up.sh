# Starts for each new row of the table, with what the row has.
printf '{"ordered":%s}' "$(cat "$SERVICE_INPUTS_FILE")" > "$SERVICE_OUTPUT_FILE"
