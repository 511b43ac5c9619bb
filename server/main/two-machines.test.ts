import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../postgres/free-port.ts'
import { type Postgres, startPostgres } from '../postgres/postgres.ts'
import { controlGroupOf } from './supervisor/processes/service-roles.ts'
import { exitCodes } from './supervisor/service-problem.ts'

/*
 * Whole services, each with its own agent and data folder, on one external Postgres. The first machine is the same in
 * all tests; the last test stops it.
 */

const command = join(import.meta.dirname, '../../sandbox')
const names = ['first', 'second', 'copy'] as const

let parent: string
let postgres: Postgres
let first: Awaited<ReturnType<typeof up>>
const started: ChildProcess[] = []

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sandbox-machines-'))
  await chmod(parent, 0o755)
  postgres = await startPostgres({ dataDir: join(parent, 'postgres') })
  for (const name of names) {
    await mkdir(join(parent, name), { mode: 0o755 })
  }
  first = await up('first')
})
afterAll(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  await postgres.stop()
  for (const name of names) {
    for (const hierarchy of ['.', ...(await readdir('/sys/fs/cgroup'))]) {
      await rmdir(join('/sys/fs/cgroup', hierarchy, controlGroupOf(join(parent, name)))).catch(() => {})
    }
  }
  await rm(parent, { recursive: true, force: true })
})

/** Returns `ready`, or the exit code with the output. */
async function up(name: (typeof names)[number]) {
  const child = spawn(command, ['up'], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SANDBOX_DATA: join(parent, name),
      SANDBOX_PORT: String(await freePort()),
      DATABASE_URL: postgres.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const lines: string[] = []
  const ready = new Promise<'ready'>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line.includes('ready on')) resolve('ready')
      })
    }
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, outcome: await Promise.race([ready, ended]), said: () => lines.join('\n'), ended }
}

test('a copy of the data folder of a running machine is refused', async () => {
  expect(first.outcome, first.said()).toBe('ready')
  await cp(join(parent, 'first/agent/machine-id'), join(parent, 'copy/agent/machine-id'))
  const copy = await up('copy')
  expect(copy.outcome, copy.said()).toBe(exitCodes.otherWorker)
  expect(copy.said()).toContain('it is a copy, or it was moved')
})

test('a second worker on the data folder of a running service is refused', async () => {
  expect(first.outcome, first.said()).toBe('ready')
  const second = spawn(command, ['up', '--role', 'worker'], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SANDBOX_DATA: join(parent, 'first'),
      DATABASE_URL: postgres.url,
    },
    stdio: 'ignore',
  })
  const [code] = await once(second, 'close')
  expect(code).toBe(exitCodes.secondInstance)
})

test('a second machine is refused while the first runs, also after the first was killed and restarted', async () => {
  expect(first.outcome, first.said()).toBe('ready')
  const refused = await up('second')
  expect(refused.outcome, refused.said()).toBe(exitCodes.otherWorker)
  expect(refused.said()).toContain('another machine works on this database')
  expect(refused.said()).toContain(join(parent, 'first'))

  first.child.kill('SIGKILL')
  await first.ended
  const again = await up('first')
  expect(again.outcome, again.said()).toBe('ready')
  expect((await up('second')).outcome).toBe(exitCodes.otherWorker)

  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(exitCodes.stopped)
  const second = await up('second')
  expect(second.outcome, second.said()).toBe('ready')
})
