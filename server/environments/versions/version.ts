import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'

/** Versions that can never be started again. They keep no image and do not count toward the company's limit. */
export const unretainedVersionStates = [
  'rejected',
  'abandoned',
  'archived',
] as const satisfies EnvironmentVersionState[]

export const isRetained = (state: string): boolean =>
  !unretainedVersionStates.some((other) => other === state)
