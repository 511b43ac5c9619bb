import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountOf } from '../../postgres/account.ts'
import { prepareDataFolder } from './data-folder.ts'
import { exitCodes } from './service-problem.ts'

const account = accountOf('sandbox-jobs')
const unusable = (message: string) =>
  expect.objectContaining({ exitCode: exitCodes.dataFolder, message: expect.stringContaining(message) })

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sandbox-data-'))
  await chmod(parent, 0o755)
})
afterEach(() => rm(parent, { recursive: true, force: true }))

test('what the service owns, shares and may not enter have their owners and modes, also the second time', async () => {
  const root = join(parent, 'data')
  prepareDataFolder(root, account)
  await chmod(join(root, 'keys'), 0o777)
  prepareDataFolder(root, account)
  const keys = await stat(join(root, 'keys'))
  expect(keys.mode & 0o777).toBe(0o700)
  expect(keys.uid).toBe(account?.uid)
  const agent = await stat(join(root, 'agent'))
  expect(agent.mode & 0o777).toBe(0o700)
  expect(agent.uid).toBe(0)
})

test('a link in the place of a folder is refused', async () => {
  const root = join(parent, 'data')
  await mkdir(root)
  await symlink('/etc', join(root, 'objects'))
  expect(() => prepareDataFolder(root, account)).toThrow(unusable('not a link'))
})

test('a file in the place of the data folder is refused', async () => {
  const root = join(parent, 'data')
  await writeFile(root, '')
  expect(() => prepareDataFolder(root, account)).toThrow(unusable(root))
})

test('a data folder below one that the service user cannot enter is refused', async () => {
  await chmod(parent, 0o700)
  expect(() => prepareDataFolder(join(parent, 'data'), account)).toThrow(unusable(parent))
})
