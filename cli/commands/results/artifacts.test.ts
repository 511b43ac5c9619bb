import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

const room = `roo_${'1'.repeat(32)}`
const run = `run_${'2'.repeat(32)}`

let service: FakeService
let home: string

beforeEach(async () => {
  service = await fakeService()
  home = mkdtempSync(join(tmpdir(), 'cli-artifacts-'))
})
afterEach(async () => {
  await service.close()
  rmSync(home, { recursive: true })
})

/** A run with artifacts of these names, each with its name as content. */
function leaves(names: string[]) {
  const items = names.map((name, index) => ({
    id: `art_${index}`,
    relative_path: name,
    byte_size: Buffer.byteLength(name),
    digest: `sha256:${createHash('sha256').update(name).digest('hex')}`,
  }))
  service.answers.listRunArtifacts = () => ({ json: { items, page_size: 100, next_page_token: null } })
  service.answers.readRunArtifact = ({ params }) => ({
    bytes: items.find(({ id }) => id === params.aid)?.relative_path ?? '',
  })
}
const get = (...args: string[]) =>
  runCli(['artifacts', 'get', run, '--room', room, '--out', join(home, 'out'), ...args], {
    home,
    env: { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' },
  })

test('a name that is not safe to save does not stop the others, and ends with 1', async () => {
  const names = ['a.txt', 'back\\slash.txt', 'z.txt', '-n', '名.txt']
  leaves(names)
  const { exitCode, stdout, stderr } = await get()
  expect(exitCode).toBe(1)
  expect(stdout).toContain('4 files in ')
  expect(readdirSync(join(home, 'out')).sort()).toEqual(['-n', 'a.txt', 'z.txt', '名.txt'])
  expect(stderr).toContain(
    'error: 1 of 5 artifacts could not be saved.\n  The artifact back\\slash.txt has a path',
  )
})

test('neither does a file that is there already, and the document lists both', async () => {
  leaves(['a.txt', 'b.txt'])
  expect(await get()).toMatchObject({ exitCode: 0 })
  rmSync(join(home, 'out/b.txt'))
  writeFileSync(join(home, 'out/a.txt'), 'mine')
  const { exitCode, stdout } = await get('--json')
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      saved: [{ relative_path: 'b.txt' }],
      unsaved: [{ relative_path: 'a.txt', reason: expect.stringContaining('already exists') }],
    },
  ])
})

test('a file gets the time that the service sends', async () => {
  leaves(['a.txt'])
  const headers = { 'last-modified': 'Sun, 13 Sep 2020 12:26:42 GMT' }
  service.answers.readRunArtifact = () => ({ bytes: 'a.txt', headers })
  await get()
  expect(statSync(join(home, 'out/a.txt')).mtime.toISOString()).toBe('2020-09-13T12:26:42.000Z')
})

test('a failure of the service ends the download', async () => {
  leaves(['a.txt', 'b.txt'])
  service.answers.readRunArtifact = () => ({
    status: 404,
    detail: { code: 'content_deleted', message: 'Gone.' },
  })
  expect((await get()).stderr).toContain('error: Gone. (content_deleted)')
  expect(service.requests.filter(({ route }) => route === 'readRunArtifact')).toHaveLength(1)
})

test('a run without artifacts says so, and why where a rule kept none', async () => {
  leaves([])
  const remark = { code: 'artifacts_refused', rule: 'symlink', path: 'l', message: 'No artifact was kept.' }
  service.answers.readRunRemarks = () => ({ json: { run_id: run, remarks: [remark] } })
  expect(await get()).toEqual({
    exitCode: 0,
    stdout: `${run} has no artifacts; nothing was saved.\n`,
    stderr: 'No artifact was kept.\n',
  })
})
