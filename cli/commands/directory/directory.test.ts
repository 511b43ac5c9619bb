import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-directory-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const page = (...items: unknown[]) => ({ json: { items, page_size: 100, next_page_token: null } })
const cli = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

test('users are listed with their roles, disabled ones only on request', async () => {
  service.answers.listUsers = () =>
    page({ id: 'usr_1', login: 'ada', display_name: 'Ada', role: 4, disabled_at: null })
  expect((await cli('users')).stdout).toMatch(/^ada +Ada +company administrator +usr_1/m)
  await cli('users', '--all')
  expect(service.requests.map(({ query }) => query.get('lifecycle'))).toEqual(['active', 'all'])
})

test('the company is shown with its departments and rooms', async () => {
  service.answers.readCompany = () => ({ json: { id: 'cmp_1', name: 'Example' } })
  service.answers.listDepartments = () => page({ id: 'dep_1', name: 'sales' })
  service.answers.listChatrooms = () => page({ id: room, name: 'daily', department_id: 'dep_1' })
  const { stdout } = await cli('companies')
  expect(stdout).toContain('Example (cmp_1)')
  expect(stdout).toMatch(/^sales +dep_1 +daily/m)
})

const key = {
  id: 'key_1',
  name: 'shop',
  scope: 'sandbox',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

test('a key is created for rooms or in full, and only standard output has it', async () => {
  service.answers.createApiKey = () => ({ json: { ...key, api_key: 'sbk_secret' } })
  const created = await cli(
    'keys',
    'create',
    'shop',
    '--room',
    room,
    '--expires',
    '7',
    '--origin',
    'https://a',
  )
  expect([created.stdout, created.stderr.includes('sbk_secret')]).toEqual(['sbk_secret\n', false])
  const body = JSON.parse(String(service.requests[0]?.body))
  expect(body).toMatchObject({ scope: 'sandbox', allowed_chatroom_ids: [room], domains: ['https://a'] })
  expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  await cli('keys', 'create', 'mine', '--full')
  expect(JSON.parse(String(service.requests[1]?.body))).toEqual({ name: 'mine', scope: 'full' })
  for (const wrong of [[], ['--full', '--room', room]]) {
    expect(await cli('keys', 'create', 'x', ...wrong)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('either --room or --full'),
    })
  }
  expect(service.requests).toHaveLength(2)
})

test('keys are listed, and one is revoked by name', async () => {
  service.answers.listApiKeys = () => page(key)
  service.answers.revokeApiKey = () => ({ json: key })
  expect((await cli('keys', 'list')).stdout).toMatch(/^shop +key_1 +sandbox +never +never/m)
  expect((await cli('keys', 'revoke', 'shop')).stdout).toBe('Revoked shop.\n')
  expect(service.requests.at(-1)?.params).toEqual({ id: 'key_1' })
})

test('whoami names the departments that one manages', async () => {
  const me = {
    company_id: 'cmp_1',
    principal_type: 'user',
    principal_id: 'usr_1',
    auth_method: 'jwt',
    role: 2,
  }
  const rest = { api_key_scope: null, allowed_chatroom_ids: null, can: {}, sandbox_enabled: true }
  service.answers.readOwnCredential = () => ({
    json: { company_id: 'cmp_1', company_name: 'Example Ltd', api_key: null },
  })
  service.answers.readMe = () => ({ json: { ...me, ...rest, managed_department_ids: ['dep_1'] } })
  service.answers.listOwnDepartments = () => page({ id: 'dep_1', name: 'sales' })
  const { stdout } = await cli('whoami')
  expect(stdout).toMatch(/^departments +sales \(dep_1\)$/m)
  expect(stdout).toMatch(/^company +Example Ltd \(cmp_1\)$/m)
})

