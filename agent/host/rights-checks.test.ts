import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { HostCheck } from './host-check.ts'

/* Findings where root has less than on a machine. */

const checks = fileURLToPath(new URL('./host-checks.ts', import.meta.url))
const program = `
  const { checkHost } = await import(${JSON.stringify(checks)})
  console.log(JSON.stringify(await checkHost(['crun'])))`

/** Checks that fail under the command. */
async function failing(...under: string[]): Promise<Omit<HostCheck, 'ok'>[]> {
  const words = [process.execPath, '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)('env', [...under, ...words])
  const all = JSON.parse(stdout) as HostCheck[]
  return all.filter(({ ok }) => !ok).map(({ name, found, advice }) => ({ name, found, advice }))
}

const inOwnMounts = (script: string) => ['unshare', '--mount', 'sh', '-ec', `${script}; exec "$@"`, 'sh']

test('root on a machine lacks nothing', async () => {
  expect(await failing()).toEqual([])
})

test('a capability that root cannot have is named', async () => {
  const found = await failing('setpriv', '--bounding-set=-net_admin,-sys_time')
  expect(found).toMatchObject([{ name: 'capabilities', found: 'without NET_ADMIN, SYS_TIME' }])
  expect(found[0]?.advice).toContain('container.md')
})

test('a /proc of which a part is covered permits no sandbox its own', async () => {
  const found = await failing(...inOwnMounts('mount --bind /dev/null /proc/interrupts'))
  expect(found).toMatchObject([{ name: 'sandbox mounts', found: expect.stringContaining('/proc') }])
})

test('control groups that cannot be written are named', async () => {
  const folder = '/sys/fs/cgroup/pids'
  const found = await failing(...inOwnMounts(`mount -o remount,bind,ro ${folder}`))
  expect(found).toMatchObject([{ name: 'control groups', found: `${folder} is read-only` }])
})
