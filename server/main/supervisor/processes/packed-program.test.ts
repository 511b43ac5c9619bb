import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitCodes } from '../service-problem.ts'
import { packedProgram } from './packed-program.ts'

const checkout = resolve(import.meta.dirname, '../../../..')
let folder: string
let program: { root: string; node: string }
let packed: string
/** The packed program: packing takes seconds. */
let found: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-packed-'))
  packed = join(folder, 'packed')
  await mkdir(packed)
  program = { root: join(folder, 'checkout'), node: process.execPath }
  for (const path of [
    'agent',
    'kubernetes',
    'reader',
    'contract',
    'server',
    'cli',
    'client',
    'package.json',
    'package-lock.json',
    'LICENSE',
  ]) {
    cpSync(join(checkout, path), join(program.root, path), { recursive: true })
  }
  await mkdir(join(program.root, 'console/dist'), { recursive: true })
  await writeFile(join(program.root, 'console/dist/index.html'), '<!doctype html>')
  await symlink(join(checkout, 'node_modules'), join(program.root, 'node_modules'))
  found = packedProgram(program, packed)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a packed role needs no package', async () => {
  await rm(join(program.root, 'node_modules'))
  const { status, stdout } = spawnSync(program.node, [join(found, 'api.mjs')], { env: {}, encoding: 'utf8' })
  await symlink(join(checkout, 'node_modules'), join(program.root, 'node_modules'))
  expect(stdout).toContain('no database')
  expect(status).toBe(exitCodes.configuration)
})

test('the command for other machines is beside the roles', () => {
  const command = join(found, 'sandbox')
  const { status, stdout } = spawnSync(command, ['--help'], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: sandbox')])
})

test('the typed client is beside the roles, as an npm package', async () => {
  const archive = join(found, 'client.tgz')
  const { stdout } = spawnSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' })
  expect(JSON.parse(stdout)).toMatchObject({ name: '@sandbox-jobs/client' })
})

test('the script of /docs is beside the roles', async () => {
  expect(await readFile(join(found, 'docs-page.js'), 'utf8')).toContain('openapi.json')
})

test('the built console is beside the roles', async () => {
  expect(await readFile(join(found, 'console/index.html'), 'utf8')).toBe('<!doctype html>')
})

test('a module finds its adjacent files in the program folder, and programs that it starts in the packed folder', async () => {
  const files = (await readdir(found, { withFileTypes: true })).filter((entry) => entry.isFile())
  const texts = await Promise.all(files.map(({ name }) => readFile(join(found, name), 'utf8')))
  const all = texts.join('\n')
  expect(all).toContain(JSON.stringify(join(program.root, 'server/native-programs')))
  expect(all).toContain('new URL("./reader-main.mjs", import.meta.url)')
  expect(await readdir(found)).toEqual(expect.arrayContaining(['reader-main.mjs', 'schema-worker.mjs']))
})

test('a program is packed once, and again when it has changed; processes of the former one keep it', async () => {
  expect(packedProgram(program, packed)).toBe(found)
  await appendFile(join(program.root, 'server/main/api.ts'), '\nconsole.log(1)\n')
  expect(packedProgram(program, packed)).not.toBe(found)
  expect(await readdir(packed)).toHaveLength(2)
})

test('a missing package is named, with the remedy', async () => {
  await appendFile(join(program.root, 'server/main/api.ts'), '\nconsole.log(2)\n')
  await rm(join(program.root, 'node_modules'))
  expect(() => packedProgram(program, packed)).toThrow(
    expect.objectContaining({ exitCode: exitCodes.toolMissing, message: expect.stringContaining('npm ci') }),
  )
})
