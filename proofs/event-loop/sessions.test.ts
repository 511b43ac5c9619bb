import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { slicesOf } from '../../server/fairness/loop-slices.ts'
import { pointToTree, type SessionRow } from '../../server/sessions/catalogue/session-store.ts'
import { byteSizeOf, type TreeEntry, type TreeFile, treeOf } from '../../server/sessions/trees/tree.ts'
import { insertTree } from '../../server/sessions/trees/tree-store.ts'
import { decodeTree, encodeTree } from '../../server/sessions/trees/tree-text.ts'
import { multipartEnd, multipartHeaders, partOf } from '../../testing/apps/multipart.ts'
import { DoorSteps } from '../../testing/apps/steps/door-steps.ts'
import { TerminalSteps } from '../../testing/apps/steps/terminal-steps.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import {
  asNewcomer,
  boundOfNewcomersMs,
  drain,
  expectUnnoticed,
  listening,
  overConnection,
} from './beside-reader.ts'
import type { Loop } from './loops.ts'

/* The longest requests on the files of a session, many at once. */

const { db } = await createTestDatabase()
const api = new TestApi(db, { deployment: 'hosted' })
const steps = new DoorSteps(api)
let door: DoorWithKey
let tenant: Tenant
const terminal = new TerminalSteps(steps, () => door)
let origin: string
let read: () => Promise<unknown>
let readAsNewcomer: () => Promise<unknown>

beforeAll(async () => {
  tenant = await makeTenant(db)
  const { member } = await makeTenant(db)
  origin = await listening(api)
  read = () => overConnection(origin)(allRoutes.listProfiles.path, member)
  readAsNewcomer = () => asNewcomer(origin)(allRoutes.listProfiles.path, member)
  const { id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  door = await steps.create(tenant.roomManager, tenant.roomId, {
    name: 'terminal',
    kind: 'open_terminal',
    runtimes: [{ language: 'bash', environment_version_id: id }],
  })
})

/** Gives a user of the door a session with these entries. Files have the bytes of one that exists. */
async function fill(user: string, entriesOf: (file: TreeFile) => TreeEntry[]): Promise<void> {
  const written = await terminal.post('/files/write', { path: 'first', content: 'x' }, user)
  expect(written.status).toBe(200)
  const session: SessionRow = await db
    .selectFrom('sessions')
    .selectAll()
    .where('company_id', '=', tenant.companyId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const { content } = await db
    .selectFrom('session_trees')
    .select('content')
    .where('company_id', '=', tenant.companyId)
    .where('id', '=', session.tree_id ?? '')
    .executeTakeFirstOrThrow()
  const slice = slicesOf(tenant.companyId)
  const file = (await decodeTree(content, slice)).get('first') as TreeFile
  const tree = treeOf(entriesOf(file))
  await db.transaction().execute(async (trx) => {
    const stored = { content: await encodeTree(tree, slice), packs: [file.pack] }
    const id = await insertTree(trx, tenant.companyId, stored)
    await pointToTree(trx, session, { id, byteSize: byteSizeOf(tree), fileCount: tree.size })
  })
}

const numbered = (at: number) => String(at).padStart(5, '0')

const longNames = (file: TreeFile): TreeEntry[] => {
  const parts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(250))
  const folders = parts.slice(0, 3).map((_, at) => parts.slice(0, at + 1).join('/'))
  return [
    ...folders.map((path) => ({ kind: 'folder', path, mode: 0o755, modifiedAt: 1_600_000_000 }) as const),
    ...Array.from({ length: 4100 }, (_, at) => ({
      ...file,
      path: `${folders[2]}/${'d'.repeat(240)}${numbered(at)}`,
    })),
  ]
}

const manyPath = (at: number): string => `f/${'n'.repeat(190)}${numbered(at)}`
const manyFiles = (file: TreeFile): TreeEntry[] => [
  { kind: 'folder', path: 'f', mode: 0o755, modifiedAt: 1_600_000_000 },
  ...Array.from({ length: 19_900 }, (_, at) => ({ ...file, path: manyPath(at) })),
]

const many = (count: number, ask: (at: number) => Promise<{ status: number }>) => async () => {
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => ask(at)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 200))
}

const set = (count: number) =>
  `[${Array.from({ length: count }, (_, at) => String.fromCharCode(0x100 + at)).join('')}]`

const upload = (name: string, content: string) =>
  terminal.send({ path: '/files/upload?directory=.', parts: [{ part: 'file', name, content }] }, 'texts')

