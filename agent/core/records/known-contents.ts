import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the records of known contents to where the shim reads them. They are lost with the sandbox, so they are not synced. */
export function writeKnownContents(folder: string, records: Buffer): void {
  writeFileSync(join(folder, 'folder.known'), records, { mode: 0o600 })
}
