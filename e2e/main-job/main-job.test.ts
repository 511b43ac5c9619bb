import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, type Service } from './service.ts'
import { openService } from './shared-service.ts'
import {
  artifactsOf,
  build,
  ended,
  exampleFile,
  logIn,
  logOf,
  outputOf,
  publish,
  runWhen,
  submit,
  type Tenant,
} from './tenant.ts'

interface Sales {
  rows: { date: string }[]
}

let service: Service
let tenant: Tenant
let environmentVersion: string
let salesTask: string
let sales: Sales

beforeAll(async () => {
  service = await openService()
  tenant = await logIn(service)
  sales = JSON.parse(await exampleFile('input.json')) as Sales
  const { vid, attempt } = await build(tenant, join(checkout, 'examples/sales-report'))
  if (attempt.status !== 'completed') throw new Error(`the example is not built: ${JSON.stringify(attempt)}`)
  environmentVersion = vid
  salesTask = await publish(tenant, {
    environmentVersion,
    workScript: await exampleFile('work.sh'),
    inputSchema: await exampleFile('input.schema.json'),
  })
})
afterAll(() => service?.stop())

const shell = (workScript: string, timeoutSeconds = 60) =>
  publish(tenant, { environmentVersion, workScript, timeoutSeconds })

test('a run of the example has output, artifacts and a log that anyone with the link can fetch', async () => {
  const { id } = await submit(tenant, salesTask, sales)
  expect(await runWhen(tenant, id, ended)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    error_code: '',
  })
  expect(JSON.parse(await outputOf(tenant, id))).toMatchObject({ rows: sales.rows.length, currency: 'EUR' })
  expect(await logOf(tenant, id)).toContain(`${sales.rows.length} rows`)
  const artifacts = await artifactsOf(tenant, id)
  expect(Object.keys(artifacts).toSorted()).toEqual(['by-month.csv', 'chart.svg'])
  expect(artifacts['chart.svg']).toMatch(/^<svg /)
})

test('the links of a run stop working when they are revoked', async () => {
  const { id } = await submit(tenant, salesTask, sales)
  await runWhen(tenant, id, ended)
  const params = { cid: tenant.room, rid: id }
  const { token } = await tenant.client.call(allRoutes.mintLogLink, { params })
  await tenant.publicClient.call(allRoutes.downloadByToken, { params: { token } })
  await tenant.client.call(allRoutes.revokeLogLink, { params })
  const download = tenant.publicClient.call(allRoutes.downloadByToken, { params: { token } })
  await expect(download).rejects.toMatchObject({ status: 404, code: 'not_found' })
})

test('an input that breaks the schema makes no run', async () => {
  const rejected = submit(tenant, salesTask, { rows: [] })
  await expect(rejected).rejects.toMatchObject({ status: 422, code: 'input_schema_violation' })
})

test('a program that ends with 3 is a result, and its log says why', async () => {
  const rows = sales.rows.map((row, index) => (index === 4 ? { ...row, date: '2026-02-30' } : row))
  const { id } = await submit(tenant, salesTask, { ...sales, rows })
  const run = await runWhen(tenant, id, ended)
  expect(run).toMatchObject({ status: 'customer_failed', error_code: 'work_exit_nonzero', exit_code: 3 })
  expect(await logOf(tenant, id)).toContain('row 5')
})

test('a run is stopped at its deadline', async () => {
  const { id } = await submit(tenant, await shell('echo started; sleep 300', 2), null)
  expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'customer_failed', error_code: 'timeout' })
  expect(await logOf(tenant, id)).toContain('started')
})

test('a run can be cancelled while it runs', async () => {
  const { id } = await submit(tenant, await shell('sleep 300'), null)
  await runWhen(tenant, id, (run) => run.status === 'running')
  await tenant.client.call(allRoutes.cancelRun, { params: { cid: tenant.room, rid: id } })
  expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'cancelled', error_code: 'cancelled' })
})

test('a build whose Dockerfile fails reports it, and makes no runnable version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-context-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), 'FROM curated/python:3.11\nRUN exit 7\n')
    const { attempt } = await build(tenant, folder)
    expect(attempt).toMatchObject({ status: 'customer_failed', error_code: 'dockerfile_exit' })
  } finally {
    await rm(folder, { recursive: true })
  }
})
