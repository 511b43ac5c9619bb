import { execFile } from 'node:child_process'
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, type OwnService, startService } from './service.ts'
import { build, ended, logIn, publish, runWhen, submit, type Tenant } from './tenant.ts'

/* The provenance of the example's image, from its build to an offline verification. */

let service: OwnService
let tenant: Tenant
let home: string
let place: { id: string; vid: string }

beforeAll(async () => {
  service = await startService()
  tenant = await logIn(service)
  home = await mkdtemp(join(tmpdir(), 'e2e-provenance-'))
  const { vid, attempt } = await build(tenant, join(checkout, 'examples/sales-report'))
  if (attempt.status !== 'completed') throw new Error(`the example is not built: ${JSON.stringify(attempt)}`)
  const { items } = await tenant.client.call(allRoutes.listEnvironments)
  const environment = items.find(({ current_version_id }) => current_version_id === vid)
  place = { id: environment?.id ?? '', vid }
})
afterAll(async () => {
  await service?.stop()
  if (home) await rm(home, { recursive: true })
})

interface Outcome {
  exitCode: number
  stdout: string
}

/** The command as a user runs it; logged in when the password is given on standard input. */
function sandbox(args: string[], stdin = ''): Promise<Outcome> {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: home,
    SANDBOX_DATA: service.dataDir,
    SANDBOX_CLI_CONFIG: join(home, 'credentials.json'),
  }
  return new Promise((resolve) => {
    const child = execFile(join(checkout, 'sandbox'), args, { env }, (error, stdout) =>
      resolve({ exitCode: Number(error?.code ?? 0), stdout }),
    )
    child.stdin?.end(stdin)
  })
}

const at = (name: string) => join(home, name)

test('the image of the example is verified offline, and one flipped bit of it is detected', async () => {
  const keys = await sandbox(['signing-keys', '--url', service.url])
  await writeFile(at('keys.pem'), keys.stdout)
  const image = await tenant.client.call(allRoutes.downloadImage, { params: place })
  await writeFile(at('image.tar'), new Uint8Array(await image.arrayBuffer()))
  const intact = await sandbox(['verify', at('image.tar'), '--key', at('keys.pem')])
  expect(intact.stdout).toContain('This is the image that was built and signed.')
  expect(intact.stdout).toMatch(/from curated\/python:3.13 +sha256:[0-9a-f]{64}/)
  expect(intact.stdout).toContain(place.vid)
  expect(intact.exitCode).toBe(0)

  const file = await open(at('image.tar'), 'r+')
  const { size } = await file.stat()
  const middle = Math.floor(size / 2)
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, middle)
  await file.write(Buffer.from([byte.readUInt8(0) ^ 1]), 0, 1, middle)
  await file.close()
  const tampered = await sandbox(['verify', at('image.tar'), '--key', at('keys.pem')])
  expect([tampered.exitCode, tampered.stdout]).toEqual([
    1,
    expect.stringMatching(/^layer +FAILED +layer_damaged/m),
  ])
})

test('the version has its runner release and policy', async () => {
  const version = await tenant.client.call(allRoutes.readEnvironmentVersion, { params: place })
  expect(version).toMatchObject({
    composed_execution_digest: expect.stringMatching(/^sha256:/),
    runner_release: expect.stringMatching(/^runner-[0-9a-f]{16}$/),
    runner_abi_revision: '1',
    policy_revision: expect.stringMatching(/^policy-[0-9a-f]{16}$/),
    runner_release_approved: true,
    runner_release_next_action: '',
  })
  const { payload } = await tenant.client.call(allRoutes.readProvenance, { params: place })
  const { subject, predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
  expect(`sha256:${subject[0].digest.sha256}`).toBe(version.promoted_digest)
  expect(predicate.buildDefinition.resolvedDependencies.map(({ name }: { name: string }) => name)).toEqual([
    'context',
    'context.canonical',
    'curated/python:3.13',
    expect.stringMatching(/^base\.layer bld_[0-9a-f]{32}$/),
  ])
  expect(predicate.runDetails.metadata.invocationId).toBe(version.last_build_attempt_id)
  const releases = await sandbox(['operator', 'runner-release', 'list', '--json'])
  expect(JSON.parse(releases.stdout).items).toMatchObject([
    { release: version.runner_release, approved_by: 'declared', runs: true },
  ])
  expect(await sandbox(['operator', 'runner-release', 'approve', 'runner-x'])).toMatchObject({ exitCode: 1 })
})

test('a rotated key signs new builds, while images signed by the old key still run', async () => {
  const [first] = (await tenant.publicClient.call(allRoutes.listSigningKeys)).items
  const rotated = await sandbox(['operator', 'signing-key', 'rotate', '--json'])
  const { key_id } = JSON.parse(rotated.stdout)
  const signs = async () =>
    (await tenant.publicClient.call(allRoutes.listSigningKeys)).items.map((key) => [key.key_id, key.signs])
  expect(await signs()).toEqual([
    [first?.key_id, false],
    [key_id, true],
  ])
  const folder = join(service.dataDir, 'keys')
  const owners = ['image-signing', 'image-signing/signing.pem', `image-signing/trusted/${key_id}.pem`]
  const uids = await Promise.all(owners.map(async (name) => (await stat(join(folder, name))).uid))
  expect(new Set(uids).size).toBe(1)
  expect(uids).not.toContain((await stat(join(folder, 'api/root.key'))).uid)
  expect(await readFile(join(folder, 'image-signing/signing.pem'), 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY/)

  const task = await publish(tenant, { environmentVersion: place.vid, workScript: 'true' })
  const { id } = await submit(tenant, task, null)
  expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed' })
  expect((await sandbox(['operator', 'signing-key', 'retire', key_id])).exitCode).toBe(1)
  expect((await sandbox(['operator', 'signing-key', 'retire', first?.key_id ?? ''])).exitCode).toBe(0)
  expect(await signs()).toEqual([[key_id, true]])
  const provenance = tenant.client.call(allRoutes.readProvenance, { params: place })
  await expect(provenance).rejects.toMatchObject({ status: 409, code: 'image_untrusted' })
})