test('whoami with a restricted key shows the key and its rooms by name', async () => {
  const api_key = {
    id: 'key_1',
    name: 'Shop',
    scope: 'sandbox',
    allowed_chatroom_ids: ['cht_1', 'cht_2'],
    domains: ['*'],
    expires_at: null,
  }
  Object.assign(service.answers, {
    readOwnCredential: () => ({ json: { company_id: 'cmp_1', company_name: 'Example Ltd', api_key } }),
    listOwnChatrooms: () => page({ id: 'cht_1', name: 'daily' }),
  } satisfies FakeService['answers'])
  const { exitCode, stdout } = await cli('whoami')
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^API key +Shop \(key_1\)$/m)
  expect(stdout).toMatch(/^scope +sandbox$/m)
  expect(stdout).toMatch(/^company +Example Ltd \(cmp_1\)$/m)
  expect(stdout).toMatch(/^rooms +daily \(cht_1\), cht_2 \(its owner may not enter\)$/m)
  expect(sent('readMe')).toEqual([])
  expect(JSON.parse((await cli('whoami', '--json')).stdout)).toMatchObject({
    api_key: { id: 'key_1' },
    chatrooms: [
      { id: 'cht_1', name: 'daily' },
      { id: 'cht_2', name: null },
    ],
  })
})

const ada = { id: 'usr_1', login: 'ada', display_name: 'Ada', role: 1, disabled_at: null }
const sent = (route: string) => service.requests.filter((request) => request.route === route)
const bodiesOf = (route: string) =>
  sent(route).map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>)

test('a user is added with a random password, which alone is on standard output', async () => {
  Object.assign(service.answers, {
    createUser: () => ({ json: ada }),
    putMember: () => ({ json: {} }),
    listOwnDepartments: () => page({ id: 'dep_1', name: 'sales' }),
  } satisfies FakeService['answers'])
  const added = await cli('users', 'add', 'ada', '--manages', 'sales', '--room', room)
  const [body] = bodiesOf('createUser')
  expect(body).toMatchObject({ login: 'ada', role: 2, managed_department_ids: ['dep_1'] })
  expect([added.exitCode, added.stdout]).toEqual([0, `${body?.password}\n`])
  expect(added.stderr).not.toContain(String(body?.password))
  expect(sent('putMember').map(({ params }) => params)).toEqual([{ cid: room, uid: 'usr_1' }])
  expect((await cli('users', 'add', 'ben', '--role', 'member', '--manages', 'sales')).exitCode).toBe(2)
  expect((await cli('users', 'add', 'ben', '--manages', 'nowhere')).exitCode).toBe(1)
  expect(bodiesOf('createUser')).toHaveLength(1)
})

test('a user is disabled, enabled and reset by login name', async () => {
  service.answers.listUsers = () => page(ada)
  service.answers.updateUser = () => ({ json: ada })
  expect((await cli('users', 'disable', 'ada')).stdout).toBe('ada is disabled.\n')
  await cli('users', 'enable', 'ada')
  const reset = await cli('users', 'reset', 'ada')
  const [disabled, enabled, changed] = bodiesOf('updateUser')
  expect([disabled, enabled]).toEqual([{ disabled: true }, { disabled: false }])
  expect(reset.stdout).toBe(`${changed?.password}\n`)
  expect((await cli('users', 'reset', 'aad')).stderr).toContain('Did you mean ada?')
})

const address = 'https://jobs.example.com/password?token=sbx1.secret'

test('a user is invited without a password, and only standard output has the address', async () => {
  Object.assign(service.answers, {
    inviteUser: () => ({ json: { user: ada, address, expires_at: '2026-12-02T09:00:00.000Z' } }),
    putMember: () => ({ json: {} }),
  } satisfies FakeService['answers'])
  const invited = await cli('users', 'invite', 'ada', '--role', 'company_manager', '--room', room)
  expect([invited.exitCode, invited.stdout]).toEqual([0, `${address}\n`])
  expect(invited.stderr).toContain('once, until 2026-12-02T09:00:00.000Z')
  expect(invited.stderr).not.toContain('secret')
  expect(bodiesOf('inviteUser')).toEqual([{ login: 'ada', role: 3 }])
  expect(sent('putMember').map(({ params }) => params)).toEqual([{ cid: room, uid: 'usr_1' }])
  const shown = JSON.parse((await cli('users', 'invite', 'ada', '--json')).stdout)
  expect(shown).toMatchObject({ user: { login: 'ada' }, address, rooms: [] })
})

test('a user is reset by an address in place of a password', async () => {
  service.answers.listUsers = () => page(ada)
  service.answers.createPasswordAddress = () => ({
    json: { user: ada, address, expires_at: '2026-12-02T09:00:00.000Z' },
  })
  expect((await cli('users', 'reset', 'ada', '--invite')).stdout).toBe(`${address}\n`)
  expect([sent('createPasswordAddress')[0]?.params, sent('updateUser')]).toEqual([{ id: 'usr_1' }, []])
})
