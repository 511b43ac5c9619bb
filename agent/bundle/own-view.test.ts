import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shellJob, TestAgent } from '../../testing/agent/test-agent.ts'
import { linkBuilder } from '../../testing/agent/test-builder.ts'
import { stagingFolder } from '../host/paths.ts'
import { type SandboxSpec, sandboxRuntimes } from '../port/sandbox-spec.ts'

/* Facts that a sandbox can read about its host. */

let agent: TestAgent
let empty: string

beforeAll(async () => {
  agent = await TestAgent.start()
  await linkBuilder(agent)
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const build = (script: string): SandboxSpec => ({
  ...shellJob(empty, '', { workspaceKind: 'disk', memoryBytes: 512 * 1024 * 1024, pids: 200 }),
  rootfs: { kind: 'builder' },
  confinement: 'build',
  argv: ['/bin/sh', '-c', script],
})

const readMounts = 'cat /proc/self/mountinfo /proc/mounts /proc/self/mountstats 2>/dev/null; true'

/** Host paths that a list of mounts must not contain. */
function expectNoHostPath(mounts: string): void {
  expect(mounts).toContain(' / ')
  for (const path of [stagingFolder, agent.dataDir, '/var/lib']) expect(mounts).not.toContain(path)
  // The layers of an overlay must have relative names.
  expect(mounts).not.toContain('dir=/')
}

test.each(sandboxRuntimes)('on %s, a job cannot read the host’s kernel command line', async (runtime) => {
  const { log } = await agent.run(shellJob(empty, 'cat /proc/cmdline', { runtime }))
  expect(log).toMatch(/quiet\n$/)
  expect(log).not.toContain((await readFile('/proc/cmdline', 'utf8')).trim())
})

test.each(sandboxRuntimes)('on %s, a job finds no host path among its mounts', async (runtime) => {
  expectNoHostPath((await agent.run(shellJob(empty, readMounts, { runtime }))).log)
})

test.each(sandboxRuntimes)('on %s, a job reaches its own server by name', async (runtime) => {
  const script = `
    mkdir site && echo served >site/index.html
    /.sandbox/busybox httpd -p 8080 -h /workspace/site
    for name in localhost job 127.0.0.1 '[::1]'; do /.sandbox/busybox wget -q -O - http://$name:8080/; done`
  expect((await agent.run(shellJob(empty, script, { runtime }))).log).toBe('served\n'.repeat(4))
})

test('a build finds no host path among its mounts, and sees the base images', async () => {
  expectNoHostPath((await agent.run(build(readMounts))).log)
  const { log } = await agent.run(build('ls /base-images; touch /base-images/x || echo read-only'))
  expect(log).toContain('overlay-images')
  expect(log).toContain('read-only')
})

test('a build cannot see the host’s devices, kernel, name or resolvers', async () => {
  const { log } = await agent.run(
    build('find /sys ! -type d; cat /proc/cmdline /etc/hostname /etc/resolv.conf'),
  )
  expect(log).toBe('quiet\nbuild\nnameserver 192.0.2.1\n')
  expect(log).not.toContain(hostname())
})
