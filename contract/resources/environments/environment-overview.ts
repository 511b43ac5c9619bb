import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { listOf } from '../../pagination.ts'
import { Count, Nullable } from '../../schema.ts'
import { Environment } from './environment.ts'

/** Open findings of an environment that are counted. */
export const countedFindingsMax = 1000

const OpenFindings = Type.Object({
  critical: about('Open findings of this severity.', Count, 0),
  high: about('Open findings of this severity.', Count, 2),
  medium: about('Open findings of this severity.', Count, 9),
  low: about('Open findings of this severity.', Count, 14),
  unknown: about('Open findings without a severity.', Count, 0),
})

/** An environment with its size, its findings and its use. */
export const EnvironmentOverview = Type.Object({
  ...Environment.properties,
  version_number: about(
    'Number of the newest version that is ready; null if there is none.',
    Nullable(Type.Integer({ minimum: 1 })),
    3,
  ),
  unpacked_bytes: about(
    'Size of the image of that version; null if it is not known.',
    Nullable(Count),
    412_000_000,
  ),
  findings: about(
    `Findings that are not resolved, counted up to ${countedFindingsMax}; null for callers who do not manage the environment.`,
    Nullable(OpenFindings),
  ),
  tasks: about(
    'Tasks with a version on it that is not archived; null for callers who do not manage the environment.',
    Nullable(Count),
    4,
  ),
})
export type EnvironmentOverview = Static<typeof EnvironmentOverview>

export const EnvironmentOverviewList = listOf(EnvironmentOverview)
export type EnvironmentOverviewList = Static<typeof EnvironmentOverviewList>
