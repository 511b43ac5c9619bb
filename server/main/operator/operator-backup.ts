import { isAbsolute, resolve } from 'node:path'
import { recordAuditEntry } from '../../operations/audit/audit-log.ts'
import { backUp } from '../../operations/backup/back-up.ts'
import { BackupProblem } from '../../operations/backup/backup-problem.ts'
import type { Manifest } from '../../operations/backup/manifest.ts'
import manifest from '../../package.json' with { type: 'json' }
import { onLocalService, type ServiceRefusal } from './local-service.ts'

export type BackupOutcome =
  | { ok: true; value: Manifest }
  | ServiceRefusal
  | { ok: false; cause: 'backup'; problems: string[] }

/** Makes a backup of the service of this machine, which may keep running. */
export async function makeBackup(folder: string, say: (text: string) => void): Promise<BackupOutcome> {
  const target = isAbsolute(folder) ? folder : resolve(folder)
  try {
    return await onLocalService(async ({ db, config, clock }) => {
      await recordAuditEntry(db, { act: 'backup', subject: target })
      return backUp({ db, dataDir: config.dataDir, target, release: manifest.version, clock, say })
    })
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    return { ok: false, cause: 'backup', problems: error.problems }
  }
}
