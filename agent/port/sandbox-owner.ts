import { sha256Of } from '../../server/base/sha256.ts'

const hexDigitsOfSafeInteger = 13

/** The opaque number of a company for the executor (`SandboxSpec.owner`): a stable hash of its id. */
export const sandboxOwner = (companyId: string): number =>
  Number.parseInt(sha256Of(companyId).slice('sha256:'.length).slice(0, hexDigitsOfSafeInteger), 16) || 1
