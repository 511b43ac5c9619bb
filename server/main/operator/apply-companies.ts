import { sha256Of } from '../../base/sha256.ts'
import { YamlFileInvalid } from '../../base/yaml-file.ts'
import { type ApplyResult, applyCompanyFile } from '../../companies/apply/apply-company-file.ts'
import { actOnService, type LocalService, onLocalService, type ServiceRefusal } from './local-service.ts'

export type { ApplyResult } from '../../companies/apply/apply-company-file.ts'

/** The changes, or why they were not made. A `file` problem is the author's to fix, the others are the operator's. */
export type ApplyOutcome =
  | { ok: true; result: ApplyResult }
  | { ok: false; cause: 'file'; problems: string[] }
  | ServiceRefusal

/** Applies a company file to the service of this machine. */
export async function applyCompanies(text: string, options: { dryRun: boolean }): Promise<ApplyOutcome> {
  try {
    const apply = (service: LocalService) => applyCompanyFile(service, text, options)
    const outcome = await (options.dryRun
      ? onLocalService(apply)
      : actOnService({ act: 'directory_apply', details: { file: sha256Of(Buffer.from(text)) } }, apply))
    return outcome.ok ? { ok: true, result: outcome.value } : outcome
  } catch (error) {
    if (error instanceof YamlFileInvalid) return { ok: false, cause: 'file', problems: error.problems }
    throw error
  }
}
