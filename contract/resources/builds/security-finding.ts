import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../../schema.ts'
import { exceptionStates, findingStates } from '../../states/finding-states.ts'

export const severities = ['critical', 'high', 'medium', 'low', 'unknown'] as const
export type Severity = (typeof severities)[number]

/**
 * `file`: a risky mode or attribute; `secret`: a key or token in a file; `vulnerability`: a known vulnerability of a
 * package.
 */
export const findingKinds = ['vulnerability', 'secret', 'file'] as const
export type FindingKind = (typeof findingKinds)[number]

/** One finding of a scan, without its history. */
export const ScanFinding = Type.Object({
  kind: OneOf(findingKinds),
  /** The rule of the scanner, or the name of the vulnerability in the operator's database. */
  rule: Type.String(),
  /** A path in the image, or a package as a package URL without version. Never file content. */
  subject: Type.String(),
  severity: OneOf(severities),
  title: Type.String(),
  /** For vulnerabilities: the installed version, and the first fixed one, empty if there is none. */
  installed_version: Type.String(),
  fixed_version: Type.String(),
})
export type ScanFinding = Static<typeof ScanFinding>

/** Accepts a finding for a limited or unlimited time, with the reason and the user. */
export const SecurityException = Type.Object({
  id: Identifier,
  environment_id: Identifier,
  finding_id: Identifier,
  state: OneOf(exceptionStates),
  reason: Type.String(),
  created_by: Identifier,
  created_at: DateTime,
  /** Null: valid until revoked. */
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

/** A finding of an environment over time, in its current and its former versions. */
export const SecurityFinding = Type.Object({
  id: Identifier,
  environment_id: Identifier,
  ...ScanFinding.properties,
  state: OneOf(findingStates),
  /** The first version with the finding, and the last one. */
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
