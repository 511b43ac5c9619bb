import { expect, test } from 'vitest'
import { namespaceManifests } from './namespace-manifests.ts'

const gateway = { address: '10.0.0.5', port: 7443, authority: '' }
const { items } = namespaceManifests('runs', { gateway, resolvers: [] })
const named = (kind: string) =>
  items.flatMap((item) => ('kind' in item && item.kind === kind ? [item.metadata.name] : []))

test('both accounts get no token by themselves, and only that of workers has rights', () => {
  expect(named('ServiceAccount')).toEqual(['sandbox-runner', 'sandbox-worker'])
  expect(items.filter((item) => item.kind === 'ServiceAccount')).toMatchObject([
    { automountServiceAccountToken: false },
    { automountServiceAccountToken: false },
  ])
  expect(items.filter((item) => item.kind === 'RoleBinding')).toMatchObject([
    { subjects: [{ name: 'sandbox-worker', namespace: 'runs' }] },
  ])
  expect(items.filter((item) => item.kind === 'Role')).toMatchObject([
    {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] }],
    },
  ])
})

test('everything is in the namespace', () => {
  expect(new Set(items.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['runs']))
})
