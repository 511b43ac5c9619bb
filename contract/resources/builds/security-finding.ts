import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { EnvironmentId, EnvironmentVersionId, ExceptionId, FindingId, UserId } from '../../identifiers.ts'
import { reasonMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../../schema.ts'
import { severities } from '../../severities.ts'
import { exceptionStates, findingStates } from '../../states/finding-states.ts'

/**
 * `file`: a risky mode or attribute; `secret`: a key or token in a file; `vulnerability`: a known vulnerability of a
 * package.
 */
export const findingKinds = ['vulnerability', 'secret', 'file'] as const
export type FindingKind = (typeof findingKinds)[number]

/** One finding of a scan, without its history. */
export const ScanFinding = Type.Object({
  kind: about(
    '`vulnerability` of a package, `secret` in a file, or a risky mode of a `file`.',
    OneOf(findingKinds),
  ),
  rule: about('Rule of the scanner, or the name of the vulnerability.', Type.String(), 'CVE-2026-1234'),
  subject: about(
    'Path in the image, or a package as package URL without version. Never content of a file.',
    Type.String(),
    'pkg:deb/debian/openssl',
  ),
  severity: about('How severe it is.', OneOf(severities), 'high'),
  title: about('Title for people.', Type.String(), 'openssl: use after free'),
  installed_version: about(
    'Installed version of the package; empty for other kinds.',
    Type.String(),
    '3.0.14-1',
  ),
  fixed_version: about(
    'First version without the vulnerability; empty if there is none.',
    Type.String(),
    '3.0.15-1',
  ),
})
export type ScanFinding = Static<typeof ScanFinding>

/** Accepts a finding for a limited or unlimited time, with the reason and the user. */
export const SecurityException = Type.Object({
  id: ExceptionId,
  environment_id: EnvironmentId,
  finding_id: FindingId,
  state: about('Where the exception is in its life.', OneOf(exceptionStates)),
  reason: about('Why the finding was accepted.', Type.String(), 'The package is not used at run time.'),
  created_by: about('User who accepted the finding.', UserId),
  created_at: about('When it was created.', DateTime),
  expires_at: about('When it ends; null: when it is revoked.', Nullable(DateTime), null),
  ended_at: about('When it ended; null while it is active.', Nullable(DateTime), null),
})
export type SecurityException = Static<typeof SecurityException>

export const SecurityExceptionList = listOf(SecurityException)
export type SecurityExceptionList = Static<typeof SecurityExceptionList>

export const SecurityExceptionCreateRequest = Strict({
  reason: about(
    'Why the finding is accepted.',
    VisibleText({ maxLength: reasonMaxLength }),
    'The package is not used at run time.',
  ),
  expires_at: about(
    'When the exception ends; null or left out: when it is revoked.',
    Omissible(DateTime),
    null,
  ),
})
export type SecurityExceptionCreateRequest = Static<typeof SecurityExceptionCreateRequest>

/** A finding of an environment over time, in its current and its former versions. */
export const SecurityFinding = Type.Object({
  id: FindingId,
  environment_id: EnvironmentId,
  ...ScanFinding.properties,
  state: about('Where the finding is in its life.', OneOf(findingStates)),
  first_version_id: about('First version with the finding.', EnvironmentVersionId),
  last_version_id: about('Last version with the finding.', EnvironmentVersionId),
  first_seen_at: about('When a scan first found it.', DateTime),
  last_seen_at: about('When a scan last found it.', DateTime),
  state_changed_at: about('Since when it has this state.', DateTime),
  exception: about('The active exception, or null.', Nullable(SecurityException), null),
})
export type SecurityFinding = Static<typeof SecurityFinding>

export const SecurityFindingList = listOf(SecurityFinding)
export type SecurityFindingList = Static<typeof SecurityFindingList>
