import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'

/** Versions that can never be started again keep no image and do not count against the company's number. */
export const unretainedVersionStates = [
  'rejected',
  'abandoned',
  'archived',
] as const satisfies EnvironmentVersionState[]

export const isRetained = (state: string): boolean =>
  !unretainedVersionStates.some((other) => other === state)
