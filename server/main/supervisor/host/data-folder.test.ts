import {
  chmodSync,
  chownSync,
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
import { openDataFolder, prepareDataFolder } from './data-folder.ts'
import { serviceAccounts } from './service-accounts.ts'

const accounts = serviceAccounts(readConfig({}))
const { api, worker, postgres, shared } = accounts
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

/** A data folder as older versions made it, with one user for everything. */
function makeOlder() {
  const make = (name: string, mode: number) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeOwned(join(root, name), mode)
  }
  mkdirSync(root)
  for (const name of ['root.key', 'token-signing.pem', 'image-signing/signing.pem', 'image-signing/present'])
    make(`keys/${name}`, 0o600)
  make(`keys/image-signing/trusted/${'a'.repeat(64)}.pem`, 0o600)
  make('objects/objects/runs/output', 0o600)
  make('postgres/cluster/PG_VERSION', 0o600)
  for (const name of [
    'keys',
    'keys/image-signing',
    'keys/image-signing/trusted',
    'objects',
    'objects/objects',
  ]) {
    chownSync(join(root, name), shared.uid, shared.gid)
    chmodSync(join(root, name), 0o700)
  }
  chownSync(join(root, 'objects/objects/runs'), shared.uid, shared.gid)
  chownSync(join(root, 'postgres/cluster'), shared.uid, shared.gid)
}

function writeOwned(path: string, mode: number) {
  writeFileSync(path, path)
  chmodSync(path, mode)
  chownSync(path, shared.uid, shared.gid)
}

test('files of the single user of an older version go to the accounts that need them', () => {
  makeOlder()
  for (let time = 0; time < 2; time += 1) prepareDataFolder(root, accounts)
  expect(ownerOf('keys/api/root.key')).toEqual(of(api, '600'))
  expect(ownerOf('keys/api/token-signing.pem')).toEqual(of(api, '600'))
  expect(readFileSync(join(root, 'keys/api/root.key'), 'utf8')).toBe(join(root, 'keys/root.key'))
  expect(ownerOf('keys/image-signing/signing.pem')).toEqual(of(worker, '600'))
  expect(ownerOf('keys/image-signing/present')).toEqual(of(worker, '644'))
  expect(ownerOf('keys/image-signing/trusted')).toEqual(of(worker, '755'))
  expect(ownerOf(`keys/image-signing/trusted/${'a'.repeat(64)}.pem`)).toEqual(of(worker, '644'))
  expect(ownerOf('objects/objects/runs')).toMatchObject({ gid: shared.gid, mode: '2770' })
  expect(ownerOf('objects/objects/runs/output')).toMatchObject({ gid: shared.gid, mode: '660' })
  expect(ownerOf('postgres/cluster')).toMatchObject({ uid: postgres.uid })
  expect(ownerOf('postgres/cluster/PG_VERSION')).toMatchObject({ uid: postgres.uid })
})

test('no link of that user redirects root to a foreign file', () => {
  makeOlder()
  const precious = join(parent, 'precious')
  mkdirSync(precious, { mode: 0o700 })
  writeFileSync(join(precious, 'secret'), 'of root', { mode: 0o600 })
  for (const folder of ['keys', 'keys/image-signing/trusted', 'objects/objects', 'postgres/cluster']) {
    symlinkSync(precious, join(root, folder, 'way'))
    linkSync(join(precious, 'secret'), join(root, folder, 'name'))
  }
  symlinkSync(join(precious, 'secret'), join(root, 'keys/transit-rsa.pem'))
  prepareDataFolder(root, accounts)
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

test('a data folder below one that the service users cannot enter is refused', async () => {
  await chmod(parent, 0o700)
  expect(() => openDataFolder(root, accounts)).toThrow(unusable(parent))
})
