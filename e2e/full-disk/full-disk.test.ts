import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Applied, type OwnService, startService } from '../main-job/service.ts'
import { build, ended, logIn, outputOf, publish, runWhen, submit, type Tenant } from '../main-job/tenant.ts'
import { freeBytes, sharedDisk } from './shared-disk.ts'

/* One company writes twice the size of the shared disk; another one continues to work. */

const mib = 1024 ** 2
const diskMiB = 2048
/** Space that the service keeps free; the shim's floor is half of it. */
const shimFloorBytes = (diskMiB / 40) * mib
const companyBytes = 512 * mib
const greedyRuns = 14
const artifactMiB = 300
/** Ends a test that hangs, and leaves a slow disk enough time. */
const floodTimeoutMs = 900_000

let service: OwnService
let greedy: Tenant
let quiet: Tenant

beforeAll(async () => {
  const settings = { SANDBOX_COMPANY_STORAGE_BYTES: String(companyBytes), SANDBOX_RUN_SLOTS: '4' }
  service = await startService(settings, sharedDisk(diskMiB))
  greedy = await logIn(service)
  quiet = await logIn({ ...service, user: 'bob', password: await applyQuietCompany() })
})
afterAll(() => service?.stop())

async function applyQuietCompany(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-quiet-'))
  const file = join(folder, 'quiet.yaml')
  const lines = [
    'companies:',
    '  - name: quiet',
    '    users: [{ login: bob, name: Bob, role: company_administrator }]',
    '    departments:',
    '      - name: sales',
    '        rooms: [{ name: daily-numbers, members: [bob] }]',
  ]
  await writeFile(file, lines.join('\n'))
  const { passwords } = await service.sandbox<Applied>('admin', 'apply', file)
  await rm(folder, { recursive: true })
  return passwords.find(({ login }) => login === 'bob')?.password ?? ''
}

/** A task of the company on a new image. */
async function taskOf(tenant: Tenant, workScript: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'e2e-full-disk-'))
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY note /note\n')
  await writeFile(join(folder, 'note'), 'the platform brings a shell\n')
  const { vid, attempt } = await build(tenant, folder)
  await rm(folder, { recursive: true })
  expect(attempt.status).toBe('completed')
  return publish(tenant, { environmentVersion: vid, workScript })
}

test('a company that fills the disk stops at its limit, while another submits, runs and downloads', {
  timeout: floodTimeoutMs,
}, async () => {
  const fillArtifacts = `dd if=/dev/zero of="$SERVICE_ARTIFACTS_DIR/big" bs=1M count=${artifactMiB} 2>/dev/null`
  const greedyTask = await taskOf(greedy, fillArtifacts)
  const quietTask = await taskOf(quiet, 'printf \'{"sum":3}\' > "$SERVICE_OUTPUT_FILE"')

  const flood = []
  for (let count = 0; count < greedyRuns; count += 1) flood.push((await submit(greedy, greedyTask, null)).id)
  let freeMin = Number.POSITIVE_INFINITY
  for (let count = 0; count < 5; count += 1) {
    const { id } = await submit(quiet, quietTask, null)
    expect(await runWhen(quiet, id, ended)).toMatchObject({ status: 'completed' })
    expect(await outputOf(quiet, id)).toBe('{"sum":3}')
    freeMin = Math.min(freeMin, await freeBytes(service.dataDir))
  }
  const ends = []
  for (const id of flood) ends.push(await runWhen(greedy, id, ended))

  expect(freeMin).toBeGreaterThan(shimFloorBytes / 2)
  const use = await greedy.client.call(allRoutes.readStorageUse)
  expect(use.kept_bytes).toBeLessThanOrEqual(companyBytes)
  expect(use.kept_bytes).toBeGreaterThan(artifactMiB * mib)
  const codes = new Set(ends.map(({ error_code }) => error_code))
  expect(codes).toEqual(new Set(['', 'storage_quota_exceeded']))
})

test('the largest company is shown, limited, refused, and accepted again after it has deleted data', async () => {
  const { companies } = await service.sandbox<{ companies: { name: string }[] }>(
    'operator',
    'storage',
    'show',
  )
  expect(companies[0]?.name).toBe('acme')
  await service.sandbox('operator', 'company', 'set', 'acme', '--kept-bytes', String(100 * mib))
  const { items } = await greedy.client.call(allRoutes.listRuns, { params: { cid: greedy.room } })
  const task = items[0]?.task_version_id ?? ''
  await expect(submit(greedy, task, null)).rejects.toMatchObject({ code: 'storage_quota_exceeded' })

  for (const { id: rid } of items) {
    await greedy.client.call(allRoutes.deleteRunContent, { params: { cid: greedy.room, rid } })
  }
  await expect
    .poll(async () => (await greedy.client.call(allRoutes.readStorageUse)).kept_bytes)
    .toBeLessThan(100 * mib)
  expect((await submit(greedy, task, null)).status).toBe('queued')
})

test('the counted bytes are correct, also after kills', async () => {
  await service.kill('worker')
  await service.kill('api')
  const { corrected } = await service.sandbox<{ corrected: unknown[] }>('operator', 'storage', 'recount')
  expect(corrected).toEqual([])
})
