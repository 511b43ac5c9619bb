import type { AccessRole } from './role.ts'

/**
 * The subject of an action.
 *
 * - `open`: nothing of a tenant; no credentials are needed.
 * - `token`: what the secret in the path names; whoever holds it may.
 * - `company`: the caller's own company.
 * - `owned`: a thing that a company or one of its departments owns.
 * - `room`: a live chatroom, and the runs in it.
 * - `turn`: the room of a human turn; the caller acts in that turn and is whom its context names.
 * - `proposal`: a job that an agent proposed to a person, in a room that the person may enter.
 * - `notification`: a notification of a person.
 * - `session`: files that stay between the runs of a person in a room that the person may enter.
 * - `consumer`: a chatroom, a department or the company, as the consumer of a secret.
 */
export type SubjectKind =
  | 'open'
  | 'token'
  | 'company'
  | 'owned'
  | 'room'
  | 'turn'
  | 'proposal'
  | 'notification'
  | 'session'
  | 'consumer'

/**
 * The rights of a sandbox-scope key, once its rooms are checked (contract part 1, "Restricted API keys"). `allowed`: what
 * its owner gets, in the rooms that it names. `own`: the same, for the runs that the key submitted and the files that it
 * uploaded alone. `door`: 403 on every route; the key of a door, which no route takes, has what it made.
 */
export type KeyRule = 'allowed' | 'own' | 'door' | 403 | 404 | 405

/**
 * The answer to a caller without the role.
 *
 * - `hidden`: 404 `not_found`, in the same words as what does not exist.
 * - `role_too_low`: 403 with plain text.
 * - `insufficient_permissions`, `owner_scope_forbidden`: 403 with that code.
 * - `omitted`: no error; the answer leaves out what the action would show.
 * - `none`: nothing, because everybody who gets this far may.
 */
export type Refusal =
  | 'hidden'
  | 'role_too_low'
  | 'insufficient_permissions'
  | 'owner_scope_forbidden'
  | 'omitted'
  | 'none'

/** One line of the table of who may do what. */
export interface Action {
  /** For docs/access.md: a phrase that starts with a verb. */
  does: string
  subject: SubjectKind
  /** Everybody who may; empty for `open` and `token`. */
  roles: readonly AccessRole[]
  key: KeyRule
  refusal: Refusal
  /** The answer to an id that names nothing: `hidden`, unless it says otherwise. */
  absent?: 'role_too_low'
  /** A caller who may otherwise gets 403 `confirmation_needs_login` with an API key, which an agent may hold. */
  needsLogin?: true
}
