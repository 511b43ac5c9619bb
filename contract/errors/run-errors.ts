import { type CatalogueEntry, entry, later } from './catalogue-entry.ts'

/** Runs and what they leave. */
export const runErrors = {
  version_not_runnable: entry(409, 'The task version cannot be run.', 'Use a published, active version.'),
  content_scrubbed_irreversible: entry(
    409,
    'The content of this version was removed for good.',
    'Publish a new version.',
  ),
  input_schema_violation: entry(
    422,
    'The input does not match the schema of the version.',
    'Correct what detail.errors lists.',
  ),
  input_not_stageable: entry(
    422,
    'The input cannot be stored as canonical JSON.',
    'Send at most 1 MiB, 64 levels, 100000 values, no duplicate keys, no NUL.',
  ),
  input_staging_unavailable: entry(503, 'It cannot be checked or stored now; nothing was created.', later),
  retry_input_unavailable: entry(
    409,
    'The input of the earlier run cannot be read any more.',
    'Send an input explicitly.',
  ),
  sandbox_queued_run_limit: entry(429, 'The company has too many queued runs.', 'Wait for some to end.'),
  downloads_busy: entry(
    503,
    'So many downloads are under way that no other can begin.',
    'Wait as long as Retry-After says.',
  ),
  range_not_satisfiable: entry(
    416,
    'The object has no byte of the range.',
    'Ask for a range within its size, which Content-Range tells.',
  ),
  queue_full: entry(429, 'The queue of this deployment is full.', 'Wait as long as Retry-After says.'),
} satisfies Record<string, CatalogueEntry>
