import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'

/** How the last trial of a backup ended, beside its manifest. */
export interface TrialRecord {
  triedAt: string
  restored: boolean
}

const fileName = 'trial.json'

/** Undefined: the backup was not tried, or nobody can tell how it ended. */
export async function readTrial(backup: string): Promise<TrialRecord | undefined> {
  const text = await readFile(join(backup, fileName), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as TrialRecord
  } catch {
    return undefined
  }
}

export async function writeTrial(backup: string, trial: TrialRecord): Promise<void> {
  const part = join(backup, `${fileName}.part`)
  await writeFile(part, `${JSON.stringify(trial)}\n`, { mode: 0o600, flush: true })
  await rename(part, join(backup, fileName))
}
