import { type Static, Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { reasonMaxLength } from '../limits.ts'
import { listOf } from '../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../schema.ts'
import { exceptionStates, findingStates } from '../states/finding-states.ts'

export const severities = ['critical', 'high', 'medium', 'low', 'unknown'] as const
export type Severity = (typeof severities)[number]

/** `file`: by mode or attributes; `secret`: a key or token in a file; `vulnerability`: a known one of a package. */
export const findingKinds = ['vulnerability', 'secret', 'file'] as const
export type FindingKind = (typeof findingKinds)[number]

/** What a scan says, by itself. */
export const ScanFinding = Type.Object({
  kind: OneOf(findingKinds),
  /** The rule of the scanner, or the name of the vulnerability in the operator's database. */
  rule: Type.String(),
  /** A path of the image, or a package as a package URL without its version. Never content. */
  subject: Type.String(),
  severity: OneOf(severities),
  title: Type.String(),
  /** Of vulnerabilities: the version that is there, and the one that has it no more, empty when there is none. */
  installed_version: Type.String(),
  fixed_version: Type.String(),
})
export type ScanFinding = Static<typeof ScanFinding>

/** Why a finding is accepted for a time, and by whom. */
export const SecurityException = Type.Object({
  id: Identifier,
  environment_id: Identifier,
  finding_id: Identifier,
  state: OneOf(exceptionStates),
  reason: Type.String(),
  created_by: Identifier,
  created_at: DateTime,
  /** Null: until it is revoked. */
  expires_at: Nullable(DateTime),
  ended_at: Nullable(DateTime),
})
export type SecurityException = Static<typeof SecurityException>

export const SecurityExceptionList = listOf(SecurityException)
export type SecurityExceptionList = Static<typeof SecurityExceptionList>

export const SecurityExceptionCreateRequest = Strict({
  reason: VisibleText({ maxLength: reasonMaxLength }),
  expires_at: Omissible(DateTime),
})
export type SecurityExceptionCreateRequest = Static<typeof SecurityExceptionCreateRequest>

/** A finding of an environment over time: what its current version shows, and what former ones did. */
export const SecurityFinding = Type.Object({
  id: Identifier,
  environment_id: Identifier,
  ...ScanFinding.properties,
  state: OneOf(findingStates),
  /** The version that showed it first, and the last one. */
  first_version_id: Identifier,
  last_version_id: Identifier,
  first_seen_at: DateTime,
  last_seen_at: DateTime,
  state_changed_at: DateTime,
  /** The active exception. */
  exception: Nullable(SecurityException),
})
export type SecurityFinding = Static<typeof SecurityFinding>

export const SecurityFindingList = listOf(SecurityFinding)
export type SecurityFindingList = Static<typeof SecurityFindingList>
