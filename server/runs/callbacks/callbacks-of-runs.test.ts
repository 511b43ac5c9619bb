import type { RunResult } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { FakeInternet, machine, publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import { CallbackWay } from '../../../testing/apps/callback-way.ts'
import { RealRuns } from '../../../testing/apps/real-runs.ts'
import { TableSteps } from '../../../testing/apps/steps/table-steps.ts'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { callbackAddress } from '../../base/config/service-settings.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { createCallbackApp } from '../../main/api/callback-app.ts'

/*
 * Jobs in real sandboxes on a machine of their own, which has servers on ports 53, 80 and 443 of all its addresses. The
 * listener for callbacks is that of production.
 */

const port = 18_080
const database = await createTestDatabase()
const { db } = database
const internet = await FakeInternet.make()
const runs = await RealRuns.start(database, {
  settings: { SANDBOX_RUNTIME_EGRESS: 'true', SANDBOX_CALLBACK_PORT: `${port}` },
  command: { prefix: internet.onMachine },
  egressCapBytes: 1024 ** 2,
})
const { api } = runs
const { log, clock, storage } = api.context
const app = createCallbackApp({ db, log, clock, storage, config: { dataDir: api.dataDir, enabled: true } })
const way = await CallbackWay.open(app, {
  folder: testFolder(),
  onMachine: internet.onMachine,
  host: callbackAddress,
  port,
})
afterAll(async () => {
  await way.close()
  await app.close()
  await internet.dispose()
})
const tables = new TableSteps(api)
let tenant: Tenant
let table: CustomTable

beforeEach(async () => {
  tenant = await makeTenant(db)
  table = await tables.create(tenant.departmentManager, tenant.departmentId)
})

const send = (
  body: string,
  { url = '$SERVICE_CT_WRITEBACK_URL', token = '$SERVICE_CT_WRITEBACK_TOKEN' } = {},
) =>
  `timeout 20 wget -qO- --header "Authorization: Bearer ${token}" --header 'Content-Type: application/json' \\
    --post-data '${body}' "${url}"`
const row = JSON.stringify({ op: 'create', client_row_key: 'k', values: { order_id: 'A-1', amount: 2 } })

/** Runs the script as a job that may write to the table. Returns its output. */
async function run(script: string): Promise<RunResult['output']> {
  const output_policy = JSON.stringify({
    kind: 'custom_table_writeback',
    table_id: table.id,
    allowed_ops: 'create,update',
  })
  const task = await runs.makeTask(tenant.companyId, script, {
    output_policy,
    created_by: tenant.departmentManager.principalId,
  })
  const { body } = await runs.runAndWait(task, tenant.member, tenant.roomId)
  return (body as RunResult).output
}
/** The credential that a run that has ended was given. */
async function endedRun(): Promise<{ url: string; token: string }> {
  const output = await run(
    `printf '{"url":"%s","token":"%s"}' "$SERVICE_CT_WRITEBACK_URL" "$SERVICE_CT_WRITEBACK_TOKEN" > "$SERVICE_OUTPUT_FILE"`,
  )
  return output?.json as { url: string; token: string }
}
const rows = async () => (await tables.rows(tenant.departmentManager, table.id)).map(({ values }) => values)
const withoutEgress = () =>
  setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { runtime_egress_enabled: false })

it.each([
  ['with', 0],
  ['without', 1],
])('a job %s egress writes rows with its address and secret', async (egress, unreachable) => {
  if (egress === 'without') await withoutEgress()
  const output = await run(`
    answer=$(${send(row)})
    echo hi | nc -w 3 ${publicHosts.ip4} 80 | grep -q hello; public=$?
    printf '{"answer":%s,"public":%s}' "$answer" "$public" > "$SERVICE_OUTPUT_FILE"`)
  expect(output?.json).toEqual({
    answer: {
      op: 'create',
      row_id: expect.stringMatching(/^row_/),
      version: 1,
      status: 'applied',
      applied_at: expect.any(String),
    },
    public: unreachable,
  })
  expect(await rows()).toEqual([{ order_id: 'A-1', amount: 2 }])
})

it('a job that lost the answer finds its effect once', async () => {
  way.loseAnswers(2)
  const output = await run(`until ${send(row)} > "$SERVICE_OUTPUT_FILE"; do sleep 0.1; done`)
  expect(way.lost).toBe(2)
  expect(output?.json).toMatchObject({ status: 'applied' })
  expect(await rows()).toHaveLength(1)
})

it('a job reaches no other path of the service, no other port of the host, and nothing with the secret of another run', async () => {
  const other = await endedRun()
  const output = await run(`
    exec > "$SERVICE_OUTPUT_FILE"
    status() { sed -n 's,.*HTTP/1.[01] \\([0-9]*\\).*,\\1,p' | head -n 1; }
    for path in / /cli /docs /private/me /public/info/sandbox/regions /public/auth/token /mcp /openapi.json; do
      echo "path $path $(printf "GET $path HTTP/1.0\\r\\n\\r\\n" | nc -w 3 198.18.0.1 80 | status)"
    done
    echo "ended $(${send(row, other)} 2>&1 | status)"
    echo "mixed $(${send(row, { token: other.token })} 2>&1 | status)"
    for target in "198.18.0.1 443" "198.18.0.1 ${port}" "198.18.0.1 22" "127.0.0.1 80" "${callbackAddress} ${port}" \\
      "${machine.ip4} 80" "${machine.private4} 80" "${machine.private4} ${port}"; do
      echo "port $target $(echo hi | nc -w 2 $target 2>/dev/null | grep -c .)"
    done`)
  const text = output?.text ?? ''
  expect([...text.matchAll(/^path (\S+) (\d+)$/gm)].map(([, , status]) => status)).toEqual(
    Array.from({ length: 8 }, () => '404'),
  )
  expect([...text.matchAll(/^port .* (\d+)$/gm)].map(([, lines]) => lines)).toEqual(
    Array.from({ length: 8 }, () => '0'),
  )
  expect(text).toMatch(/^ended 409$/m)
  expect(text).toMatch(/^mixed 404$/m)
  expect(await rows()).toEqual([])
})

it('the secret of a job is dead when its run has ended', async () => {
  const { url, token } = await endedRun()
  const answer = await app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: row,
  })
  expect([answer.statusCode, answer.json().detail.code]).toEqual([409, 'output_run_unavailable'])
  expect(await rows()).toEqual([])
})
