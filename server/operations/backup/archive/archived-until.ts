import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../base/errors/has-code.ts'
import type { ArchiveFolder } from './archive-folder.ts'

const name = 'until.json'

/** Notes the latest moment that can be restored: up to it the log of the newest backup has no gap. */
export async function noteUntil({ path }: ArchiveFolder, until: Date): Promise<void> {
  const fresh = join(path, 'new', name)
  await writeFile(fresh, `${JSON.stringify({ until })}\n`, { mode: 0o600, flush: true })
  await rename(fresh, join(path, name))
}

/** Undefined: there is none. */
export async function readUntil({ path }: ArchiveFolder): Promise<Date | undefined> {
  const text = await readFile(join(path, name), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
  return text === undefined ? undefined : new Date((JSON.parse(text) as { until: string }).until)
}
