import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { publish, type Tenant } from '../../main-job/tenant.ts'

/** A job that is started by each new row of one table, and writes a row to another one. */
export interface RowJob {
  version: string
  orders: string
  trigger: string
  results: string
}

/**
 * Writes the row of its nonce, and repeats that until it is answered: the API may be killed between what the call does and its
 * answer. It gives up after 40 seconds, which is longer than the API is ever away. The first action of the job stays its mark
 * for the ledger.
 */
const writeResult = `
tries=0
until timeout 5 wget -q -O /dev/null --header "Authorization: Bearer $SERVICE_CT_WRITEBACK_TOKEN" \\
  --header 'Content-Type: application/json' \\
  --post-data "{\\"op\\":\\"create\\",\\"client_row_key\\":\\"$nonce\\",\\"values\\":{\\"nonce\\":\\"$nonce\\"}}" \\
  "$SERVICE_CT_WRITEBACK_URL"; do
  tries=$((tries + 1)); [ "$tries" -lt 80 ] || break
  sleep 0.5
done
`

/** `workScript` makes the mark, reads its input into variables, and ends with the line that `beforeLine` starts. */
export async function publishRowJob(
  tenant: Tenant,
  job: { environmentVersion: string; workScript: string; beforeLine: string },
): Promise<RowJob> {
  const { client, room } = tenant
  const { items } = await client.call(allRoutes.listDepartments, { query: { page_size: 100 } })
  const department = items.find(({ name }) => name === 'sales')
  if (!department) throw new Error('the company has no department sales: apply examples/company.yaml')
  const owner = { owner_scope: 'department', owner_id: department.id } as const
  const table = async (name: string, type: 'json' | 'text') => {
    const fields = [{ name, type, required: true }]
    return (await client.call(allRoutes.createTable, { body: { name, fields, ...owner } })).id
  }
  const [orders, results] = [await table('job', 'json'), await table('nonce', 'text')]
  const version = await publish(tenant, {
    environmentVersion: job.environmentVersion,
    workScript: job.workScript.replace(job.beforeLine, `${writeResult}${job.beforeLine}`),
    timeoutSeconds: 60,
    owner,
    draft: { output_policy: { kind: 'custom_table_writeback', table_id: results, allowed_ops: 'create' } },
  })
  const trigger = await client.call(allRoutes.createTableTrigger, {
    params: { id: orders },
    body: {
      name: 'start',
      events: ['create'],
      chatroom_id: room,
      task_version_id: version,
      input_template: '{{values.job}}',
    },
  })
  return { version, orders, trigger: trigger.id, results }
}
