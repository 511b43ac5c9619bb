import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { installedPrograms, NativeProgramsRefused } from './installed.ts'
import { builtFolder } from './manifest.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-programs-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('installed programs are the built bytes and executable', async () => {
  const { spawner } = installedPrograms(folder, ['spawner'])
  expect(await readFile(spawner)).toEqual(await readFile(join(builtFolder, 'spawner')))
  expect((await stat(spawner)).mode & 0o777).toBe(0o755)
})

test('a program that was modified after an earlier start is written again', async () => {
  const { spawner } = installedPrograms(folder, ['spawner'])
  await appendFile(spawner, 'x')
  expect(installedPrograms(folder, ['spawner']).spawner).toBe(spawner)
  expect(await readFile(spawner)).toEqual(await readFile(join(builtFolder, 'spawner')))
})

test.each([
  ['a program is not the one that was built', 'spawner', (text: string) => `${text}x`],
  [
    'the sources are other ones',
    'manifest.json',
    (text: string) => text.replace(/"sources": "./, '"sources": "x'),
  ],
  ['there is no manifest', 'manifest.json', () => ''],
])('nothing is installed where %s', async (_what, file, change) => {
  const built = join(folder, 'built')
  await cp(builtFolder, built, { recursive: true })
  await writeFile(join(built, file), change(await readFile(join(built, file), 'latin1')), 'latin1')
  expect(() => installedPrograms(join(folder, 'installed'), ['spawner'], built)).toThrow(
    NativeProgramsRefused,
  )
  await expect(readdir(join(folder, 'installed')).catch(() => [])).resolves.toEqual([])
})
