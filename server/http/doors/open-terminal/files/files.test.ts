import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { DoorSteps } from '../../../../../testing/apps/steps/door-steps.ts'
import { TerminalSteps } from '../../../../../testing/apps/steps/terminal-steps.ts'
import { TestApi } from '../../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../../testing/factories/environment-version.ts'
import { makeTenant } from '../../../../../testing/factories/tenant.ts'

/* Files as Open WebUI's tools and its pages ask for them. No worker runs here. */

const { db } = await createTestDatabase()
const api = new TestApi(db, { deployment: 'hosted' })
const steps = new DoorSteps(api)
let door: DoorWithKey
const terminal = new TerminalSteps(steps, () => door)

beforeEach(async () => {
  const tenant = await makeTenant(db)
  const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  door = await steps.create(tenant.roomManager, tenant.roomId, {
    name: 'terminal',
    kind: 'open_terminal',
    runtimes: [{ language: 'bash', environment_version_id: id }],
  })
})

const home = '/workspace/session'
const at = (path: string, name = 'path') => `?${name}=${encodeURIComponent(path)}`
const write = (path: string, content: string, user?: string) =>
  terminal.post('/files/write', { path, content }, user)
const upload = (directory: string, name: string, content: string | Buffer) =>
  terminal.send({
    path: `/files/upload${at(directory, 'directory')}`,
    parts: [{ part: 'file', name, content }],
  })
const names = async (directory = '.', user?: string) => {
  const { body } = await terminal.get<{ entries: { name: string }[] }>(
    `/files/list${at(directory, 'directory')}`,
    user,
  )
  return body.entries.map(({ name }) => name)
}

describe('the file panel of Open WebUI', () => {
  const list = (directory: string) => terminal.get(`/files/list${at(directory, 'directory')}`, 'panel')

  it('opens at the path where it begins, from which folders lead to the home directory', async () => {
    await write('a.txt', 'x', 'panel')
    const shown = async (directory: string) => (await list(directory)).body
    const folder = (name: string) => [{ name, type: 'directory', size: 0 }]
    expect(await shown('/')).toEqual({ dir: '/', entries: folder('workspace') })
    expect(await shown('/workspace/')).toEqual({ dir: '/workspace', entries: folder('session') })
    expect(await shown('/workspace/session/')).toMatchObject({ dir: home, entries: [{ name: 'a.txt' }] })
    for (const path of ['/work', '/workspace/s', '/etc/']) expect((await list(path)).status).toBe(403)
  })

  it('may tell each folder that it shows', async () => {
    for (const path of ['/', '/workspace/', `${home}/`])
      expect((await terminal.post('/files/cwd', { path }, 'panel')).body).toEqual({ cwd: home })
    expect((await terminal.post('/files/cwd', { path: '/etc/' }, 'panel')).status).toBe(403)
  })

  it('sorts files by time', async () => {
    const before = Math.floor(Date.now() / 1000)
    await write('b.txt', 'x', 'panel')
    const { entries } = (await list('~')).body as { entries: { name: string; modified?: number }[] }
    const written = entries.find(({ name }) => name === 'b.txt')?.modified
    expect(written).toBeGreaterThanOrEqual(before)
    expect(written).toBeLessThanOrEqual(Date.now() / 1000)
  })
})

