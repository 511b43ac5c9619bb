import { sha256Of } from '../base/sha256.ts'

const hexDigitsOfSafeInteger = 13

/** The number by which the executor knows a company (`SandboxSpec.owner`): the same each time, and it tells nothing else. */
export const sandboxOwner = (companyId: string): number =>
  Number.parseInt(sha256Of(companyId).slice('sha256:'.length).slice(0, hexDigitsOfSafeInteger), 16) || 1
