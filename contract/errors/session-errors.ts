import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Sessions: files that stay between runs. */
export const sessionErrors = {
  session_not_found: entry(
    404,
    'The session does not exist, or no longer, or belongs to another person or room.',
    'Create a session, or name one of your own in this room.',
  ),
  session_in_use: entry(
    409,
    'A run holds the session.',
    'Wait for the end of the run that the session names, or cancel it.',
  ),
  session_full: entry(
    409,
    'The session would have more bytes, files or folders than it may have.',
    'Delete files that are not needed, or create a session with a higher limit.',
  ),
  session_path_conflict: entry(
    409,
    'Something else is at that path, or a part of the path is no folder.',
    'List the files, then choose another path or delete what is there.',
  ),
  session_size_limit: entry(
    422,
    'The operator allows no session of that size.',
    'Ask for at most detail.limit bytes.',
  ),
  session_too_large: entry(
    422,
    'The session does not fit into the workspace of the run.',
    'Choose an environment with a larger profile, or delete files of the session.',
  ),
} satisfies Record<string, CatalogueEntry>
