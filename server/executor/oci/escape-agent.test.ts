import { readdir, rename, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maskedBytesHeader, specBytesHeader } from './agent/server.ts'
import { ClosingListener } from './closing-listener.ts'
import { shellJob, TestAgent, until } from './test-agent.ts'

/** What a worker that was taken over may try on the one process that is root. */
let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
}, 60_000)
afterAll(() => agent.dispose(), 60_000)

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
        text(response).then((told) => resolve([response.statusCode ?? 0, told]), reject)
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

const start = (id: string, spec: unknown, masked: unknown = []) => {
  const [first, second] = [spec, masked].map((part) => JSON.stringify(part)) as [string, string]
  const bytesOf = (text: string) => String(Buffer.byteLength(text))
  const headers = { [specBytesHeader]: bytesOf(first), [maskedBytesHeader]: bytesOf(second) }
  return ask('POST', `/sandboxes/${id}/start`, first + second, headers)
}

test('only root and the service’s group may speak to the agent, and nobody may look beside its socket', async () => {
  expect((await stat(join(agent.dataDir, 'agent.sock'))).mode & 0o777).toBe(0o660)
  expect((await stat(join(agent.dataDir, 'agent'))).mode & 0o777).toBe(0o700)
})

test('a request that is no request is refused, and never an error of the agent', async () => {
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

test('a description that is not acceptable is refused by its field, whatever it is made of', async () => {
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
    const [status, told] = await start(id, spec)
    expect([status, told], JSON.stringify(spec)).toEqual([409, expect.stringContaining('spec_invalid')])
  }
  for (const masked of [null, {}, 'text', [1], [null], [['text']]]) {
    const [status, told] = await start(id, good, masked)
    expect([status, told], JSON.stringify(masked)).toEqual([409, expect.stringContaining('spec_invalid')])
  }
  expect((await start(id, good, ['abc']))[1]).toContain('mask_too_short')
  expect(await agent.client.list()).toEqual([])
})

test('an image without end stops at the end of its sender, and leaves nothing on the disk', async () => {
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
  await until(async () => (await readdir(join(agent.dataDir, 'agent/images'))).length === 1)
  expect((await agent.run(shellJob(empty, 'echo serves'))).log).toBe('serves\n')
})

test('start, stop, forbid and remove at once on one id leave it in one state, started at most once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const spec = shellJob(empty, 'echo once; sleep 5')
    const { client } = agent
    await Promise.allSettled([
      ...[client.start(spec, Buffer.alloc(0)), client.forbid(spec.id), client.stop(spec.id)],
      ...[client.remove(spec.id), client.start(spec, Buffer.alloc(0)), client.stop(spec.id)],
    ])
    const [known] = (await client.list()).filter(({ id }) => id === spec.id)
    expect(known).toBeDefined()
    if (known?.state === 'forbidden') continue
    await client.stop(spec.id)
    expect(await client.wait(spec.id)).toMatchObject({ cause: 'stopped' })
    await client.remove(spec.id)
  }
})

test('an agent lives whose connections to a shim break off as soon as they are made', async () => {
  const spec = shellJob(empty, 'sleep 100')
  const { client } = agent
  await client.start(spec, Buffer.alloc(0))
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
