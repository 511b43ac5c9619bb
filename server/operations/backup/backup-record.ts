import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'
import { replaceFile } from '../../base/keys/key-files.ts'

/*
 * Small files of JSON that no restore reads: the later history of a backup, beside its manifest, and the latest moment of the archive. A
 * kill leaves the former record, and perhaps a part of the new one beside it.
 */

/** Undefined: there is no such record, or it is damaged. */
export async function readRecord<T>(folder: string, name: string): Promise<T | undefined> {
  const text = await readFile(join(folder, name), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T)
  } catch {
    return undefined
  }
}

export const writeRecord = (folder: string, name: string, record: object): void =>
  replaceFile(join(folder, name), `${JSON.stringify(record)}\n`)
