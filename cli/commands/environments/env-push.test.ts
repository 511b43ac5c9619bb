import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string

const page = (items: unknown[]) => ({ items, page_size: 100, next_page_token: null })
const environment = { id: 'env_1', name: 'python', owner_kind: 'company', owner_id: 'cmp_1' }
const version = { id: 'ver_1', version_number: 1, state: 'ready' }
const attempt = {
  id: 'bld_1',
  stage_index: 1,
  stage_count: 3,
  terminal_class: '',
  error_code: '',
  error_detail: '',
}

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-push-'))
  mkdirSync(join(home, 'context'))
  writeFileSync(join(home, 'context/Dockerfile'), 'FROM curated/python:3.11\n')
  let polls = 0
  Object.assign(service.answers, {
    readMe: () => ({ json: { managed_department_ids: [], can: { create_company_task: true } } }),
    listEnvironments: () => ({ json: page([]) }),
    createEnvironment: () => ({ json: environment }),
    listEnvironmentVersions: () => ({ json: page([]) }),
    initContextUpload: () => ({ json: { upload_session_id: 'ups_1', capability_token: 'may' } }),
    putContextUpload: () => ({ json: {} }),
    completeContextUpload: () => ({ json: { owned_object_id: 'obj_1' } }),
    abortContextUpload: () => ({ json: {} }),
    createEnvironmentVersion: () => ({ json: version }),
    changeVersionBuildCache: () => ({ json: { cache: 'none' } }),
    createBuild: () => ({ json: attempt }),
    readBuild: () => ({ json: [building, completed][Math.min(polls++, 1)] }),
    readEnvironmentVersion: () => ({ json: version }),
  } satisfies FakeService['answers'])
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const building = { ...attempt, stage_code: 'customer_build' }
const completed = { ...attempt, stage_code: 'terminal', terminal_class: 'completed' }

const push = (...args: string[]) => pushOf('context', ...args)
const pushOf = (path: string, ...args: string[]) =>
  runCli(['env', 'push', path, '--name', 'python', ...args], {
    home,
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })
const requestTo = (route: string) => service.requests.find((request) => request.route === route)

test('a folder is uploaded with its size and digest, and its build is watched to the end', async () => {
  writeFileSync(join(home, 'context/large'), randomBytes(400_000))
  const result = await push()
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Version 1 of python is ready: ver_1\n' })
  expect(result.stderr).toMatch(/upload 100%.*build +1\/3 customer_build/s)
  const sent = requestTo('putContextUpload')
  const declared = JSON.parse(String(requestTo('initContextUpload')?.body)) as { declared_bytes: number }
  expect(sent?.body).toHaveLength(declared.declared_bytes)
  expect(sent?.headers).toMatchObject({
    'content-length': String(declared.declared_bytes),
    'x-sandbox-upload-capability': 'may',
  })
  expect(JSON.parse(String(requestTo('completeContextUpload')?.body))).toEqual({
    expected_size: declared.declared_bytes,
    expected_digest: digestOf(sent?.body),
  })
})

test.each([
  ['zip', Buffer.from('PK\u0003\u0004zip')],
  ['tar.gz', Buffer.from([0x1f, 0x8b, 8, 0])],
  ['tar', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar'), Buffer.alloc(250)])],
])('a %s archive is uploaded as it is', async (format, bytes) => {
  writeFileSync(join(home, 'context.bin'), bytes)
  expect(await pushOf('context.bin')).toMatchObject({
    exitCode: 0,
    stdout: 'Version 1 of python is ready: ver_1\n',
  })
  expect(JSON.parse(String(requestTo('initContextUpload')?.body))).toEqual({
    declared_bytes: bytes.length,
    archive_format: format,
  })
  expect(requestTo('putContextUpload')?.body).toEqual(bytes)
  expect(JSON.parse(String(requestTo('completeContextUpload')?.body))).toEqual({
    expected_size: bytes.length,
    expected_digest: digestOf(bytes),
  })
})

test('another file is refused before anything is sent', async () => {
  const result = await pushOf('context/Dockerfile')
  expect(result).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is neither a folder nor a zip'),
  })
  expect(service.requests).toEqual([])
})

