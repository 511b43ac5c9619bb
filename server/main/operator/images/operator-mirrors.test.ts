import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  addPackageMirror,
  type MirrorRequest,
  readPackageMirrors,
  removePackageMirror,
} from './operator-mirrors.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-mirrors-'))
  vi.stubEnv('SANDBOX_DATA', folder)
  await writeFile(join(folder, 'login'), 'user:password\n')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const add = (url: string, change: Partial<MirrorRequest> = {}) =>
  addPackageMirror({ kind: 'pypi', url, ...change })
const names = async () => {
  const found = await readPackageMirrors()
  return found.ok ? found.value.map(({ name, url, inner }) => [name, url, inner]) : found
}

test('a mirror is declared, replaced and removed, in a file of root', async () => {
  expect(await add('https://10.0.0.5/simple/', { loginFile: join(folder, 'login') })).toMatchObject({
    ok: true,
  })
  await add('http://8.8.8.8/debian', { kind: 'apt', archive: 'debian' })
  await add('http://[fd00::5]:8080/sec', { kind: 'apt', archive: 'debian-security' })
  await add('https://10.0.0.6/other')
  expect(await names()).toEqual([
    ['apt/debian', 'http://8.8.8.8/debian', false],
    ['apt/debian-security', 'http://[fd00::5]:8080/sec', true],
    ['pypi', 'https://10.0.0.6/other', true],
  ])
  const { mode, uid } = await stat(join(folder, 'agent/mirrors.json'))
  expect([mode & 0o777, uid]).toEqual([0o600, 0])
  expect(await removePackageMirror('pypi')).toEqual({ ok: true, value: true })
  expect(await removePackageMirror('pypi')).toEqual({ ok: true, value: false })
  expect(await names()).toHaveLength(2)
})

test.each<[string, string, Partial<MirrorRequest>]>([
  ['another protocol', 'ftp://10.0.0.5/x', {}],
  ['a login in the address', 'https://a:b@10.0.0.5/x', {}],
  ['a query', 'https://10.0.0.5/x?y', {}],
  ['a path that a Dockerfile would expand', 'https://10.0.0.5/$HOME', {}],
  ['this machine', 'https://127.0.0.1/x', {}],
  ['a metadata service', 'http://169.254.169.254/latest', {}],
  ['another metadata service', 'http://100.100.100.200/latest', {}],
  ['the links of sandboxes', 'http://198.18.0.1/x', {}],
  ['a name without address', 'https://absent.invalid/x', {}],
  ['an unknown kind', 'https://10.0.0.5/x', { kind: 'rpm' as 'npm' }],
  ['an archive for pip', 'https://10.0.0.5/x', { archive: 'debian' }],
  ['a login without HTTPS', 'http://10.0.0.5/x', { loginFile: '/dev/null' }],
  ['a login file that is none', 'https://10.0.0.5/x', { loginFile: '/dev/null' }],
  ['an authority that is none', 'https://10.0.0.5/x', { caFile: '/dev/null' }],
])('%s is refused', async (_what, url, change) => {
  const before = await names()
  expect(await add(url, change)).toMatchObject({ ok: false, cause: 'request' })
  expect(await names()).toEqual(before)
})
