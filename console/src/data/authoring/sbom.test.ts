import { expect, test } from 'vitest'
import { readSbom } from './sbom.ts'

const library = { type: 'library', version: '1' }

test('packages are sorted by name, with their group and their package manager', () => {
  const { packages } = readSbom({
    components: [
      { type: 'operating-system', name: 'debian', version: '12' },
      { ...library, name: 'zlib', purl: 'pkg:deb/debian/zlib@1' },
      { ...library, group: '@types', name: 'node', purl: 'pkg:npm/%40types/node@1' },
    ],
  })
  expect(packages).toEqual([
    { kind: 'npm', name: '@types/node', version: '1' },
    { kind: 'deb', name: 'zlib', version: '1' },
  ])
})

test('a list that a limit has cut says so', () => {
  expect(readSbom({ compositions: [{ aggregate: 'unknown' }] }).isComplete).toBe(true)
  expect(readSbom({ compositions: [{ aggregate: 'incomplete' }] }).isComplete).toBe(false)
})