const digestOf = (bytes: Buffer | undefined) =>
  `sha256:${createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')}`

test('a version of the same files is not built again', async () => {
  await push()
  const source_digest = digestOf(requestTo('putContextUpload')?.body)
  const same = { ...version, source_digest, resource_profile: 'standard' }
  service.answers.listEnvironments = () => ({ json: page([environment]) })
  service.answers.listEnvironmentVersions = () => ({ json: page([same]) })
  service.requests.length = 0
  expect((await push()).stdout).toBe('Nothing has changed: version 1 (ver_1) is ready.\n')
  expect(requestTo('initContextUpload')).toBeUndefined()
  await push('--profile', 'large')
  expect(requestTo('initContextUpload')).toBeDefined()
  expect(requestTo('changeVersionBuildCache')).toBeUndefined()
})

test('--no-cache builds it again without any cached layers', async () => {
  await push()
  const same = {
    ...version,
    source_digest: digestOf(requestTo('putContextUpload')?.body),
    resource_profile: 'standard',
  }
  service.answers.listEnvironments = () => ({ json: page([environment]) })
  service.answers.listEnvironmentVersions = () => ({ json: page([same]) })
  service.requests.length = 0
  expect((await push('--no-cache')).stdout).toContain('is ready')
  const routes = service.requests.map(({ route }) => route)
  expect(routes.indexOf('changeVersionBuildCache')).toBeLessThan(routes.indexOf('createBuild'))
  expect(JSON.parse(String(requestTo('changeVersionBuildCache')?.body))).toEqual({ cache: 'none' })
})

test('a failed build ends with 1, its code and what to do', async () => {
  service.answers.readBuild = () => ({
    json: {
      ...building,
      terminal_class: 'customer_failed',
      error_code: 'policy_reject',
      error_detail: 'user_root;add_remote',
      next_action: 'Change the Dockerfile.',
    },
  })
  const result = await push()
  expect(result).toMatchObject({ exitCode: 1, stdout: '' })
  expect(result.stderr).toContain(
    'error: The build ended as customer_failed: user_root, add_remote (policy_reject)\nhint:  Change the Dockerfile.\n',
  )
})

test('--follow shows the build log before the result', async () => {
  const events = [
    { kind: 'log', start: 0, text: 'STEP 1/2\n' },
    { kind: 'end', status: 'completed' },
  ]
  const lines = events.map((event) => `id: 9\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)
  service.answers.followBuildLog = () => ({ bytes: lines.join('') })
  const result = await push('--follow')
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Version 1 of python is ready: ver_1\n' })
  expect(result.stderr).toMatch(/^STEP 1\/2$/m)
})

test('a failed upload aborts its session', async () => {
  const detail = { code: 'context_too_large', message: 'Too large.' }
  service.answers.putContextUpload = () => ({ status: 413, detail })
  expect(await push()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('context_too_large') })
  expect(requestTo('abortContextUpload')?.params.sid).toBe('ups_1')
})

test('a version whose build is refused is archived', async () => {
  const detail = { code: 'build_admission_fenced', message: 'Builds are held.', retry_after_seconds: 9 }
  service.answers.createBuild = () => ({ status: 503, detail })
  service.answers.archiveEnvironmentVersion = () => ({ json: version })
  expect(await push()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Builds are held.') })
  expect(requestTo('archiveEnvironmentVersion')?.params.vid).toBe('ver_1')
})

test('--no-wait queues the build and prints how to watch it', async () => {
  const result = await push('--no-wait')
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('sandbox build watch ver_1') })
  expect(requestTo('readBuild')).toBeUndefined()
})

test('an invalid folder sends no request to the service', async () => {
  rmSync(join(home, 'context/Dockerfile'))
  expect(await push()).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('There is no Dockerfile'),
  })
  expect(service.requests).toEqual([])
})
