import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryHash, signedHeadText } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-audit-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

const cli = (...args: string[]) =>
  runCli(args, { home, env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' } })

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const company_id = 'cmp_1'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key_id = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
const fields = {
  ...{ at: '2026-03-01T10:00:00.000Z', action: 'createTask', actor_type: 'user', actor_id: 'usr_1' },
  ...{ api_key_id: null, turn_id: null, request_id: 'r1', change: 'insert', object_type: 'task' },
  ...{ chatroom_id: null, run_id: null, slot: null, from_state: null, to_state: null },
  ...{ digest_before: null, digest_after: sha256('after') },
} as const

/** An export of so many entries, as lines. */
function exported(count: number): string[] {
  const entries: ({ sequence: number; hash: string } & Record<string, unknown>)[] = []
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const entry = { ...fields, sequence, object_id: `tsk_${sequence}`, hash: '' }
    const chained = { ...entry, at: Date.parse(entry.at) }
    entries.push({ ...entry, hash: entryHash(sha256, entries.at(-1)?.hash ?? '', company_id, chained) })
  }
  const { sequence = 0, hash = '' } = entries.at(-1) ?? {}
  const text = signedHeadText(company_id, { sequence, hash }, Date.parse(fields.at))
  const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64')
  const signed = { sequence, hash, signed_at: fields.at, key_id, signature }
  const head = { company_id, start: { sequence: 0, hash: '' }, head: { sequence, hash }, signed }
  return [head, ...entries].map((line) => JSON.stringify(line))
}

const file = (lines: readonly string[]) => {
  const path = join(home, 'audit.jsonl')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
const key = () => {
  const path = join(home, 'keys.pem')
  writeFileSync(path, publicKey.export({ type: 'spki', format: 'pem' }))
  return path
}

test('an export is verified without the service, and the first broken entry is named', async () => {
  const lines = exported(4)
  const intact = await cli('audit', 'verify', '--file', file(lines), '--key', key())
  expect(intact).toMatchObject({ exitCode: 0 })
  expect(intact.stdout).toMatch(/^cmp_1 +4 +ok /m)
  const changed = file(lines.with(2, lines[2]?.replace('"change":"insert"', '"change":"delete"') ?? ''))
  const broken = await cli('audit', 'verify', '--file', changed, '--key', key())
  expect(broken).toMatchObject({ exitCode: 1 })
  expect(broken.stdout).toContain('cmp_1: entry 2 was changed.')
})

test('a head that was shown earlier has to be in the export', async () => {
  const { hash } = JSON.parse(exported(4).at(-1) ?? '') as { hash: string }
  const verify = (lines: readonly string[]) =>
    cli('audit', 'verify', '--file', file(lines), '--key', key(), '--head', `4:${hash}`)
  expect(await verify(exported(5))).toMatchObject({ exitCode: 0 })
  const cut = await verify(exported(3))
  expect(cut).toMatchObject({ exitCode: 1 })
  expect(cut.stdout).toContain('entry 4 and those after it are missing')
})

test('a file that is no export, and a file without keys, are explained', async () => {
  const none = await cli('audit', 'verify', '--file', file(['nonsense']), '--key', key())
  expect(none.stderr).toContain('line 1 is not of an export')
  const unknown = await cli('audit', 'verify', '--file', file(exported(1)))
  expect(unknown.stderr).toContain('--key')
  const missing = await cli('audit', 'verify', '--file', file(exported(1)), '--key', join(home, 'mistyped'))
  expect(missing.stderr).toContain('mistyped contains no public key')
})

test('entries are listed by what was asked for', async () => {
  const [, entry] = exported(1)
  service.answers.listAuditEntries = () => ({
    json: { items: [JSON.parse(entry ?? '')], page_size: 5, next_page_token: null },
  })
  const { stdout } = await cli('audit', 'list', '--last', '5', '--actor', 'usr_1')
  expect(stdout).toMatch(/^1 +2026-03-01T10:00:00.000Z +createTask +usr_1 +insert +task tsk_1 *$/m)
  const [{ query } = { query: new URLSearchParams() }] = service.requests
  expect([query.get('page_size'), query.get('actor_id')]).toEqual(['5', 'usr_1'])
})

test('entries of an operation are looked for on further pages, as many as were asked for', async () => {
  const [, entry] = exported(1)
  const items = [JSON.parse(entry ?? '')]
  const before = service.requests.length
  service.answers.listAuditEntries = ({ query }) =>
    query.get('page_token') === null
      ? { json: { items: [], page_size: 2, next_page_token: 'second' } }
      : { json: { items: [...items, ...items, ...items], page_size: 2, next_page_token: 'third' } }
  const asked = ['--operation', 'createTask', '--kind', 'task']
  const { stdout } = await cli('audit', 'list', '--last', '2', ...asked)
  expect(stdout.match(/createTask/g)).toHaveLength(2)
  const requests = service.requests.slice(before)
  expect(requests.map(({ query }) => query.get('page_token'))).toEqual([null, 'second'])
  expect([requests[0]?.query.get('action'), requests[0]?.query.get('object_type')]).toEqual([
    'createTask',
    'task',
  ])
})
