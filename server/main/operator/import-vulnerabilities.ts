import { access, constants } from 'node:fs/promises'
import { type ImportResult, importOsv } from '../../findings/vulnerabilities/import-osv.ts'
import { OsvFileInvalid } from '../../findings/vulnerabilities/osv-file.ts'
import { actOnService, type ServiceRefusal } from './local-service.ts'

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
