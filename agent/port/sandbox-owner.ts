import { sha256Of } from '../../server/base/sha256.ts'

const hexDigitsOfSafeInteger = 13

/**
 * The opaque number of a company for the executor (`SandboxSpec.owner`): a stable hash of its id. Runs and builds of a company are
 * two owners: an owner that has used much processor time weighs less, and a person who waits for a run did not use what a build did.
 */
export const sandboxOwner = (companyId: string, work: 'runs' | 'builds'): number => {
  const digest = sha256Of(`${companyId}/${work}`).slice('sha256:'.length)
  return Number.parseInt(digest.slice(0, hexDigitsOfSafeInteger), 16) || 1
}
