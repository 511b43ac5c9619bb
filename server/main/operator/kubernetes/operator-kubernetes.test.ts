import { expect, test } from 'vitest'
import { ImageRegistry } from '../../../../testing/kubernetes/image-registry.ts'
import { checkKubernetes, kubernetesManifests } from './operator-kubernetes.ts'
import { pushCollectorImage, pushProbeImage, writeProbeImage } from './operator-probe-image.ts'

const request = {
  server: 'https://127.0.0.1:1',
  credentials: '/nonexistent',
  namespace: 'runs',
  image: `registry.example.org:5000/probe@sha256:${'a'.repeat(64)}`,
  gateway: '127.0.0.1:7443',
}

test.each([
  ['an API server without TLS', { server: 'http://127.0.0.1:1' }, '--server'],
  ['an API server without an address', { server: 'cluster' }, '--server'],
  ['an image by its tag', { image: 'registry.example.org/probe:1' }, '--image'],
  ['a gateway by its name', { gateway: 'localhost:7443' }, '--gateway'],
  ['a gateway without a port', { gateway: '127.0.0.1' }, '--gateway'],
  ['a gateway without room for the canary', { gateway: '127.0.0.1:65535' }, '--gateway'],
  ['a path in the place of a namespace', { namespace: '../default' }, '--namespace'],
])('%s is a wrong request', async (_what, change, option) => {
  expect(await checkKubernetes({ ...request, ...change })).toEqual({
    ok: false,
    cause: 'request',
    message: expect.stringContaining(option) as string,
  })
})

test('credentials that are not there are a finding', async () => {
  expect(await checkKubernetes(request)).toMatchObject({
    ok: true,
    value: [{ slug: 'api_server', ok: false, found: '/nonexistent has no ca.crt' }],
  })
})

test('a resolver is an address', async () => {
  const wanted = { namespace: 'runs', gateway: '[fd00::1]:7443' }
  expect(await kubernetesManifests({ ...wanted, resolvers: ['dns.example.org'] })).toMatchObject({
    ok: false,
    message: '--resolver dns.example.org is no address',
  })
  const made = await kubernetesManifests({ ...wanted, resolvers: ['fd00::2'] })
  expect(JSON.stringify(made)).toContain('fd00::1/128')
})

test('an image that cannot be written there is a wrong request', async () => {
  expect(await writeProbeImage('/nonexistent/probe.tar')).toMatchObject({ ok: false, cause: 'request' })
})

test.each([
  'probe',
  'registry.example.org',
  'registry.example.org/probe:1',
  'https://registry.example.org/probe',
])('%s is no repository', async (to) => {
  expect(await pushProbeImage({ to, plainHttp: false })).toMatchObject({ ok: false, cause: 'request' })
})

test.each([
  ['the check', pushProbeImage],
  ['the collector', pushCollectorImage],
])('the image of %s is pushed to a registry, or the request says why not', async (_what, push) => {
  const registry = await ImageRegistry.start()
  const to = `${registry.url.slice('http://'.length)}/images`
  const pushed = await push({ to, plainHttp: true })
  const [digest] = [...registry.manifests.keys()].filter((key) => key.startsWith('sha256:'))
  expect(pushed).toEqual({ ok: true, value: { reference: `${to}@${digest}` } })
  await registry.stop()
  expect(await push({ to, plainHttp: true })).toMatchObject({ ok: false, cause: 'request' })
})
