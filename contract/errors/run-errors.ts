import { type CatalogueEntry, entry, later } from './catalogue-entry.ts'

/** Runs and their results. */
export const runErrors = {
  selection_changed: entry(
    409,
    'More runs match than were expected; none was cancelled.',
    'Look at the list again, then send the number that match now.',
  ),
  version_not_runnable: entry(409, 'The task version cannot be run.', 'Use a published, active version.'),
  content_scrubbed_irreversible: entry(
    409,
    'The content of this version was permanently removed.',
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
    'Correct what detail.errors lists: send whole characters, and numbers that a double cannot hold as strings.',
  ),
  input_staging_unavailable: entry(
    503,
    'The input cannot be checked or stored now; nothing was created.',
    later,
  ),
  retry_input_unavailable: entry(
    409,
    'The input of the earlier run is no longer available.',
    'Send an input explicitly.',
  ),
  input_file_not_found: entry(
    404,
    'A file of the run does not exist, or no longer.',
    'Upload it again, or correct what detail.errors lists.',
  ),
  input_file_too_large: entry(
    413,
    'An input file may have at most 256 MiB.',
    'Send less per file, or let the job download it.',
  ),
  input_files_too_large: entry(
    422,
    'The files of a run may have at most 256 MiB together.',
    'Give the run fewer or smaller files.',
  ),
  sandbox_queued_run_limit: entry(429, 'The company has too many queued runs.', 'Wait for some to end.'),
  downloads_busy: entry(503, 'Too many downloads are in progress.', 'Wait for the seconds in Retry-After.'),
  watchers_busy: entry(
    429,
    'The company has too many waiting requests for runs and builds.',
    'Wait for the seconds in Retry-After, or read the state without waiting.',
  ),
  download_capability_invalid: entry(
    409,
    'The capability does not match this artifact and caller, or it has expired.',
    'Request a new one.',
  ),
  link_limit: entry(
    409,
    'The run has the maximum number of live links.',
    'Revoke some, or wait until they expire.',
  ),
  media_not_inline: entry(
    422,
    'This file cannot be shown inline: only raster images, CSV and plain text can.',
    'Make a link with the purpose share or download.',
  ),
  range_not_satisfiable: entry(
    416,
    'The range is outside the object.',
    'Request a range within the size that Content-Range contains.',
  ),
  queue_full: entry(429, 'The queue of this deployment is full.', 'Wait for the seconds in Retry-After.'),
} satisfies Record<string, CatalogueEntry>
