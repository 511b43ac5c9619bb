import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { exampleId } from '../../ids.ts'
import { listOf, pageFields } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal, Strict } from '../../schema.ts'

const hexOf = (example: string) => example.slice('sha256:'.length)
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** Empty before the first entry. */
const HashOrNone = Type.String({ pattern: '^([0-9a-f]{64})?$' })
const optionalId = (what: string, example: string) => about(what, Nullable(Type.String()), example)

/** One entry of the audit log (extension). `contract/audit/chain-check.ts` says what its hash is over. */
export const AuditEntry = Type.Object({
  sequence: about('Number in the log of the company, without gaps.', Ordinal, 4711),
  at: about('When the change was made.', DateTime),
  action: about(
    'The operation: name of a route or of an operator’s command, `mcp`, `oauth`, or `service` for what the service did by itself.',
    Type.String(),
    'createTask',
  ),
  actor_type: about(
    '`user`, `social_media_client`, `run` (a job with the credential of its run), `operator`, `service`, or `anonymous`.',
    Type.String(),
    'user',
  ),
  actor_id: about(
    'Id of the actor; an account of the machine for operators.',
    Type.String(),
    exampleId('user'),
  ),
  api_key_id: optionalId('The API key or gateway key that was used.', exampleId('apiKey')),
  turn_id: optionalId('The message after which an agent acted.', exampleId('message')),
  request_id: optionalId('`X-Request-Id` of the response.', '019abf3c5d7e7a10b2c4d6e8f0a1b3c5'),
  change: about('Kind of the change.', OneOf(['insert', 'update', 'delete', 'state']), 'insert'),
  object_type: about('Kind of the object.', Type.String(), 'task'),
  object_id: about('Id of the object; several with slashes between them.', Type.String(), exampleId('task')),
  chatroom_id: optionalId('Room of the object or of the request.', exampleId('chatroom')),
  run_id: optionalId('Run of the object or of the request.', exampleId('run')),
  slot: optionalId('Secret slot.', 'API_TOKEN'),
  from_state: optionalId('State before a change of state.', 'queued'),
  to_state: optionalId('State after a change of state.', 'starting'),
  digest_before: about(
    'Keyed digest of the object before, in hex. Equal contents of one object have equal digests; a content cannot be guessed from it.',
    Nullable(Hash),
    hexOf(exampleDigest),
  ),
  digest_after: about('The same after the change.', Nullable(Hash), hexOf(exampleDigest)),
  hash: about('Over this entry and the hash before it, in hex.', Hash, hexOf(exampleDigest)),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEntryList = listOf(AuditEntry)
export type AuditEntryList = Static<typeof AuditEntryList>

const Position = Type.Object({
  sequence: about('Number of an entry; 0 before the first.', Count, 4711),
  hash: about('Its hash in hex; empty before the first.', HashOrNone, hexOf(exampleDigest)),
})

/** Where the log of a company starts and ends (extension). */
export const AuditHead = Type.Object({
  company_id: about('The company.', Type.String(), exampleId('company')),
  start: about('The last entry that was removed because its time was over.', Position),
  head: about('The newest entry.', Position),
  signed: about(
    'The newest head that the service has signed, some seconds after it became the head; null before the first.',
    Nullable(
      Type.Object({
        sequence: about('Number of the entry.', Ordinal, 4711),
        hash: about('Its hash in hex.', Hash, hexOf(exampleDigest)),
        signed_at: about('When it was signed.', DateTime),
        key_id: about('The key, one of listSigningKeys.', Type.String(), hexOf(exampleDigest)),
        signature: about('ECDSA in DER over sha256, as base64.', Type.String(), 'MEUCIQDk3yV0'),
      }),
    ),
  ),
})
export type AuditHead = Static<typeof AuditHead>

const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000]*$' }))

/** Query of the list of entries. */
export const AuditQuery = Strict({
  ...pageFields(50),
  from: about('Entries from this time on.', Type.Optional(DateTime)),
  to: about('Entries before this time.', Type.Optional(DateTime)),
  actor_id: about(
    'Entries of this actor; what the service did by itself is left out.',
    Filter,
    exampleId('user'),
  ),
  object_id: about('Entries of this object.', Filter, exampleId('task')),
  action: about('Entries of this operation.', Filter, 'createTask'),
  object_type: about('Entries of objects of this kind.', Filter, 'task'),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditExportQuery = Strict({
  after: about(
    'Entries after this number.',
    Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    4711,
  ),
})