describe('a file', () => {
  it('is written, listed, read, changed, moved and deleted', async () => {
    expect((await terminal.get('/files/cwd')).body).toEqual({
      cwd: home,
      home,
      root: { path: home, label: 'Home' },
    })
    expect((await write('src/a.txt', 'one\ntwo\nthrée')).body).toEqual({
      path: `${home}/src/a.txt`,
      size: 14,
    })
    expect((await terminal.post('/files/mkdir', { path: `${home}/empty/x` })).body).toEqual({
      path: `${home}/empty/x`,
    })
    const listed = await terminal.get(`/files/list${at('/home/user', 'directory')}`)
    expect(listed.body).toEqual({
      dir: home,
      entries: [
        { name: 'empty', type: 'directory', size: 0 },
        { name: 'src', type: 'directory', size: 0 },
      ],
    })
    expect((await terminal.get(`/files/read${at('~/src/a.txt')}`)).body).toEqual({
      path: `${home}/src/a.txt`,
      total_lines: 3,
      content: 'one\ntwo\nthrée',
    })
    const range = await terminal.get(`/files/read${at('src/a.txt')}&start_line=2&end_line=2`)
    expect(range.body).toMatchObject({ total_lines: 3, content: 'two\n' })
    const replaced = await terminal.post('/files/replace', {
      path: 'src/a.txt',
      replacements: [
        { target: 'two', replacement: '$& 2', start_line: 2, end_line: null, allow_multiple: null },
        { target: 'e', replacement: 'E', allow_multiple: true },
      ],
    })
    expect(replaced.body).toEqual({ path: `${home}/src/a.txt`, size: 15 })
    const moved = { source: 'src/a.txt', destination: 'empty/b.txt' }
    expect((await terminal.post('/files/move', moved)).body).toEqual({
      source: `${home}/src/a.txt`,
      destination: `${home}/empty/b.txt`,
    })
    expect((await terminal.get(`/files/display${at('empty/b.txt')}`)).body).toEqual({
      path: `${home}/empty/b.txt`,
      exists: true,
    })
    expect((await terminal.get(`/files/view${at('empty/b.txt')}`)).text).toBe('onE\n$& 2\nthréE')
    expect((await terminal.delete(`/files/delete${at('src')}`)).body).toEqual({
      path: `${home}/src`,
      type: 'directory',
    })
    expect(await names()).toEqual(['empty'])
  })

  it('is uploaded and sent as it is, alone or in a zip', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
    const uploaded = await upload('in', '../b.bin', bytes)
    expect([uploaded.status, uploaded.body]).toEqual([200, { path: `${home}/in/b.bin`, size: 256 }])
    await write('in/page.html', '<script>alert(1)</script>')
    const view = await terminal.get(`/files/view${at('in/page.html')}`)
    expect([view.text, view.headers['content-type']]).toEqual([
      '<script>alert(1)</script>',
      'application/octet-stream',
    ])
    expect((await terminal.get(`/files/serve${home}/in/page.html`)).status).toBe(200)
    const zip = await terminal.post('/files/archive', { paths: ['in', 'in/page.html'] })
    expect([zip.status, zip.headers['content-type'], zip.headers['content-disposition']]).toEqual([
      200,
      'application/zip',
      'attachment; filename="download.zip"',
    ])
    // Not again what is in a folder that was asked for.
    expect(zip.text.split('PK\u0001\u0002')).toHaveLength(3)
    for (const name of ['in/b.bin', 'in/page.html']) expect(zip.text).toContain(name)
    const one = await terminal.post('/files/archive', { paths: [`${home}/in`] })
    expect(one.headers['content-disposition']).toBe('attachment; filename="in.zip"')
  })

  it('that is an image is sent to models as one, and other bytes are refused', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from([0, 255])])
    await upload('.', 'a.png', png)
    await upload('.', 'b.bin', Buffer.from([0, 255]))
    const image = await terminal.get(`/files/read${at('a.png')}`)
    expect([image.status, image.headers['content-type'], image.headers['x-content-type-options']]).toEqual([
      200,
      'image/png',
      'nosniff',
    ])
    expect(await terminal.get(`/files/read${at('b.bin')}`)).toMatchObject({
      status: 415,
      body: { detail: 'Unsupported binary file type (2 bytes)' },
    })
  })

  it('that is too large to read is still sent', async () => {
    await upload('.', 'large', 'x'.repeat(1024 * 1024 + 1))
    expect((await terminal.get(`/files/read${at('large')}`)).status).toBe(413)
    expect((await terminal.get(`/files/view${at('large')}`)).text).toHaveLength(1024 * 1024 + 1)
  })

  it('is seen by its own user alone', async () => {
    await write('a.txt', 'mine')
    for (const user of ['bob', '']) {
      expect(await names('.', user)).toEqual([])
      expect((await terminal.get(`/files/read${at('a.txt')}`, user)).status).toBe(404)
      expect((await terminal.delete(`/files/delete${at('a.txt')}`, user)).status).toBe(404)
    }
    await write('b.txt', 'of nobody', '')
    expect([await names(), await names('.', ''), await names('.', 'bob')]).toEqual([['a.txt'], ['b.txt'], []])
  })

  it('can be read and not changed while a command of its user runs', async () => {
    await write('a.txt', 'before')
    await terminal.post('/execute?wait=0', { command: 'sleep 9' })
    expect((await write('a.txt', 'after')).status).toBe(409)
    expect((await upload('.', 'b.txt', 'x')).status).toBe(409)
    expect((await terminal.delete(`/files/delete${at('a.txt')}`)).status).toBe(409)
    expect((await terminal.get(`/files/read${at('a.txt')}`)).body).toMatchObject({ content: 'before' })
  })
})

