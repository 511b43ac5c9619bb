import { resolve } from 'node:path'
import { ConfigInvalid, readConfig } from '../../../base/config/config.ts'
import { BackupProblem } from '../../../operations/backup/backup-problem.ts'
import { configuredRemote } from '../../../operations/backup/remote/configured-remote.ts'
import { type RemoteBackup, RemoteBackups } from '../../../operations/backup/remote/remote-backups.ts'
import { namePattern } from '../../../operations/backup/schedule/found-backups.ts'
import { type Outcome, refuse } from '../local-service.ts'

/** The backups in the bucket, the newest first. It needs no service on this machine. */
export const listRemoteBackups = (): Outcome<{ remote: string; backups: RemoteBackup[] }> =>
  onRemote(async (remote, path) => ({ remote: path, backups: await remote.list() }))

/** Copies a backup from the bucket to a folder that does not exist or is empty. */
export const fetchBackup = (name: string, folder: string): Outcome<{ folder: string }> =>
  onRemote(async (remote) => {
    if (!namePattern.test(name)) throw new BackupProblem(`${name} is no name of a backup in the bucket`)
    const target = resolve(folder)
    await remote.fetch(name, target)
    return { folder: target }
  })

async function onRemote<T>(work: (remote: RemoteBackups, path: string) => Promise<T>): Outcome<T> {
  try {
    const remote = configuredRemote(readConfig())
    if (!remote) return refuse('settings', 'SANDBOX_BACKUP_REMOTE is not set: backups are not copied')
    return { ok: true, value: await work(new RemoteBackups(remote), remote.path) }
  } catch (error) {
    if (error instanceof ConfigInvalid) return refuse('settings', ...error.problems)
    if (error instanceof BackupProblem) return refuse('service', ...error.problems)
    throw error
  }
}
