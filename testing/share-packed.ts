import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Gives a new data folder the programs that the test run has packed. The service packs others if these are not of its sources. */
export function sharePacked(dataDir: string): void {
  const { PACKED_PROGRAMS: packed } = process.env
  if (packed === undefined) return
  const folder = fileURLToPath(packed)
  cpSync(folder, join(dataDir, 'packed', basename(folder)), { recursive: true })
}