const glob = (user: string, pattern: string, exclude: string[] = []) => {
  const parameters = new URLSearchParams({ pattern })
  for (const one of exclude) parameters.append('exclude', one)
  return terminal.get(`/files/glob?${parameters}`, user)
}
/** Asks for long answers. */
const drained = (path: string, asked: { method?: string; body?: string } = {}) =>
  drain(`${origin}/doors/open_terminal${path}`, {
    ...asked,
    headers: {
      authorization: `Bearer ${door.door_key}`,
      'x-user-id': 'many',
      'content-type': 'application/json',
    },
  })
const archive = (paths: string[]) =>
  drained('/files/archive', { method: 'POST', body: JSON.stringify({ paths }) })
const list = () => drained('/files/list?directory=f')
const replacement = { target: 'ba', replacement: 'ba', start_line: 1, end_line: 1, allow_multiple: true }
const replacements = Array.from({ length: 64 }, () => replacement)

describe('of the files of a session', () => {
  beforeAll(async () => {
    await fill('long', longNames)
    await fill('many', manyFiles)
    await upload('lines', '\n'.repeat(1024 * 1024))
    await upload('text', 'ab'.repeat(90_000))
  })

  it.each<[Loop, string, () => Promise<{ status: number }>]>([
    ['glob of a terminal', 'a glob with a set', () => glob('long', `*${set(250)}`)],
    ['glob of a terminal', 'a glob with many stars', () => glob('many', `${'*n'.repeat(120)}x`)],
    ['glob of a terminal', 'a glob with exclusions', () => glob('many', '*', Array(16).fill('*n*n*n*x'))],
    ['lists, moves and deletions', 'a list of one folder', list],
    [
      'trees of sessions',
      'one of many files',
      () => terminal.get(`/files/display?path=${manyPath(0)}`, 'many'),
    ],
    ['lines of a file', 'a file of empty lines', () => terminal.get('/files/read?path=lines', 'texts')],
    ['zips', 'a hundred files in a zip', () => archive(Array.from({ length: 100 }, (_, at) => manyPath(at)))],
  ])('%s: others do not notice %s', async (_loop, _name, ask) => {
    await expectUnnoticed(many(3, ask), read)
  })

  it.each<[Loop, string, () => Promise<{ status: number }>]>([
    ['glob of a terminal', 'a glob with a set', () => glob('long', `*${set(250)}`)],
    ['lists, moves and deletions', 'a list of one folder', list],
    ['zips', 'a large one', () => archive(['f'])],
  ])('%s: newcomers are accepted beside %s', async (_loop, _name, ask) => {
    await expectUnnoticed(many(3, ask), readAsNewcomer, boundOfNewcomersMs)
  })

  it.each<[Loop, string]>([['replacements', 'many of them']])('%s: others do not notice %s', async () => {
    await expectUnnoticed(
      many(1, () => terminal.post('/files/replace', { path: 'text', replacements }, 'texts')),
      read,
    )
  })

  it.each<[Loop, string]>([['multipart bodies', 'an upload of what looks like its boundary']])(
    '%s: others do not notice %s',
    async () => {
      const content = '\r\n--limi'.repeat(1_000_000)
      const body = Buffer.concat([partOf({ content }), multipartEnd])
      const headers = { ...multipartHeaders, authorization: `Bearer ${door.door_key}`, 'x-user-id': 'texts' }
      const send = () =>
        drain(`${origin}/doors/open_terminal/files/upload?directory=.`, { method: 'POST', headers, body })
      await expectUnnoticed(many(2, send), read)
    },
  )

  it.each<[Loop, string]>([['lists, moves and deletions', 'a folder that is moved']])(
    '%s: others do not notice %s',
    async () => {
      await fill('moved', manyFiles)
      let [source, destination] = ['f', 'g']
      const move = async () => {
        const moved = await terminal.post('/files/move', { source, destination }, 'moved')
        ;[source, destination] = [destination, source]
        return moved
      }
      await expectUnnoticed(many(1, move), read)
    },
  )

  it.each<[Loop, string]>([['lists, moves and deletions', 'files that are deleted']])(
    '%s: others do not notice %s',
    async () => {
      await fill('deleted', manyFiles)
      let at = 0
      const remove = () => {
        at += 1
        return terminal.delete(`/files/delete?path=${manyPath(at)}`, 'deleted')
      }
      await expectUnnoticed(many(1, remove), read)
    },
  )

  it.each<[Loop, string]>([['zips', 'many large ones']])('%s: others do not notice %s', async () => {
    await expectUnnoticed(
      many(10, () => archive(['f'])),
      read,
    )
  })
})
