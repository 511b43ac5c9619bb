import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'
import { replaceFile } from '../../base/keys/key-files.ts'

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

export const writeTrial = (backup: string, trial: TrialRecord): void =>
  replaceFile(join(backup, fileName), `${JSON.stringify(trial)}\n`)
