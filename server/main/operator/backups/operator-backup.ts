import { userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { agentPaths } from '../../../../agent/host/paths.ts'
import type { Config } from '../../../base/config/config.ts'
import { openMachine } from '../../../base/machine-id.ts'
import { recordAuditEntry } from '../../../operations/audit/audit-log.ts'
import { backUp } from '../../../operations/backup/back-up.ts'
import { BackupProblem } from '../../../operations/backup/backup-problem.ts'
import type { Manifest } from '../../../operations/backup/manifest.ts'
import { configuredRemote } from '../../../operations/backup/remote/configured-remote.ts'
import { RemoteBackups } from '../../../operations/backup/remote/remote-backups.ts'
import { nameOf } from '../../../operations/backup/schedule/found-backups.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { bucketName } from '../../../storage/open-storage.ts'
import { onLocalService, type ServiceRefusal } from '../local-service.ts'

export interface MadeBackup extends Manifest {
  /** Where it was copied to. */
  copiedTo: string | undefined
}

export type BackupOutcome =
  | { ok: true; value: MadeBackup }
  | ServiceRefusal
  | { ok: false; cause: 'backup'; problems: string[] }

/** Makes a backup of the service of this machine, which may keep running. */
export async function makeBackup(folder: string, say: (text: string) => void): Promise<BackupOutcome> {
  const target = isAbsolute(folder) ? folder : resolve(folder)
  try {
    return await onLocalService(async ({ db, config, clock }) => {
      await recordAuditEntry(db, { act: 'backup', subject: target }, userInfo().username)
      const { dataDir, backupRecipients: recipients } = config
      const release = manifest.version
      const objectsIn = bucketName(config)
      const made = await backUp({ db, dataDir, target, recipients, objectsIn, release, clock, say })
      return { ...made, copiedTo: await copy(config, target, made, say) }
    })
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    return { ok: false, cause: 'backup', problems: error.problems }
  }
}

/** To the bucket of scheduled backups, where their rules count for it. */
async function copy(
  config: Config,
  target: string,
  { madeAt }: Manifest,
  say: (text: string) => void,
): Promise<string | undefined> {
  const remote = configuredRemote(config)
  if (!remote) return undefined
  const name = nameOf(new Date(madeAt))
  say(`copying it to ${remote.path}/${name}`)
  try {
    const backups = new RemoteBackups(remote)
    await backups.check(openMachine(agentPaths(config.dataDir).root).id)
    await backups.copy(target, name)
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    throw new BackupProblem(`the backup in ${target} is complete, and was not copied: ${error.message}`)
  }
  return `${remote.path}/${name}`
}
