import { expect, test } from 'vitest'
import { pullSource } from './registries.ts'

const digest = `sha256:${'a'.repeat(64)}`
const settings = { registry: 'mirror.test:5000/all', publicRegistries: true }

test.each([
  ['app', 'mirror.test:5000', 'mirror.test:5000/all/app', 'latest', undefined],
  ['team/app:1.0', 'mirror.test:5000', 'mirror.test:5000/all/team/app', '1.0', undefined],
  [`app:1@${digest}`, 'mirror.test:5000', 'mirror.test:5000/all/app', '1', digest],
  ['mirror.test:5000/x:2', 'mirror.test:5000', 'mirror.test:5000/x', '2', undefined],
  ['other.test/a/b', 'other.test', 'other.test/a/b', 'latest', undefined],
  [`other.test:443/a@${digest}`, 'other.test:443', 'other.test:443/a', 'latest', digest],
])('%s resolves to its host', (...[name, host, repository, tag, pinned]) => {
  const isOwn = host === 'mirror.test:5000'
  expect(pullSource(name, settings)).toEqual({ host, repository, tag, pinned, isOwn })
})

test('a host with the operator’s host as a prefix is another host', () => {
  for (const name of ['mirror.test/x', 'mirror.test:5001/x', 'mirror.test:5000.other.test/x']) {
    expect(pullSource(name, settings), name).toMatchObject({ isOwn: false })
  }
})

test('names resolve to no registry that the operator does not allow', () => {
  const closed = { ...settings, publicRegistries: false }
  expect(pullSource('other.test/app', closed)).toBe('base_registry_forbidden')
  expect(pullSource('mirror.test:5000/app', closed)).toMatchObject({ isOwn: true })
  expect(pullSource('app', { registry: undefined, publicRegistries: true })).toBe('no_registry')
  expect(pullSource('curated/app', settings)).toBe('not_in_registries')
  expect(pullSource('localhost/app', settings)).toBe('not_in_registries')
})
