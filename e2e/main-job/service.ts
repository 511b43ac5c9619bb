import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { machineCommand } from '../../cli/testing/run-cli.ts'
import { sharePacked } from '../../testing/share-packed.ts'

const run = promisify(execFile)

export const checkout = resolve(import.meta.dirname, '../..')
const pollMs = 50
export const sandboxProgram = join(checkout, 'sandbox')

/** Builder and base image are made once per machine and kept here; each service gets them as hard links. */
const cacheDir = '/var/lib/sandbox-jobs-test'
const operatorFiles = ['agent/builder', 'agent/base-images', 'agent/base-images.json']

export interface Service {
  url: string
  user: string
  password: string
  stop(): Promise<void>
}

export interface OwnService extends Service {
  dataDir: string
  /** Process id of the supervisor. */
  pid: number
  /** The environment that it was started with. */
  env: Record<string, string>
  /** Kills the process of a role with -9 and waits until the supervisor has restarted it. */
  kill(role: 'api' | 'worker' | 'agent'): Promise<void>
  /** Runs a `sandbox` command on the service's machine and parses its JSON output; rejects with its `code` if it fails. */
  sandbox<T>(...command: string[]): Promise<T>
}

/** Output of `sandbox admin apply`. */
export interface Applied {
  passwords: { login: string; password: string }[]
}

/** Preparation of a data folder before a service is started on it, and clean-up after it has stopped. */
export interface HostSetup {
  prepare(dataDir: string): Promise<void>
  /** A command that starts the service; it must end with an exec of its arguments. */
  wrapper?(): string[]
  cleanUp(dataDir: string): Promise<void>
}

/** A service on a new data folder, with the example company in it. `settings` are environment variables. */
export async function startService(
  settings: Record<string, string> = {},
  ground?: HostSetup,
): Promise<OwnService> {
  if (process.env[preparedVariable] === undefined) await fillCache()
  // The installer makes it accessible to root only, but the service's users need access.
  await chmod(cacheDir, 0o755)
  const dataDir = await mkdtemp(join(cacheDir, 'e2e-'))
  await chmod(dataDir, 0o755)
  await mkdir(join(dataDir, 'agent'), { mode: 0o700 })
  for (const path of operatorFiles) {
    await run('cp', ['--archive', '--link', join(cacheDir, 'trixie', path), join(dataDir, path)])
  }
  sharePacked(dataDir)
  await ground?.prepare(dataDir)
  const port = Number(settings.SANDBOX_PORT ?? (await freePort()))
  const env = { ...minimalEnvironment(), ...settings, SANDBOX_DATA: dataDir, SANDBOX_PORT: String(port) }
  const [command, ...args] = [...(ground?.wrapper?.() ?? []), sandboxProgram, 'up']
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'close')
  const lines: string[] = []
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await ground?.cleanUp(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await readyLine(child, lines)
    const sandbox = async <T>(...words: string[]) => {
      const { stdout } = await run(machineCommand, [...words, '--json'], { env, cwd: checkout })
      return JSON.parse(stdout) as T
    }
    const { passwords } = await sandbox<Applied>('admin', 'apply', 'examples/company.yaml')
    const password = passwords.find(({ login }) => login === 'ada')?.password ?? ''
    const pid = child.pid ?? 0
    const kill = (role: string) => killChild(pid, role)
    return {
      url: `http://127.0.0.1:${port}`,
      user: 'ada',
      password,
      dataDir,
      pid,
      env,
      kill,
      sandbox,
      stop,
    }
  } catch (error) {
    await stop()
    throw new Error(`the service did not start:\n${lines.join('\n')}`, { cause: error })
  }
}

/** Set where the builder and the base images are known to be there. */
const preparedVariable = 'SANDBOX_TEST_BUILDER'

export async function fillCache(): Promise<void> {
  await run(join(checkout, 'install/console.sh'), { env: minimalEnvironment() })
  await run(join(checkout, 'install/test-builder.sh'), { env: minimalEnvironment() })
  process.env[preparedVariable] = 'prepared'
}

/** Keeps the caller's settings from the service under test. */
export const minimalEnvironment = () => ({
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: process.env.HOME ?? '/',
})

export function readyLine(child: ReturnType<typeof spawn>, lines: string[]): Promise<void> {
  return new Promise((found, failed) => {
    child.once('close', (code) => failed(new Error(`it ended with ${code}`)))
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (line.includes('ready on')) found()
      })
    }
  })
}

/** Kills the supervisor's child that runs the role, and waits until another process runs it. */
async function killChild(supervisor: number, role: string): Promise<void> {
  const killed = await childOf(supervisor, role)
  if (killed === undefined) throw new Error(`no process runs the role ${role}`)
  process.kill(killed, 'SIGKILL')
  for (let now: number | undefined = killed; now === undefined || now === killed; ) {
    await sleep(pollMs)
    now = await childOf(supervisor, role)
  }
}

/** The process that runs a role under that supervisor. */
export async function childOf(supervisor: number, role: string): Promise<number | undefined> {
  const children = await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8')
  for (const pid of children.trim().split(' ').map(Number)) {
    const argv = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (argv.includes(`/${role}.mjs`)) return pid
  }
  return undefined
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
