import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../../base/errors/has-code.ts'
import { BackupProblem } from '../backup-problem.ts'
import { removeManifest } from '../manifest.ts'
import { findBackups, nameOf, type ScheduledBackup } from './found-backups.ts'
import { unsafeFolder } from './unsafe-folder.ts'

/*
 * The folder of scheduled backups:
 *
 *   2026-11-29T020000Z/   a backup, named by the time of its start
 *   machine-id            whose backups these are: retention never removes those of another service
 *   archive/              the log of its database, for restores to a moment
 *
 * Other names are not touched.
 */

export class BackupFolder {
  readonly path: string
  readonly #machine: string

  /** @param machine id of the machine of the service */
  constructor(path: string, machine: string) {
    this.path = path
    this.#machine = machine
  }

  /** Throws a `BackupProblem` if this service may not make or remove backups here. */
  async check(): Promise<void> {
    const unsafe = unsafeFolder(this.path)
    if (unsafe) throw new BackupProblem(`${this.path} ${unsafe}`)
    const file = join(this.path, 'machine-id')
    const found = await readFile(file, 'utf8').catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
    if (found === undefined || found.trim() === '') {
      await writeFile(file, `${this.#machine}\n`, { mode: 0o600, flush: true })
    } else if (found.trim() !== this.#machine) {
      throw new BackupProblem(
        `${this.path} has backups of another service: name another folder in SANDBOX_BACKUP_FOLDER, or, if this service shall go on with them and remove old ones, remove ${file} and ${join(this.path, 'archive')}, which has the log of that service`,
      )
    }
  }

  /** Path of a backup that starts at this time. */
  pathOf = (startedAt: Date): string => join(this.path, nameOf(startedAt))

  /** Paths of backups that were interrupted. */
  async listIncomplete(): Promise<string[]> {
    const found = await findBackups(this.path)
    return found.filter(({ state }) => state === 'incomplete').map(({ path }) => path)
  }

  /** Complete backups, the newest first. One with a damaged manifest is left out, and stays. */
  async list(): Promise<ScheduledBackup[]> {
    const found = await findBackups(this.path)
    return found
      .filter((backup) => backup.state === 'complete')
      .toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
  }

  /** A removal that is interrupted leaves an incomplete backup. */
  async remove(path: string): Promise<void> {
    await removeManifest(path)
    await rm(path, { recursive: true, force: true })
  }
}
