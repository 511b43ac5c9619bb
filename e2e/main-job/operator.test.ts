import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTraceCollector } from '../../testing/trace-collector.ts'
import { type Applied, type OwnService, startService } from './service.ts'
import { build, ended, logIn, outputOf, publish, runWhen, submit, type Tenant } from './tenant.ts'

/* The operator's commands on a running service, and their effect on companies. */

let service: OwnService
let acme: Tenant
let globex: Tenant
let folder: string
let built: string
let buildAttempt: string
let collector: Awaited<ReturnType<typeof startTraceCollector>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'e2e-operator-'))
  await writeFile(join(folder, 'Dockerfile'), 'FROM curated/python:3.11\nRUN echo curated > /greeting\n')
  collector = await startTraceCollector()
  service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  acme = await logIn(service)
  globex = await logIn({ ...service, ...(await apply(globexDirectory, 'gil')) })
  const { vid, attempt } = await build(acme, folder)
  if (attempt.status !== 'completed') throw new Error(`nothing is built: ${JSON.stringify(attempt)}`)
  built = vid
  buildAttempt = attempt.id
})
afterAll(async () => {
  await service?.stop()
  await collector?.close()
  await rm(folder, { recursive: true, force: true })
})

const globexDirectory = `
companies:
  - name: globex
    users: [{ login: gil, name: Gil, role: company_administrator }]
    departments: [{ name: ops, rooms: [{ name: daily-numbers, members: [gil] }] }]
`

/** Adds a company and returns the login of one of its users. */
async function apply(directory: string, user: string): Promise<{ user: string; password: string }> {
  const file = join(folder, 'globex.yaml')
  await writeFile(file, directory)
  const { passwords } = await service.sandbox<Applied>('admin', 'apply', file)
  await rm(file)
  return { user, password: passwords.find(({ login }) => login === user)?.password ?? '' }
}

const operate = <T>(...args: string[]) => service.sandbox<T>('operator', ...args)

const greet = 'printf \'"%s"\' "$(cat /greeting)" > "$SERVICE_OUTPUT_FILE"'

test('an image of one company is published to another, which runs it until the image is blocked', async () => {
  const published = await operate<{ environment_id: string; version_id: string; published: boolean }>(
    ...['environment', 'publish', built, '--name', 'greeter', '--description', 'greets'],
  )
  expect(published).toMatchObject({ published: true })
  const { items } = await globex.client.call(allRoutes.listEnvironments, {})
  expect(items).toMatchObject([
    {
      id: published.environment_id,
      name: 'greeter',
      company_id: null,
      current_version_id: published.version_id,
    },
  ])
  const params = { id: published.environment_id, vid: published.version_id }
  const version = await globex.client.call(allRoutes.readEnvironmentVersion, { params })
  expect(version).toMatchObject({
    state: 'ready',
    source_digest: null,
    region_readiness: { onprem: 'ready' },
  })
  const task = await publish(globex, { environmentVersion: version.id, workScript: greet })
  const { id } = await submit(globex, task, null)
  expect(await runWhen(globex, id, ended)).toMatchObject({ status: 'completed' })
  expect(JSON.parse(await outputOf(globex, id))).toBe('curated')

  // A block applies to every version with that image, also of the company that built it.
  const digest = version.promoted_digest ?? ''
  const versions = [built, version.id]
  expect(await operate('block', digest, '--reason', 'e2e')).toEqual({ digest, versions })
  await expect(submit(globex, task, null)).rejects.toMatchObject({
    status: 409,
    code: 'version_not_runnable',
  })
  expect(await operate('block', '--list')).toMatchObject({ items: [{ digest, reason: 'e2e' }] })
  expect(await operate('unblock', digest)).toEqual({ digest, versions })
  const again = await submit(globex, task, null)
  expect(await runWhen(globex, again.id, ended)).toMatchObject({ status: 'completed' })

  await operate('environment', 'archive', 'greeter')
  expect((await globex.client.call(allRoutes.listEnvironments, {})).items).toEqual([])
  const pinned = await submit(globex, task, null)
  expect(await runWhen(globex, pinned.id, ended)).toMatchObject({ status: 'completed' })
})

test('builds can be fenced for a while', async () => {
  const { client } = acme
  const { id } = await client.call(allRoutes.createEnvironment, { body: { name: `e2e-${randomUUID()}` } })
  const version = await client.call(allRoutes.createEnvironmentVersion, {
    params: { id },
    body: { source_digest: `sha256:${'0'.repeat(64)}`, resource_profile: 'standard' },
  })
  const queue = () => client.call(allRoutes.createBuild, { params: { id, vid: version.id } })
  await operate('build-fence', 'on', '--minutes', '5')
  await expect(queue()).rejects.toMatchObject({ status: 503, code: 'build_admission_fenced' })
  expect(await operate('build-fence', 'off')).toEqual({ was_held: true })
  expect(await queue()).toMatchObject({ status: 'validation_queued' })
})

