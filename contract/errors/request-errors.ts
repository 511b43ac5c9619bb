import { type CatalogueEntry, entry, later, reread } from './catalogue-entry.ts'

/** Requests as such, whatever they ask for. */
export const requestErrors = {
  invalid_content_length: entry(400, 'The Content-Length header is malformed.', 'Send a decimal byte count.'),
  login_rate_limited: entry(429, 'Too many failed logins.', 'Wait as long as Retry-After says.'),
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
  no_fields: entry(422, 'The change names no field.', 'Send at least one field to change.'),
  internal_error: entry(
    500,
    'The server failed.',
    'Try again; if it lasts, give the operator the request id.',
  ),
  sandbox_disabled: entry(
    503,
    'The sandbox is switched off for changes.',
    'Wait; reading, cancelling and downloading still work.',
  ),
  storage_quota_exceeded: entry(
    409,
    'Your company keeps as many bytes as it may.',
    'Delete what runs left that you need no more, keep it for a shorter time, archive environments, or ask the operator for more.',
  ),
  disk_space_low: entry(
    503,
    'The disk of the service is nearly full; nothing new is taken now.',
    'Wait; reading, downloading and deleting still work. The operator makes room.',
  ),
  storage_unavailable: entry(503, 'The object store cannot be reached.', later),
  database_unavailable: entry(503, 'The database cannot be reached.', later),
  executor_unavailable: entry(503, 'No host that runs sandboxes can be reached.', later),
} satisfies Record<string, CatalogueEntry>
