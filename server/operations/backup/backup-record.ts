import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'
import { replaceFile } from '../../base/keys/key-files.ts'

/* The later history of a backup: small files of JSON beside its manifest, which no restore reads. */

/** Undefined: there is no such record, or it is damaged. */
export async function readRecord<T>(backup: string, name: string): Promise<T | undefined> {
  const text = await readFile(join(backup, name), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

export const writeRecord = (backup: string, name: string, record: object): void =>
  replaceFile(join(backup, name), `${JSON.stringify(record)}\n`)
