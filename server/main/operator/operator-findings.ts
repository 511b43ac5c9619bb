import { access, constants } from 'node:fs/promises'
import { blockFinding, unblockFinding } from '../../findings/block-finding.ts'
import { type ImportResult, importOsv } from '../../findings/vulnerabilities/import-osv.ts'
import { OsvFileInvalid } from '../../findings/vulnerabilities/osv-file.ts'
import { actOnService, type Outcome, type ServiceRefusal } from './local-service.ts'

/** Forbids exceptions of a finding. False: the finding is absent or no version shows it. */
export const block = (id: string, reason: string): Outcome<boolean> =>
  actOnService(
    { act: 'finding_block', subject: id, details: { reason } },
    async ({ db }) => (await blockFinding(db, id, reason)) !== undefined,
  )

/** Allows them again. False: it is not blocked. */
export const unblock = (id: string): Outcome<boolean> =>
  actOnService(
    { act: 'finding_unblock', subject: id },
    async ({ db }) => (await unblockFinding(db, id)) !== undefined,
  )

type ImportOutcome =
  | { ok: true; value: ImportResult }
  | ServiceRefusal
  | { ok: false; cause: 'file'; problems: string[] }

/** Imports a vulnerability database in OSV format into the service of this machine. */
export async function importVulnerabilities(path: string): Promise<ImportOutcome> {
  try {
    await access(path, constants.R_OK).catch(() => {
      throw new OsvFileInvalid('it cannot be read')
    })
    return await actOnService({ act: 'vulnerabilities_import', subject: path }, ({ db }) =>
      importOsv(db, path),
    )
  } catch (error) {
    if (error instanceof OsvFileInvalid) {
      return { ok: false, cause: 'file', problems: [`${path}: ${error.message}`] }
    }
    throw error
  }
}
