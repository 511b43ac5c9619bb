import { type CatalogueEntry, entry, later, reread } from './catalogue-entry.ts'

/** Errors that do not depend on the kind of resource. */
export const requestErrors = {
  invalid_content_length: entry(400, 'The Content-Length header is malformed.', 'Send a decimal byte count.'),
  login_rate_limited: entry(429, 'Too many failed logins.', 'Wait for the seconds in Retry-After.'),
  insufficient_permissions: entry(403, 'Your role does not allow this.', 'Ask a company administrator.'),
  not_found: entry(404, 'Not found.', 'Check the id, your company, your role and your key scope.'),
  request_too_large: entry(413, 'The request body is too large.', 'Send a smaller body.'),
  idempotency_key_required: entry(
    422,
    'This request needs the Idempotency-Key header.',
    'Send 1 to 128 characters: a new key for a new intent, the same key to repeat one.',
  ),
  idempotency_conflict: entry(
    409,
    'This Idempotency-Key was used for a different request.',
    'Use a new key for a new intent.',
  ),
  illegal_transition: entry(409, 'The resource is not in a state that allows this.', reread),
  no_fields: entry(422, 'The request changes no field.', 'Send at least one field to change.'),
  internal_error: entry(
    500,
    'The server failed.',
    'Try again; if the error persists, send the request id to the operator.',
  ),
  sandbox_disabled: entry(
    503,
    'Changes are currently disabled by the operator.',
    'Wait and try again; reading, cancelling and downloading still work.',
  ),
  storage_quota_exceeded: entry(
    409,
    'The storage quota of your company is exhausted.',
    'Delete run results that are no longer needed, shorten their retention, archive environments, or ask the operator for a higher quota.',
  ),
  disk_space_low: entry(
    503,
    'The disk of the service is nearly full; new data is not accepted now.',
    'Wait and try again; reading, downloading and deleting still work. The operator has to free disk space.',
  ),
  storage_unavailable: entry(503, 'The object store cannot be reached.', later),
  database_unavailable: entry(503, 'The database cannot be reached, or takes too long.', later),
  executor_unavailable: entry(503, 'No host that runs sandboxes can be reached.', later),
} satisfies Record<string, CatalogueEntry>
