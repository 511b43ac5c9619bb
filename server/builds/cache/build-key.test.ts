import { expect, it } from 'vitest'
import { type BuildInputs, buildKey, reachOf, resolveBases } from './build-key.ts'

const digest = (digit: string) => `sha256:${digit.repeat(64)}`
const inputs: BuildInputs = {
  request: { buildProfile: 'standard', resourceProfile: 'standard', isolation: 'standard' },
  contextDigest: digest('1'),
  baseImages: [
    { name: 'curated/a:1', digest: digest('2') },
    { name: 'curated/b:1', digest: digest('3') },
  ],
  toolchainDigest: digest('4'),
  programDigest: digest('5'),
  runner: { layerDigest: digest('6'), abiRevision: 1, policyDigest: digest('7') },
  reach: 'none',
}
const changed = (change: Partial<BuildInputs>) => buildKey({ ...inputs, ...change })

it('is the same for the same inputs, in any order of base images', () => {
  expect(changed({})).toBe(buildKey(structuredClone(inputs)))
  expect(changed({ baseImages: inputs.baseImages.toReversed() })).toBe(changed({}))
})

it('changes with every input', () => {
  const { request, runner } = inputs
  const [first, second] = inputs.baseImages as [
    { name: string; digest: string },
    { name: string; digest: string },
  ]
  const keys = [
    changed({}),
    changed({ contextDigest: digest('9') }),
    changed({ request: { ...request, buildProfile: 'fast' } }),
    changed({ request: { ...request, resourceProfile: 'high' } }),
    changed({ request: { ...request, isolation: 'gvisor' } }),
    changed({ baseImages: [first] }),
    changed({ baseImages: [first, { ...second, digest: digest('9') }] }),
    changed({ baseImages: [first, { ...second, name: 'curated/c:1' }] }),
    changed({
      baseImages: [
        { ...first, digest: second.digest },
        { ...second, digest: first.digest },
      ],
    }),
    changed({ toolchainDigest: digest('9') }),
    changed({ programDigest: digest('9') }),
    changed({ runner: { ...runner, layerDigest: digest('9') } }),
    changed({ runner: { ...runner, abiRevision: 2 } }),
    changed({ runner: { ...runner, policyDigest: digest('9') } }),
    changed({ reach: 'public' }),
    changed({ reach: { names: ['a.test'], ranges: [] } }),
    changed({ reach: { names: ['b.test'], ranges: [] } }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

it('resolves base images as the builder does, or not at all', () => {
  const baseImages = [
    { name: 'localhost/curated/python:3.11', digest: digest('1') },
    { name: 'localhost/plain:latest', digest: digest('2') },
    { name: 'registry.test:5000/a:1', digest: digest('3') },
  ]
  const names = ['curated/python:3.11', 'plain', 'registry.test:5000/a:1']
  expect(resolveBases(names, { baseImages })).toEqual(
    names.map((name, at) => ({ name, digest: digest(String(at + 1)) })),
  )
  expect(resolveBases([], { baseImages })).toEqual([])
  for (const name of [
    'curated/python:3.12',
    'curated/python',
    'registry.test:5000/a',
    'curated/python:3.11@x',
  ])
    expect(resolveBases(['plain', name], { baseImages }), name).toBeUndefined()
})

it('depends on the addresses of package mirrors, and without mirrors on nothing more', () => {
  const network = { egressCapBytes: 1, allow: { names: ['a.test'], ranges: [] } }
  const mirror = {
    kind: 'npm' as const,
    name: 'npm',
    url: 'http://198.18.254.1:4002/a',
    source: 'https://b.test/a',
  }
  const keyWith = (mirrors: (typeof mirror)[]) => changed({ reach: reachOf(network, mirrors) })
  expect(reachOf(network, [])).toEqual(network.allow)
  const keys = [keyWith([]), keyWith([mirror]), keyWith([{ ...mirror, source: 'https://c.test/a' }])]
  expect(new Set(keys).size).toBe(3)
})
