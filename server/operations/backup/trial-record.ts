import { readRecord, writeRecord } from './backup-record.ts'

/**
 * `read`: all files are as the manifest says, and the rows could not be loaded, because the backup is encrypted and the trial has no
 * identity.
 */
export type TrialResult = 'restored' | 'read' | 'failed'

/** How the last trial of a backup ended, beside its manifest. */
export interface TrialRecord {
  triedAt: string
  result: TrialResult
}

const fileName = 'trial.json'

/** Undefined: the backup was not tried, or nobody can tell how it ended. */
export const readTrial = (backup: string): Promise<TrialRecord | undefined> => readRecord(backup, fileName)

export const writeTrial = (backup: string, trial: TrialRecord): void => writeRecord(backup, fileName, trial)
