import { expect, test } from 'vitest'
import { tar } from '../formats/archive-fixtures.ts'
import { decidingPaths, joinInventories } from './join-inventories.ts'
import { scanLayer, scanUpperLayer } from './scan-layer.ts'

/* The inventory of two layers is that of their tree as a whole. */

type Entry = Parameters<typeof tar>[number]

async function* chunksOf(entries: Entry[]) {
  yield tar(...entries)
}
const status = (...names: string[]) =>
  names.map((name) => `Package: ${name}\nStatus: install ok installed\nVersion: 1\n`).join('\n')
const module = (name: string) => JSON.stringify({ name, version: '1.0.0' })

const folder = (name: string): Entry => ({ name: `${name}/`, type: '5' })
const dpkg = (...names: string[]): Entry => ({ name: 'var/lib/dpkg/status', content: status(...names) })
const npm = (path: string, name: string): Entry => ({
  name: `${path}/node_modules/${name}/package.json`,
  content: module(name),
})
const setuid = (name: string): Entry => ({ name, content: 'x', mode: 0o4755 })

const base = [dpkg('one', 'two'), npm('app', 'left'), npm('other', 'left'), setuid('bin/su')]

async function joined(layer: Entry[]) {
  const image = await scanLayer(chunksOf(base))
  return joinInventories(image, await scanUpperLayer(chunksOf(layer), decidingPaths(image)))
}
const found = async (layer: Entry[]) => {
  const { packages, observations, truncated } = await joined(layer)
  return {
    packages: packages.map(({ name, paths }) => `${name} ${paths.length}`),
    observations: observations.map(({ path }) => path),
    truncated,
  }
}

test.each<[string, Entry[], { packages: string[]; observations: string[] }]>([
  ['that adds nothing', [folder('x')], { packages: ['one 1', 'two 1', 'left 2'], observations: ['bin/su'] }],
  [
    'that adds a package and a file',
    [npm('app', 'right'), setuid('bin/new')],
    { packages: ['one 1', 'two 1', 'left 2', 'right 1'], observations: ['bin/new', 'bin/su'] },
  ],
  [
    'that writes the database again',
    [dpkg('two', 'three')],
    { packages: ['three 1', 'two 1', 'left 2'], observations: ['bin/su'] },
  ],
  [
    'that hides a folder',
    [{ name: '.wh.app' }, { name: 'bin/.wh.su' }],
    { packages: ['one 1', 'two 1', 'left 1'], observations: [] },
  ],
  [
    'with a file in the place of a folder',
    [{ name: 'other', content: 'x' }],
    { packages: ['one 1', 'two 1', 'left 1'], observations: ['bin/su'] },
  ],
  [
    'that lists a folder again',
    [folder('app'), folder('bin'), folder('var')],
    { packages: ['one 1', 'two 1', 'left 2'], observations: ['bin/su'] },
  ],
])('a layer %s', async (_name, layer, expected) => {
  expect(await found(layer)).toEqual({ ...expected, truncated: false })
})

test('a package of which all known paths are hidden may be elsewhere, and the scan says so', async () => {
  const image = await scanLayer(chunksOf(Array.from({ length: 6 }, (_, at) => npm(`app${at}`, 'left'))))
  const layer = Array.from({ length: 5 }, (_, at) => ({ name: `.wh.app${at}` }))
  const whole = joinInventories(image, await scanUpperLayer(chunksOf(layer), decidingPaths(image)))
  expect([whole.packages, whole.truncated]).toEqual([[], true])
})
