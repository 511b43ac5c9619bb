import { systemClock } from '../../../base/clock.ts'
import { ConfigInvalid, readConfig } from '../../../base/config/config.ts'
import { type BackupPlan, planBackups } from '../../../operations/backup/schedule/backup-plan.ts'
import { findBackups } from '../../../operations/backup/schedule/found-backups.ts'
import { keepRulesOf } from '../../../operations/backup/schedule/retention.ts'
import { unsafeFolder } from '../../../operations/backup/schedule/unsafe-folder.ts'
import { type Outcome, refuse } from '../local-service.ts'

export interface BackupList extends BackupPlan {
  folder: string
}

/** The backups in the folder of scheduled backups. It needs no running service, and changes nothing. */
export async function listBackups(): Outcome<BackupList> {
  try {
    const config = readConfig()
    const { backupFolder: folder, backupTimes: times } = config
    if (folder === undefined)
      return refuse('settings', 'SANDBOX_BACKUP_FOLDER is not set: the service makes no backups by itself')
    const unsafe = unsafeFolder(folder)
    if (unsafe) return refuse('settings', `SANDBOX_BACKUP_FOLDER: ${folder} ${unsafe}`)
    const found = await findBackups(folder)
    const plan = planBackups(found, { times, keep: keepRulesOf(config), now: systemClock.now() })
    return { ok: true, value: { folder, ...plan } }
  } catch (error) {
    if (error instanceof ConfigInvalid) return refuse('settings', ...error.problems)
    throw error
  }
}
