import { parseYamlFile, YamlFileInvalid } from '../../base/yaml/yaml-file.ts'
import { type Database, violates } from '../../db/database.ts'
import { lockDirectory } from '../company-store.ts'
import { checkReferences } from './check-references.ts'
import { type ChangeLine, describeChange } from './describe-change.ts'
import { type ExecuteServices, executeChanges, type GeneratedSecrets } from './execute.ts'
import { loadSnapshot } from './load-snapshot.ts'
import { planChanges } from './plan.ts'
import { readCompanyFile } from './read-company-file.ts'

/*
 * A company file declares tenants: their departments, rooms, users, memberships and keys. Applying it compares the
 * file with the directory and makes the necessary changes in one transaction:
 *
 *   text -> parseYamlFile -> readCompanyFile -> checkReferences -> planChanges -> executeChanges
 *
 * All steps before the last only read. A file with any mistake changes nothing, and all of its mistakes are reported
 * together. Applying the same file again changes nothing. Passwords and keys are generated only for new users and
 * keys, and returned only once.
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
  return services.db
    .transaction()
    .execute(async (trx) => {
      await lockDirectory(trx)
      const snapshot = await loadSnapshot(trx, file)
      const all = [...problems, ...checkReferences(file, snapshot)]
      if (all.length > 0) throw new YamlFileInvalid(yaml.locate(all))
      const changes = planChanges(file, snapshot)
      const secrets = dryRun
        ? { passwords: [], apiKeys: [] }
        : await executeChanges(trx, services, { changes, snapshot })
      return { changes: changes.map(describeChange), dryRun, ...secrets }
    })
    .catch((error: unknown) => {
      if (!namesTaken.some((constraint) => violates(error, constraint))) throw error
      throw new YamlFileInvalid(['the directory was changed at the same time: apply the file again'])
    })
}