describe('a request on files is refused', () => {
  it('for paths that are not kept, and names that nobody can read', async () => {
    await write('a', 'x')
    const cases: [string, number][] = [
      ['..', 403],
      ['/', 403],
      ['/etc/passwd', 403],
      [`${home}/../../etc/passwd`, 403],
      ['/workspace/sessions/a', 403],
      ['a\nb', 400],
      ['a\u202eb', 400],
      ['x'.repeat(2000), 400],
      ['y/'.repeat(70), 422],
      ['x'.repeat(5000), 422],
      ['a\u0000', 422],
      ['.', 400],
      ['a/b', 409],
    ]
    for (const [path, status] of cases)
      expect([path.slice(0, 20), (await write(path, 'x')).status]).toEqual([path.slice(0, 20), status])
    for (const path of ['/files/read', '/files/view', '/files/display', '/files/list'])
      expect((await terminal.get(`${path}${at('/etc')}&directory=/etc`)).status).toBe(403)
    expect(await names()).toEqual(['a'])
  })

  it('in the words of the platform', async () => {
    await write('a', 'x x')
    await write('d/b', '')
    const change = (replacements: unknown[]) => terminal.post('/files/replace', { path: 'a', replacements })
    const cases: [Promise<{ status: number; body: Record<string, unknown> }>, number, string][] = [
      [terminal.get(`/files/list${at('a', 'directory')}`), 404, 'Directory not found'],
      [terminal.get(`/files/read${at('d')}`), 404, 'File not found'],
      [terminal.delete(`/files/delete${at('no')}`), 404, 'Path not found'],
      [terminal.post('/files/move', { source: 'no', destination: 'z' }), 404, 'Source path not found'],
      [terminal.post('/files/move', { source: 'a', destination: 'd' }), 409, 'Destination already exists'],
      [
        terminal.post('/files/move', { source: 'a', destination: 'e/f' }),
        400,
        'Destination parent directory not found',
      ],
      [terminal.post('/files/archive', { paths: ['no'] }), 404, 'Path not found'],
      [terminal.get(`/files/glob${at('a')}&pattern=*`), 404, 'Search directory not found'],
      [change([{ target: 'y', replacement: '' }]), 400, 'Target string not found'],
      [
        change([{ target: 'x', replacement: '' }]),
        400,
        'Found 2 occurrences of target string but allow_multiple is false',
      ],
    ]
    for (const [sent, status, detail] of cases) expect(await sent).toMatchObject({ status, body: { detail } })
  })

  it('for what would become too large', async () => {
    await write('a', 'x'.repeat(1000))
    const replacements = [{ target: 'x', replacement: 'y'.repeat(2000), allow_multiple: true }]
    expect((await terminal.post('/files/replace', { path: 'a', replacements })).status).toBe(413)
    expect((await write('b', 'x'.repeat(1024 * 1024 + 1))).status).toBe(422)
    expect((await write('b', 'x'.repeat(3 * 1024 * 1024))).status).toBe(413)
    expect((await terminal.post('/files/replace', { path: 'a', replacements: [{}] })).status).toBe(422)
  })
})

