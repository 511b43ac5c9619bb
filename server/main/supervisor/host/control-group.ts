import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/** Every data folder has its own control group, so two services on a machine never take each other's sandboxes. */
export const controlGroupOf = (dataDir: string): string =>
  `sandbox-jobs-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)}`
