import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, type OwnService, startService } from './service.ts'
import { build, ended, logIn, logOf, outputOf, publish, runWhen, submit, type Tenant } from './tenant.ts'

let service: OwnService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await logIn(service)
})
afterAll(() => service?.stop())

const ticks = 8
const workScript = `
  for i in $(seq ${ticks}); do echo tick $i; sleep 1; done
  cp "$SERVICE_INPUTS_FILE" "$SERVICE_OUTPUT_FILE"
`

test('a run continues and completes while worker, agent and api are killed and restarted', async () => {
  const { vid } = await build(tenant, join(checkout, 'examples/sales-report'))
  const task = await publish(tenant, { environmentVersion: vid, workScript })
  const { id } = await submit(tenant, task, { kept: true })
  await runWhen(tenant, id, (run) => run.status === 'running')

  for (const role of ['worker', 'agent', 'api'] as const) await service.kill(role)

  expect((await runWhen(tenant, id, () => true)).status).toBe('running')
  expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed', exit_code: 0 })
  expect(JSON.parse(await outputOf(tenant, id))).toEqual({ kept: true })
  // Each line once: the job was not started again, and its log is complete.
  const lines = Array.from({ length: ticks }, (_, index) => `tick ${index + 1}\n`)
  expect(await logOf(tenant, id)).toBe(lines.join(''))
})
