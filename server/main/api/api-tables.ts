import { CallbackCredentials } from '../../custom-tables/callbacks/callback-credentials.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import { TableQueries } from '../../custom-tables/rows/table-queries.ts'
import type { TableContext } from '../../custom-tables/table-context.ts'
import type { Mount } from '../../http/mount.ts'
import { mountOutputCallbacks } from '../../http/routes/tables/output-callbacks.ts'
import { mountTableRoutes } from '../../http/routes/tables/tables.ts'
import { hashRequest, intentScope, once } from '../../runs/submit/idempotency.ts'
import { requireTarget } from '../../runs/triggers/plan-triggered-run.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import { Runnables } from '../../tasks/menu/runnable.ts'

type Parts = Omit<TableContext, 'once' | 'queries' | 'requireTarget'> & {
  outputs: OutputPolicyDeps
  downloads: Downloads
}

/** The routes of custom tables. The keys of repeated writes are where those of submissions are. */
export function mountTables(mount: Mount, { outputs, ...parts }: Parts): void {
  const credentials = new CallbackCredentials(parts.db, outputs.key)
  mountOutputCallbacks(mount, { ...outputs, credentials })
  mountTableRoutes(mount, {
    ...parts,
    queries: new TableQueries(parts.db),
    requireTarget: requireTarget({ runnables: new Runnables(parts.db), outputs }),
    once: ({ principal, route, key, request }, work) => {
      const requestHash = hashRequest({ route, ...request })
      return once(parts.db, { scope: intentScope(principal, route, key), requestHash }, work)
    },
  })
}
