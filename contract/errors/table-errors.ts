import { type CatalogueEntry, entry, reread } from './catalogue-entry.ts'

/** Custom tables. */
export const tableErrors = {
  custom_table_archived: entry(409, 'The table, command or trigger is archived.', 'Use another one.'),
  custom_table_commands_only: entry(
    409,
    'Rows of this table change by commands alone.',
    'Execute a command of the table.',
  ),
  custom_table_not_empty: entry(
    409,
    'The table has rows, so this cannot be changed.',
    'Delete the rows first, or create another table.',
  ),
  custom_table_limit_reached: entry(
    409,
    'The maximum number is reached; `limit` has it.',
    'Delete or archive what nobody needs.',
  ),
  custom_table_row_changed: entry(409, 'The row has changed since that version.', reread),
  custom_table_trigger_needs_confirmation: entry(
    409,
    'A person has to confirm each run of this version, so no trigger can start it.',
    'Name a version that requires no confirmation.',
  ),
  custom_table_trigger_backlog: entry(
    429,
    'Too many changed rows of the company wait for the runs that they start.',
    'Wait until some have started, or archive the trigger.',
  ),
  custom_table_query_too_slow: entry(
    422,
    'The query reads too much.',
    'Filter by fewer rows, or export the table.',
  ),
  custom_table_busy: entry(
    429,
    'The company runs its maximum of table queries.',
    'Wait until one has ended, then try again.',
  ),
  custom_table_command_denied: entry(
    403,
    'The command acts for callers who may write rows of the table.',
    'Ask a manager of its owner.',
  ),
} satisfies Record<string, CatalogueEntry>
