import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountOf, asAccount } from '../../../postgres/account.ts'
import { readableProgram } from './program-copy.ts'

const account = accountOf('sandbox-jobs')
let folder: string
let checkout: string
let programs: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-program-'))
  await chmod(folder, 0o711)
  checkout = join(folder, 'closed/checkout')
  programs = join(folder, 'program')
  await mkdir(programs)
  for (const name of [
    'agent',
    'kubernetes',
    'reader',
    'contract',
    'server',
    'cli',
    'client',
    'node_modules/left/deep',
    'node_modules/dev-only',
    'node_modules/@sandbox-jobs',
  ]) {
    await mkdir(join(checkout, name), { recursive: true })
  }
  await writeFile(join(checkout, 'package.json'), '{"type":"module"}')
  await writeFile(join(checkout, 'LICENSE'), '')
  const packages = { 'node_modules/left': {}, 'node_modules/dev-only': { dev: true }, contract: {} }
  await writeFile(join(checkout, 'package-lock.json'), JSON.stringify({ packages }))
  await writeFile(join(checkout, 'server/main.ts'), `console.log('seven' satisfies string)`)
  await writeFile(join(checkout, 'node_modules/left/deep/index.js'), '')
  await symlink('../../contract', join(checkout, 'node_modules/@sandbox-jobs/contract'))
  await chmod(join(folder, 'closed'), 0o700)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a checkout that the service user cannot enter is copied, and runs from there', async () => {
  const program = readableProgram(checkout, programs, account)
  expect(program.root.startsWith(programs)).toBe(true)
  const [command = '', ...args] = asAccount(account, [program.node, join(program.root, 'server/main.ts')])
  expect(execFileSync(command, args, { encoding: 'utf8' })).toBe('seven\n')
  expect((await readdir(join(program.root, 'node_modules'))).sort()).toEqual(['@sandbox-jobs', 'left'])
})

test('a changed program gets a new copy, and the former one stays', async () => {
  const first = readableProgram(checkout, programs, account)
  expect(readableProgram(checkout, programs, account)).toEqual(first)
  await writeFile(join(checkout, 'server/main.ts'), `console.log('eight')`)
  const second = readableProgram(checkout, programs, account)
  expect(second.root).not.toBe(first.root)
  expect((await readdir(programs)).toSorted()).toEqual(
    [first, second].map(({ root }) => basename(root)).toSorted(),
  )
})

test('a checkout that the service user can read is used as it is', async () => {
  const open = join(folder, 'open')
  cpSync(checkout, open, { recursive: true, verbatimSymlinks: true })
  // The Node that runs this test may be readable only by root.
  const node = '/bin/sh'
  expect(readableProgram(open, programs, account, node).root).toBe(open)
  await chmod(join(open, 'server/main.ts'), 0o600)
  expect(readableProgram(open, programs, account, node).root).not.toBe(open)
})
