import { expect, test } from 'vitest'
import { publicHub, pullSource } from './registries.ts'

const digest = `sha256:${'a'.repeat(64)}`
const settings = { registry: 'mirror.test:5000/all', registryIsMirror: false, publicRegistries: true }

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
  expect(pullSource('app', { ...settings, registry: 'none' })).toBe('no_registry')
  expect(pullSource('app', { ...closed, registry: undefined })).toBe('base_registry_forbidden')
  expect(pullSource(`${publicHub}/app`, closed)).toBe('base_registry_forbidden')
  expect(pullSource('curated/app', settings)).toBe('not_in_registries')
  expect(pullSource('localhost/app', settings)).toBe('not_in_registries')
})

test.each([
  ['python:3.12-slim', 'library/python', '3.12-slim'],
  ['team/app', 'team/app', 'latest'],
  [`${publicHub}/debian`, 'library/debian', 'latest'],
  [`index.${publicHub}/team/app:2`, 'team/app', '2'],
])('%s is at the public hub if the operator sets no registry', (name, path, tag) => {
  const repository = `${publicHub}/${path}`
  const source = { host: publicHub, repository, tag, pinned: undefined, isOwn: false }
  expect(pullSource(name, { ...settings, registry: undefined })).toEqual(source)
})

test('a mirror of the hub gets the names of the hub, by its paths, and no others', () => {
  const mirror = { ...settings, registryIsMirror: true, publicRegistries: false }
  const own = { host: 'mirror.test:5000', isOwn: true }
  for (const name of ['app', 'library/app', `${publicHub}/app`]) {
    expect(pullSource(name, mirror)).toMatchObject({
      ...own,
      repository: 'mirror.test:5000/all/library/app',
    })
  }
  expect(pullSource('team/app', mirror)).toMatchObject({ repository: 'mirror.test:5000/all/team/app' })
  expect(pullSource('mirror.test:5000/x', mirror)).toMatchObject({ repository: 'mirror.test:5000/x' })
  expect(pullSource('other.test/x', mirror)).toBe('base_registry_forbidden')
})

test('the hub as the operator’s registry has its own paths, and gets the login', () => {
  const source = pullSource('app', { ...settings, registry: publicHub })
  expect(source).toMatchObject({ repository: `${publicHub}/library/app`, isOwn: true })
})
