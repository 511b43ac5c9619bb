import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { networkPolicies } from './network-policies.ts'
import type { PodSettings } from './pod-settings.ts'
import { podName, runPod } from './run-pod.ts'

const mib = 1024 ** 2
const digest = `sha256:${'a'.repeat(64)}`
const image = `registry.example.org/images@${digest}`

const settings: PodSettings = {
  executor: 'exec_1',
  collectorImage: `registry.example.org/collector@sha256:${'c'.repeat(64)}`,
  boundary: { kind: 'user_namespace' },
  gateway: { address: '10.1.2.3', port: 7443, authority: 'CERTIFICATE' },
  canaryPort: 7444,
  resolvers: ['10.1.2.4'],
}

const spec: SandboxSpec = {
  id: 'run_0192_1',
  claimedAt: '2026-01-01T00:00:00.000Z',
  rootfs: { kind: 'image', digest },
  argv: ['tenant-program', 'tenant-argument'],
  env: { TENANT_NAME: 'tenant-value' },
  user: { uid: 1000, gid: 1000 },
  hostname: 'tenant-host',
  runtime: 'crun',
  confinement: 'job',
  network: 'none',
  limits: {
    timeoutMs: 30_500,
    memoryBytes: 1280 * mib,
    workspaceBytes: 512 * mib,
    workspaceKind: 'memory',
    workspaceInodes: 65_536,
    vcpu: 1,
    pids: 256,
    openFiles: 1024,
    logBytes: mib,
  },
  collect: { files: [{ name: 'tenant-file', path: '/workspace/tenant-path', maxBytes: mib }] },
  owner: 4242,
}

const publicNetwork = { egressCapBytes: mib }
const golden = (name: string) => join(import.meta.dirname, 'golden', `${name}.json.golden`)
const text = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`

test.each<[string, Partial<SandboxSpec>, Partial<PodSettings>]>([
  ['user-namespace', {}, {}],
  [
    'runtime-class',
    { runtime: 'runsc', user: { uid: 0, gid: 0 } },
    { boundary: { kind: 'runtime_class', name: 'gvisor' } },
  ],
  ['public', { network: publicNetwork }, { priorityClass: 'sandbox-runs' }],
  [
    'service',
    { network: { ...publicNetwork, service: true, allow: { names: [], ranges: [] } } },
    { boundary: { kind: 'none' } },
  ],
])('the manifest of %s', async (name, ofSpec, ofSettings) => {
  const pod = runPod({ ...spec, ...ofSpec }, image, { ...settings, ...ofSettings })
  await expect(text(pod)).toMatchFileSnapshot(golden(name))
})

test('nothing of a tenant is in a manifest', () => {
  const pod = runPod({ ...spec, network: publicNetwork }, image, settings)
  expect(text(pod)).not.toMatch(/tenant/i)
})

test.each<[string, string, Partial<SandboxSpec>, Partial<PodSettings>]>([
  ['builds', 'builder_missing', { rootfs: { kind: 'builder' } }, {}],
  ['the rights of builds', 'builder_missing', { confinement: 'build' }, {}],
  ['a workspace on the disk', 'workspace_disk', { limits: { ...spec.limits, workspaceKind: 'disk' } }, {}],
  ['gVisor without a runtime class', 'runtime_missing', { runtime: 'runsc' }, {}],
  ['user 0 on the kernel of the node', 'host', { user: { uid: 0, gid: 0 } }, { boundary: { kind: 'none' } }],
  [
    'an allow list',
    'network_list',
    { network: { ...publicNetwork, allow: { names: ['example.org'], ranges: [] } } },
    {},
  ],
  ['a network of builds', 'network_off', { network: { ...publicNetwork, recorded: true } }, {}],
  ['a registry', 'network_off', { network: { ...publicNetwork, registry: true } }, {}],
  ['a network without resolvers', 'network_off', { network: publicNetwork }, { resolvers: [] }],
])('%s is refused as %s', (_what, slug, ofSpec, ofSettings) => {
  expect(() => runPod({ ...spec, ...ofSpec }, image, { ...settings, ...ofSettings })).toThrow(
    expect.objectContaining({ slug }),
  )
})

test.each(['', '_run', 'run_', 'run-1', 'Run', 'run/1', 'a'.repeat(64)])('%j is no name of a pod', (id) => {
  expect(() => podName(id)).toThrow('no name of a pod')
})

test('the network policies of a namespace', async () => {
  const policies = networkPolicies({
    ...settings,
    service: { address: 'fd00::1', port: 7445 },
    refusedRanges: ['8.8.8.0/24', '2001:4860::/32'],
  })
  await expect(text(policies)).toMatchFileSnapshot(golden('network-policies'))
})
