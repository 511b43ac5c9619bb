import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/** A control group of its own for every data folder: two services on a machine never take each other's sandboxes. */
export const controlGroupOf = (dataDir: string): string =>
  `sandbox-jobs-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12)}`