describe('the working directory of a conversation', () => {
  const inChat = (conversation: string) => ({ 'x-session-id': conversation })
  const go = (path: string, conversation = 'chat-1') =>
    terminal.send({ path: '/files/cwd', body: { path }, headers: inChat(conversation) })
  const cwd = async (conversation = 'chat-1') => {
    const headers = inChat(conversation)
    return (await terminal.send({ method: 'GET', path: '/files/cwd', headers })).body.cwd
  }

  it('is where the file panel is, and paths of models are from it', async () => {
    expect((await go(home)).body).toEqual({ cwd: home })
    await write('src/deep/a.py', 'x')
    expect((await go(`${home}/src/`)).body).toEqual({ cwd: `${home}/src` })
    expect([await cwd(), await cwd('chat-2'), await cwd('')]).toEqual([`${home}/src`, home, home])
    expect([await names(), await names('~'), await names('deep')]).toEqual([['deep'], ['src'], ['a.py']])
    expect((await write('deep/../b.txt', 'y')).body).toMatchObject({ path: `${home}/src/b.txt` })
    expect((await terminal.get('/files/glob?pattern=b*')).body).toMatchObject({ path: `${home}/src` })
    expect((await terminal.get(`/files/read${at('b.txt')}`)).body).toMatchObject({ content: 'y' })
    expect((await go(home)).body).toEqual({ cwd: home })
    expect(await cwd()).toBe(home)
  })

  it('is the home directory where there is none of that name, or no more', async () => {
    await write('src/a', 'x')
    expect((await go('no')).status).toBe(404)
    expect((await go('src/a')).status).toBe(404)
    expect((await go('/etc')).status).toBe(403)
    expect((await go('src', 'a b')).status).toBe(400)
    await go('src')
    await terminal.delete(`/files/delete${at('src')}`)
    expect(await cwd()).toBe(home)
  })

  it('is kept of sixteen conversations, and counts to the kept bytes', async () => {
    await write('src/a', 'x')
    for (let chat = 0; chat < 18; chat += 1) await go('src', `c${chat}`)
    await go('src', 'c5')
    expect([await cwd('c1'), await cwd('c2'), await cwd('c5'), await cwd('c17')]).toEqual([
      home,
      `${home}/src`,
      `${home}/src`,
      `${home}/src`,
    ])
    const { rows } = await sql<{ counted: number; there: number }>`
      select (select coalesce(sum(bytes), 0)::bigint from kept_byte_changes c where c.company_id = s.company_id
        and c.kind = 'sessions') + coalesce((select bytes from kept_bytes k where k.company_id = s.company_id
        and k.kind = 'sessions'), 0) as counted,
        (select sum(bytes)::bigint from kept_sources k where k.company_id = s.company_id and k.kind = 'sessions') as there
      from sessions s where s.api_key_id = ${door.id}
    `.execute(db)
    expect(rows[0]?.counted).toBe(rows[0]?.there)
  })
})

it('files are found by name', async () => {
  for (const path of ['a.py', 'src/b.py', 'src/c.js', 'src/deep/d.py']) await write(path, 'x')
  const found = async (query: string) => {
    const { body } = await terminal.get<{ matches: { path: string }[]; truncated: boolean }>(
      `/files/glob${query}`,
    )
    return [body.matches.map(({ path }) => path), body.truncated]
  }
  expect(await found('?pattern=*.py')).toEqual([['a.py', 'src/b.py', 'src/deep/d.py'], false])
  expect(await found('?pattern=*.py&max_results=1&path=src')).toEqual([['b.py'], true])
  expect(await found(`?pattern=*&type=directory&exclude=${encodeURIComponent("['deep', 'x']")}`)).toEqual([
    ['src'],
    false,
  ])
  const { body } = await terminal.get('/files/glob?pattern=c.*')
  expect(body).toEqual({
    pattern: 'c.*',
    path: home,
    matches: [{ path: 'src/c.js', type: 'file', size: 1 }],
    truncated: false,
  })
})
