import { parseYamlFile, YamlFileInvalid } from '../../base/yaml-file.ts'
import { type Database, type Trx, violates } from '../../db/database.ts'
import { lockDirectory } from '../company-store.ts'
import { checkReferences } from './check-references.ts'
import { type ChangeLine, describeChange } from './describe-change.ts'
import { type ExecuteServices, executeChanges, type GeneratedSecrets } from './execute.ts'
import { firstPasswords } from './first-passwords.ts'
import { loadSnapshot } from './load-snapshot.ts'
import { type Change, planChanges } from './plan.ts'
import { readCompanyFile } from './read-company-file.ts'

/*
 * A company file declares tenants: their departments, rooms, users, memberships and keys. Applying it compares the
 * file with the directory and makes the necessary changes in one transaction:
 *
 *   text -> parseYamlFile -> readCompanyFile -> checkReferences -> planChanges -> executeChanges
 *
 * All steps before the last only read. A file with any mistake changes nothing, and all of its mistakes are reported
 * together. Applying the same file again changes nothing. Passwords and keys are generated only for new users and
 * keys, and returned only once. The passwords of many users take seconds to hash, so the file is planned once before,
 * and again in the transaction that makes the changes: while that lasts, administrators are locked.
 */

export interface ApplyServices extends ExecuteServices {
  db: Database
}

export interface ApplyResult extends GeneratedSecrets {
  changes: ChangeLine[]
  dryRun: boolean
}

const namesTaken = [
  'companies_name_key',
  'users_login_key',
  'departments_company_id_name_key',
  'chatrooms_live_name',
  'api_keys_live_name',
  'social_media_clients_live',
]

/** Applies the text of a company file, or only plans it. Throws `YamlFileInvalid` and changes nothing. */
export async function applyCompanyFile(
  services: ApplyServices,
  text: string,
  { dryRun }: { dryRun: boolean },
): Promise<ApplyResult> {
  const yaml = parseYamlFile(text)
  const { file, problems } = readCompanyFile(yaml.value, services.clock.now())
  const plan = async (trx: Trx) => {
    await lockDirectory(trx)
    const snapshot = await loadSnapshot(trx, file)
    const all = [...problems, ...checkReferences(file, snapshot)]
    if (all.length > 0) throw new YamlFileInvalid(yaml.locate(all))
    return { changes: planChanges(file, snapshot), snapshot }
  }
  const { changes: planned } = await services.db.transaction().execute(plan)
  if (dryRun) return resultOf(planned, { dryRun, passwords: [], apiKeys: [] })
  const passwords = await firstPasswords(planned)
  return services.db
    .transaction()
    .execute(async (trx) => {
      const { changes, snapshot } = await plan(trx)
      const secrets = await executeChanges(trx, services, { changes, snapshot, passwords })
      return resultOf(changes, { dryRun, ...secrets })
    })
    .catch((error: unknown) => {
      if (!namesTaken.some((constraint) => violates(error, constraint))) throw error
      throw new YamlFileInvalid(['the directory was changed at the same time: apply the file again'])
    })
}

const resultOf = (changes: Change[], rest: Omit<ApplyResult, 'changes'>): ApplyResult => ({
  changes: changes.map(describeChange),
  ...rest,
})
