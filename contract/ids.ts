import { type Static, Type } from 'typebox'

/**
 * Kinds of identifier. An identifier is the kind's three letters, `_`, and a UUIDv7 as 32 hex digits:
 * 36 characters, ordered by time, readable in logs (contract part 3, D5).
 */
export const idKinds = {
  company: 'cmp',
  department: 'dep',
  chatroom: 'roo',
  user: 'usr',
  apiKey: 'key',
  socialClient: 'cli',
  environment: 'env',
  uploadSession: 'ups',
  ownedObject: 'obj',
  environmentVersion: 'ver',
  buildAttempt: 'bld',
  securityFinding: 'fnd',
  securityException: 'exc',
  task: 'tsk',
  taskVersion: 'tvr',
  scriptUpload: 'scr',
  taskBundle: 'bun',
  shareGrant: 'shr',
  binding: 'bnd',
  secretBinding: 'sec',
  secretOperation: 'sop',
  secretApproval: 'sap',
  customTable: 'tbl',
  tableRow: 'row',
  tableCommand: 'cmd',
  tableTrigger: 'trg',
  triggerEvent: 'tev',
  inputFile: 'fil',
  session: 'ses',
  sessionTree: 'stt',
  sessionPack: 'spk',
  run: 'run',
  artifact: 'art',
  publicLink: 'lnk',
  signedLink: 'sln',
  stagingLease: 'stg',
  message: 'msg',
  gatewayKey: 'gwk',
  agentProposal: 'prp',
  oauthGrant: 'ogr',
  signIn: 'sgn',
  notification: 'ntf',
  webhook: 'whk',
  webhookSecret: 'whs',
  webhookDelivery: 'whd',
  notificationEvent: 'evt',
  door: 'dor',
  schedule: 'sch',
  mail: 'mal',
} as const

export type IdKind = keyof typeof idKinds
export type IdPrefix = (typeof idKinds)[IdKind]

/** The exact form of the identifiers that this service makes. */
export const idPattern = (kind: IdKind): RegExp => new RegExp(`^${idKinds[kind]}_[0-9a-f]{32}$`)

/** An identifier of that kind for examples. */
export const exampleId = (kind: IdKind): string => `${idKinds[kind]}_019abf3c5d7e7a10b2c4d6e8f0a1b3c5`

export const identifierMaxLength = 36

/** Any identifier a caller may send; one that names nothing gives 404, one that breaks the pattern 422. */
export const Identifier = Type.String({
  minLength: 1,
  maxLength: identifierMaxLength,
  pattern: '^[A-Za-z0-9_.-]+$',
})
export type Identifier = Static<typeof Identifier>
