import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import {
  childrenOf,
  removeControlGroups,
  type Start,
  type StartedService,
  sandboxCommand,
  startedService,
} from '../../testing/started-service.ts'
import { unacceptedMax } from '../http/bounds/connection-bounds.ts'
import { freePort } from '../postgres/free-port.ts'
import { acceptorsPerPort } from './api/acceptors.ts'
import { openDataFolder } from './supervisor/host/data-folder.ts'
import { lockInstance } from './supervisor/host/instance-lock.ts'
import { exitCodes } from './supervisor/service-problem.ts'

const run = promisify(execFile)
let parent: string
let dataDir: string
let port: number

const up = async (environment: Record<string, string> = {}) => {
  const child = spawn(sandboxCommand, ['up'], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SANDBOX_DATA: dataDir,
      SANDBOX_PORT: String(port),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [said, exitCode] = await Promise.all([text(child.stderr), exited, text(child.stdout)])
  return { said, exitCode }
}

async function newFolder(): Promise<void> {
  parent = await mkdtemp(join(tmpdir(), 'sandbox-up-'))
  await chmod(parent, 0o755)
  dataDir = join(parent, 'data')
  port = await freePort()
}
async function removeFolder(): Promise<void> {
  await rm(parent, { recursive: true, force: true })
  removeControlGroups(dataDir)
}

const start = (how?: Start) => startedService(dataDir, port, how)

/** Of each socket that listens on the port: how many connections may wait. */
async function backlogs(): Promise<number[]> {
  const { stdout } = await run('ss', [
    ...['--no-header', '--listening', '--tcp', '--numeric'],
    `sport = :${port}`,
  ])
  return stdout
    .trim()
    .split('\n')
    .map((line) => Number(line.trim().split(/\s+/)[2]))
}

/** The answer of `/ready` as soon as it has that state. */
async function readyAnswer(status: string) {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`, { headers: { connection: 'close' } })
    const body = (await answer.json()) as { status: string }
    if (body.status === status) return [answer.status, body]
  }
}

/* One service from its first start to its end. */
describe('the whole service', () => {
  let service: StartedService
  beforeAll(newFolder)
  afterAll(removeFolder)

  test('starts on a socket that it is given, responds, and runs under the right accounts', async () => {
    service = await start({ isGivenSocket: true })
    expect(service.lines.at(-1)).toContain(`ready on http://127.0.0.1:${port}`)
    const answer = await fetch(`http://127.0.0.1:${port}/no-such-route`)
    expect(answer.status).toBe(404)

    const parts = ['database', 'worker', 'host_agent', 'storage', 'disk_space']
    const dependencies = Object.fromEntries(parts.map((name) => [name, 'ok']))
    expect(await readyAnswer('ok')).toEqual([200, { status: 'ok', dependencies }])

    const pids = childrenOf(service.child.pid ?? 0)
    const roots: string[] = []
    for (const pid of pids) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      const argv = await readFile(`/proc/${pid}/cmdline`, 'utf8')
      if (/^Uid:\s+0/m.test(status))
        roots.push(argv.split('\0').find((part) => part.endsWith('.mjs')) ?? argv)
      else expect(status).toMatch(/^CapBnd:\s+\w+\n[\s\S]*NoNewPrivs:\s+1/m)
      if (argv.includes('agent.mjs'))
        expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('DATABASE_URL')
    }
    expect(roots.filter((argv) => argv.endsWith('.mjs'))).toEqual([expect.stringContaining('agent.mjs')])
  })

  test('lets as many connections wait for it as the kernel allows', async () => {
    const allowed = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8'))
    expect(await backlogs()).toEqual([Math.min(allowed, unacceptedMax)])
  })

  test('logs at another level when the operator says so', async () => {
    const level = (...args: string[]) =>
      run(sandboxCommand, ['operator', 'log-level', ...args], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SANDBOX_DATA: dataDir },
      })
    expect((await level()).stdout).toContain(' info.')
    expect((await level('debug')).stdout).toContain(' debug.')
    for (const role of ['api', 'worker', 'agent'])
      await eventually(async () => {
        const lines = await readFile(join(dataDir, 'logs', `${role}.log`), 'utf8')
        // Worker and builds write to one file.
        const changed = lines.match(/"level":"debug","msg":"logs at another level"/g)
        expect(changed).toHaveLength(role === 'worker' ? 2 : 1)
      })
  })

  test('restarts at once on the same data and port after it was killed', async () => {
    const killed = service
    killed.child.kill('SIGKILL')
    service = await start({ settings: { SANDBOX_DRAIN_SECONDS: '2' } })
    await killed.exited
  })

  test('listens often on sockets of its own, which share the connections that wait', async () => {
    expect(await backlogs()).toEqual(Array(acceptorsPerPort).fill(unacceptedMax / acceptorsPerPort))
  })

  test('says on SIGTERM that it is not ready, and exits with all its processes', async () => {
    const pids = childrenOf(service.child.pid ?? 0)
    service.child.kill('SIGTERM')
    expect(await readyAnswer('draining')).toMatchObject([503, { status: 'draining' }])
    expect(await service.exited).toBe(exitCodes.stopped)
    expect(pids.length).toBeGreaterThan(3)
    for (const pid of pids) await expect(readlink(`/proc/${pid}/exe`)).rejects.toThrow()
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })
})

describe('sandbox up', () => {
  beforeEach(newFolder)
  afterEach(removeFolder)

  test('lists every wrong setting at once', async () => {
    const { said, exitCode } = await up({
      SANDBOX_PORT: 'http',
      SANDBOX_DATE: '/x',
      DATABASE_URL: 'mysql://',
    })
    expect(exitCode).toBe(exitCodes.configuration)
    for (const name of ['SANDBOX_PORT', 'SANDBOX_DATE', 'DATABASE_URL']) expect(said).toContain(name)
  })

  test('names the service that already runs on the data folder', async () => {
    const held = await lockInstance(openDataFolder(dataDir, undefined).lock, 'http://127.0.0.1:8080')
    const { said, exitCode } = await up()
    await held.release()
    expect(exitCode).toBe(exitCodes.secondInstance)
    expect(said).toContain(`process ${process.pid}, http://127.0.0.1:8080`)
  })

  test('names a port in use and the setting that chooses another', async () => {
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve))
    const { said, exitCode } = await up()
    squatter.close()
    expect(exitCode).toBe(exitCodes.portInUse)
    expect(said).toContain(`port ${port} of 127.0.0.1 is in use`)
    expect(said).toContain('SANDBOX_PORT')
  })

  test('names a missing service user and how to make it', async () => {
    const { said, exitCode } = await up({ SANDBOX_SERVICE_USER: 'nobody-by-that-name' })
    expect(exitCode).toBe(exitCodes.toolMissing)
    expect(said).toContain('install/service-user.sh')
  })

  test('names an invalid data folder', async () => {
    await writeFile(dataDir, '')
    const { said, exitCode } = await up()
    expect(exitCode).toBe(exitCodes.dataFolder)
    expect(said).toContain(dataDir)
  })
})
