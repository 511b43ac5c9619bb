import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../base/errors/has-code.ts'
import { BackupProblem } from '../backup-problem.ts'
import { hasManifest, type Manifest, readManifest } from '../manifest.ts'
import { readTrial, type TrialRecord } from '../trial-record.ts'

export interface ScheduledBackup {
  path: string
  madeAt: Date
  manifest: Manifest
  /** The trial of its restore, if there was one. */
  trial: TrialRecord | undefined
}

/** A backup without a manifest is in progress, or was interrupted; one with a damaged manifest cannot be restored. */
export type FoundBackup =
  | ({ state: 'complete' } & ScheduledBackup)
  | { state: 'incomplete' | 'damaged'; path: string }

export const namePattern = /^\d{4}-\d{2}-\d{2}T\d{6}Z$/

/** Name of a backup that starts at this time. */
export const nameOf = (startedAt: Date): string =>
  `${startedAt.toISOString().slice(0, 19).replaceAll(':', '')}Z`

/** The time that a name says. */
export const startOf = (name: string): Date =>
  new Date(`${name.slice(0, 13)}:${name.slice(13, 15)}:${name.slice(15)}`)

/** Every backup in the folder of scheduled backups, in order of their names. It changes nothing. */
export async function findBackups(folder: string): Promise<FoundBackup[]> {
  const names = (await readdir(folder)).filter((name) => namePattern.test(name)).toSorted()
  const found = await Promise.all(names.map((name) => find(join(folder, name))))
  return found.flat()
}

async function find(path: string): Promise<FoundBackup[]> {
  const stats = await lstat(path).catch((error: unknown) => {
    // It was removed after its name was read.
    if (!hasCode(error, 'ENOENT')) throw error
  })
  if (!stats?.isDirectory()) return []
  const manifest = await readManifest(path).catch((error: unknown) => {
    if (!(error instanceof BackupProblem)) throw error
  })
  const madeAt = new Date(manifest?.madeAt ?? Number.NaN)
  if (manifest && !Number.isNaN(madeAt.getTime()))
    return [{ state: 'complete', path, madeAt, manifest, trial: await readTrial(path) }]
  return [{ state: (await hasManifest(path)) ? 'damaged' : 'incomplete', path }]
}
