import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../../base/config/config.ts'
import { exitCodes } from '../service-problem.ts'
import { openDataFolder, prepareDataFolder, shareRestored } from './data-folder.ts'
import { serviceAccounts } from './service-accounts.ts'

const accounts = serviceAccounts(readConfig({}))
const { api, worker, shared } = accounts
const unusable = (message: string) =>
  expect.objectContaining({ exitCode: exitCodes.dataFolder, message: expect.stringContaining(message) })

let parent: string
let root: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sandbox-data-'))
  await chmod(parent, 0o755)
  root = join(parent, 'data')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const ownerOf = (name: string) => {
  const { uid, gid, mode } = lstatSync(join(root, name))
  return { uid, gid, mode: (mode & 0o7777).toString(8) }
}
const ofRoot = (mode: string) => ({ uid: 0, gid: 0, mode })
const of = ({ uid, gid }: { uid: number; gid: number }, mode: string) => ({ uid, gid, mode })

test('each folder is accessible only to the accounts that need it, also on the second start', async () => {
  openDataFolder(root, accounts)
  prepareDataFolder(root, accounts)
  await chmod(join(root, 'keys/api'), 0o777)
  prepareDataFolder(root, accounts)
  expect(ownerOf('keys')).toEqual(ofRoot('711'))
  expect(ownerOf('keys/api')).toEqual(of(api, '700'))
  expect(ownerOf('keys/image-signing')).toEqual(of(worker, '711'))
  expect(ownerOf('objects')).toEqual({ uid: worker.uid, gid: shared.gid, mode: '2770' })
  expect(ownerOf('agent')).toEqual(ofRoot('700'))
})

test('the operator console reads the logs, and no longer once it is off', () => {
  const operator = api
  openDataFolder(root, { ...accounts, operator: undefined })
  prepareDataFolder(root, { ...accounts, operator: undefined })
  expect(ownerOf('logs')).toEqual(ofRoot('2750'))
  writeFileSync(join(root, 'logs/api.log'), '', { mode: 0o640 })
  prepareDataFolder(root, { ...accounts, operator })
  writeFileSync(join(root, 'logs/worker.log'), '', { mode: 0o640 })
  expect(ownerOf('logs')).toEqual({ uid: 0, gid: operator.gid, mode: '2750' })
  for (const name of ['logs/api.log', 'logs/worker.log'])
    expect(ownerOf(name)).toEqual({ uid: 0, gid: operator.gid, mode: '640' })
  prepareDataFolder(root, { ...accounts, operator: undefined })
  expect(ownerOf('logs/api.log')).toEqual(ofRoot('640'))
})

/** A new data folder with files as a restore writes them: for the shared account. */
function makeRestored() {
  openDataFolder(root, accounts)
  prepareDataFolder(root, accounts)
  const make = (name: string, mode: number) => {
    const path = join(root, name)
    for (const folder of missingFolders(dirname(path))) {
      mkdirSync(folder, { mode: 0o700 })
      chownSync(folder, shared.uid, shared.gid)
    }
    writeFileSync(path, path)
    chmodSync(path, mode)
    chownSync(path, shared.uid, shared.gid)
  }
  for (const name of ['api/root.key', 'image-signing/signing.pem', 'image-signing/present', 'secrets/1.key'])
    make(`keys/${name}`, 0o600)
  make(`keys/image-signing/trusted/${'a'.repeat(64)}.pem`, 0o600)
  make('objects/objects/runs/output', 0o600)
}

const missingFolders = (path: string): string[] =>
  existsSync(path) ? [] : [...missingFolders(dirname(path)), path]

test('restored files go to the accounts that need them', () => {
  makeRestored()
  for (let time = 0; time < 2; time += 1) shareRestored(root, accounts)
  expect(ownerOf('keys/api/root.key')).toEqual(of(api, '600'))
  expect(readFileSync(join(root, 'keys/api/root.key'), 'utf8')).toBe(join(root, 'keys/api/root.key'))
  expect(ownerOf('keys/image-signing/signing.pem')).toEqual(of(worker, '600'))
  expect(ownerOf('keys/image-signing/present')).toEqual(of(worker, '644'))
  expect(ownerOf('keys/image-signing/trusted')).toEqual(of(worker, '755'))
  expect(ownerOf(`keys/image-signing/trusted/${'a'.repeat(64)}.pem`)).toEqual(of(worker, '644'))
  expect(ownerOf('keys/secrets/1.key')).toEqual({ uid: worker.uid, gid: shared.gid, mode: '640' })
  expect(ownerOf('objects/objects/runs')).toMatchObject({ gid: shared.gid, mode: '2770' })
  expect(ownerOf('objects/objects/runs/output')).toMatchObject({ gid: shared.gid, mode: '660' })
})

test('no link of that account redirects root to a foreign file', () => {
  makeRestored()
  const precious = join(parent, 'precious')
  mkdirSync(precious, { mode: 0o700 })
  writeFileSync(join(precious, 'secret'), 'of root', { mode: 0o600 })
  for (const folder of ['keys/api', 'keys/image-signing/trusted', 'objects/objects']) {
    symlinkSync(precious, join(root, folder, 'way'))
    linkSync(join(precious, 'secret'), join(root, folder, 'name'))
  }
  symlinkSync(join(precious, 'secret'), join(root, 'keys/api/transit-rsa.pem'))
  shareRestored(root, accounts)
  for (const path of [precious, join(precious, 'secret')]) {
    expect(statSync(path)).toMatchObject({ uid: 0, gid: 0 })
    expect(statSync(path).mode & 0o077).toBe(0)
  }
})

test('a link instead of a folder is refused', async () => {
  await mkdir(root)
  await symlink('/etc', join(root, 'objects'))
  expect(() => prepareDataFolder(root, accounts)).toThrow(unusable('not a link'))
})

test('a file instead of the data folder is refused', async () => {
  await writeFile(root, '')
  expect(() => openDataFolder(root, accounts)).toThrow(unusable(root))
})

test.each(['a b', 'a:b', '$LIB'])('a data folder `%s` is refused, and nothing is made', (name) => {
  const path = join(parent, name)
  expect(() => openDataFolder(path, accounts)).toThrow(unusable('SANDBOX_DATA'))
  expect(existsSync(path)).toBe(false)
})

test('a data folder below one that the service users cannot enter is refused', async () => {
  await chmod(parent, 0o700)
  expect(() => openDataFolder(root, accounts)).toThrow(unusable(parent))
})
