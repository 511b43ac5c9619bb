import { readdir, rename, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClosingListener } from '../../testing/agent/closing-listener.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { noInput } from '../../testing/no-input.ts'
import { knownBytesHeader, maskedBytesHeader, specBytesHeader } from '../protocol/start-body.ts'

/** Attacks of a compromised worker on the only process that is root. */
let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

function ask(
  method: string,
  path: string,
  body = '',
  headers: Record<string, string> = {},
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const call = request(
      { socketPath: join(agent.dataDir, 'agent.sock'), path, method, headers },
      (response) => {
        text(response).then((body) => resolve([response.statusCode ?? 0, body]), reject)
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

const start = (id: string, spec: unknown, masked: unknown = []) => {
  const [first, second] = [spec, masked].map((part) => JSON.stringify(part)) as [string, string]
  const bytesOf = (text: string) => String(Buffer.byteLength(text))
  const headers = {
    [specBytesHeader]: bytesOf(first),
    [maskedBytesHeader]: bytesOf(second),
    [knownBytesHeader]: '0',
  }
  return ask('POST', `/sandboxes/${id}/start`, first + second, headers)
}

test('only root and the service’s group may connect to the agent, and only root may read its folder', async () => {
  expect((await stat(join(agent.dataDir, 'agent.sock'))).mode & 0o777).toBe(0o660)
  expect((await stat(join(agent.dataDir, 'agent'))).mode & 0o777).toBe(0o700)
})

test('a malformed request is refused, and is never an internal error', async () => {
  const paths = [
    '/sandboxes/%ff/log',
    '/sandboxes/..%2f..%2fetc/log',
    '/sandboxes/../log',
    '/images/sha256:..%2f..',
    `/images/${empty}%2f..`,
    '/sandboxes/unpack_0123/exit',
    '/etc/passwd',
    '//',
  ]
  for (const path of paths) expect((await ask('GET', path))[0], path).toBe(409)
  for (const bytes of ['-1', '0', 'x', '1e99', '99999999999', '3']) {
    const headers = [{ [specBytesHeader]: bytes }, { [specBytesHeader]: '2', [maskedBytesHeader]: bytes }]
    for (const sent of headers) {
      expect((await ask('POST', '/sandboxes/run_a/start', '{}', sent))[0], bytes).toBe(409)
    }
  }
})

test('an invalid specification of any kind is refused with its field', async () => {
  const good = shellJob(empty, 'true')
  const { limits, collect, id } = good
  const bad: unknown[] = [
    null,
    [],
    { id },
    { ...good, id: 'unpack_mine' },
    { ...good, id: `${id}x` },
    { ...good, rootfs: { kind: 'image', digest: 'sha256:../../../etc' } },
    { ...good, rootfs: { kind: 'folder', path: '/' } },
    { ...good, confinement: 'unpack' },
    { ...good, argv: ['a\0b'] },
    { ...good, argv: 'true' },
    { ...good, env: { 'A=B': '' } },
    { ...good, env: { A: ['x'] } },
    { ...good, user: { uid: 65_536, gid: 0 } },
    { ...good, user: { uid: -1, gid: 0 } },
    { ...good, hostname: 'a\nprocs /x' },
    { ...good, limits: { ...limits, memoryBytes: '67108864' } },
    { ...good, limits: { ...limits, vcpu: null } },
    { ...good, limits: { ...limits, pids: 1e9 } },
    { ...good, collect: { ...collect, tree: null } },
    { ...good, collect: { files: [null] } },
    { ...good, collect: { files: [{ name: 'x', path: '/workspace/../../etc/shadow', maxBytes: 1 }] } },
    { ...good, collect: { files: [{ name: 'x', path: '/workspace/a\nlower 0 /', maxBytes: 1 }] } },
    { ...good, collect: { files: [{ name: 'x', path: '/etc/shadow', maxBytes: 1 }] } },
  ]
  for (const spec of bad) {
    const [status, body] = await start(id, spec)
    expect([status, body], JSON.stringify(spec)).toEqual([409, expect.stringContaining('spec_invalid')])
  }
  for (const masked of [null, {}, 'text', [1], [null], [['text']]]) {
    const [status, body] = await start(id, good, masked)
    expect([status, body], JSON.stringify(masked)).toEqual([409, expect.stringContaining('spec_invalid')])
  }
  expect((await start(id, good, ['abc']))[1]).toContain('mask_too_short')
  expect(await agent.client.list()).toEqual([])
})

test('an image upload whose sender disconnects ends, and leaves nothing on the disk', async () => {
  const digest = `sha256:${'b'.repeat(64)}`
  await expect(
    new Promise((resolve, reject) => {
      const call = request(
        { socketPath: join(agent.dataDir, 'agent.sock'), path: `/images/${digest}`, method: 'PUT' },
        resolve,
      )
      call.on('error', reject)
      call.write(Buffer.alloc(1 << 16), () => call.destroy())
    }),
  ).rejects.toThrow()
  expect(await agent.client.hasImage(digest)).toBe(false)
  await waitUntil(async () => (await readdir(join(agent.dataDir, 'agent/images'))).length === 1)
  expect((await agent.run(shellJob(empty, 'echo serves'))).log).toBe('serves\n')
})

test('concurrent start, stop, forbid and remove of one id result in one state, started at most once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const spec = shellJob(empty, 'echo once; sleep 5')
    const { client } = agent
    await Promise.allSettled([
      ...[client.start(spec, noInput), client.forbid(spec.id), client.stop(spec.id)],
      ...[client.remove(spec.id), client.start(spec, noInput), client.stop(spec.id)],
    ])
    const [known] = (await client.list()).filter(({ id }) => id === spec.id)
    expect(known).toBeDefined()
    if (known?.state === 'forbidden') continue
    await client.stop(spec.id)
    expect(await client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
    await client.remove(spec.id)
  }
})

test('an agent survives connections to a shim that break as soon as they are made', async () => {
  const spec = shellJob(empty, 'sleep 100')
  const { client } = agent
  await client.start(spec, noInput)
  const socket = join(agent.dataDir, 'agent/sandboxes', spec.id, 'ctl')
  await rename(socket, `${socket}.real`)
  const listener = new ClosingListener(socket)
  for (let round = 0; round < 50; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => client.stop(spec.id)))
  }
  await listener.close()
  await rename(`${socket}.real`, socket)
  await client.stop(spec.id)
  expect(await client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
  expect(agent.process?.exitCode).toBe(null)
})