test('the limits of one company are changed, and those of others stay', async () => {
  const set = ['--timeout-ceiling', '30', '--egress', 'off', '--queued-runs', '7'] as const
  await operate('company', 'set', 'globex', ...set)
  expect(await operate('company', 'show', 'globex')).toMatchObject({
    timeout_ceiling_seconds: 30,
    runtime_egress_enabled: false,
    queued_run_limit: 7,
  })
  const settings = ({ client }: Tenant) => client.call(allRoutes.readSettings, {})
  expect(await settings(globex)).toMatchObject({ timeout_ceiling_seconds: 30, runtime_egress_enabled: false })
  expect(await settings(acme)).toMatchObject({
    timeout_ceiling_seconds: 86_400,
    runtime_egress_enabled: true,
  })
})

test('prices and a budget hold for what is queued from now on, and a run costs what it used', async () => {
  const file = join(import.meta.dirname, '../../examples/prices.yaml')
  const planned = await operate<{ changes: unknown[] }>('prices', 'apply', file, '--dry-run')
  expect(await operate('prices', 'show')).toBeNull()
  expect(await operate('prices', 'apply', file)).toEqual({ ...planned, dry_run: false })
  expect(await operate('prices', 'apply', file)).toMatchObject({ changes: [] })
  const task = await publish(acme, { environmentVersion: built, workScript: greet })
  await operate('company', 'budget', 'acme', '0.01')
  await expect(submit(acme, task, null)).rejects.toMatchObject({
    status: 403,
    code: 'budget_reservation_exceeded',
  })
  await operate('company', 'budget', 'acme', '5')
  const { id } = await submit(acme, task, null)
  const run = await runWhen(acme, id, ended)
  expect(run).toMatchObject({ status: 'completed' })
  const params = { id: run.task_id }
  const [item] = await acme.client.call(allRoutes.listTaskRuns, { params })
  // A second each, however long it took on this machine.
  expect(item?.cost_usd).toMatch(/^0[.]000[0-9]{2}0$/)
  expect(await operate('company', 'budget', 'acme')).toMatchObject({
    limit: '5.000000',
    held: '0.000000',
    spent: item?.cost_usd,
  })
  await operate('company', 'budget', 'acme', '--none')
  await expect(operate('prices', 'apply', '/dev/null')).rejects.toMatchObject({ code: 2 })
})

test('the running runner release is listed and approved', async () => {
  const { items } = await operate<{
    items: { release: string; runs: boolean; approved_at: string | null }[]
  }>(...['runner-release', 'list'])
  const running = items.filter(({ runs }) => runs)
  expect(running).toMatchObject([{ approved_at: expect.any(String) }])
  await operate('runner-release', 'approve', running[0]?.release ?? '')
  await expect(operate('runner-release', 'approve', 'runner-none')).rejects.toMatchObject({ code: 1 })
})

test('a run and a build are found by their ids, and the run is one trace of API, worker and shim', async () => {
  const task = await publish(acme, { environmentVersion: built, workScript: greet })
  const { id } = await submit(acme, task, { text: 'written-by-a-tenant' })
  expect(await runWhen(acme, id, ended)).toMatchObject({ status: 'completed' })

  const traceId = id.replace('run_', '')
  // API and worker send their spans by themselves.
  await eventually(() => {
    const received = collector.trace(traceId)
    expect(received.faults).toEqual([])
    expect(received.spans.map(({ name }) => name)).toContain('clean up')
  })
  expect(collector.faults).toEqual([])
  const { spans } = collector.trace(traceId)
  expect(new Set(spans.map(({ attributes }) => attributes['sandbox_jobs.process']))).toEqual(
    new Set(['api', 'worker', 'shim']),
  )
  expect(JSON.stringify(spans)).not.toContain('written-by-a-tenant')

  const request = spans.find(({ kind }) => kind === 2)?.attributes['sandbox_jobs.request'] ?? ''
  for (const asked of [request, id, buildAttempt]) {
    const found = JSON.stringify(await operate('request', asked))
    // A request is followed to the run that it made.
    expect(found).toContain(asked === request ? id : asked)
    expect(found).toContain('completed')
    expect(found).not.toContain('written-by-a-tenant')
  }
})
