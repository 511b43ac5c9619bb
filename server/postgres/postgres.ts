import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eachLine } from '../base/each-line.ts'
import { raiseSessionPriority } from '../base/priority/session-priority.ts'
import { type Account, asAccount } from './account.ts'
import { awaitDatabase, databaseUrl, type Login, type ServiceUrls, serviceUrls } from './bootstrap-store.ts'
import { checkVersion, makeCluster, stopPredecessor } from './cluster.ts'
import { freePort, isPortFree } from './free-port.ts'
import { keptSecret, ownFolder, serverAccount } from './own-folder.ts'
import { PostgresProblem } from './problem.ts'
import { installProgram } from './program.ts'
import { passwordFiles } from './running.ts'
import { settingArguments } from './settings.ts'

/*
 * The embedded Postgres: a real server from an npm package, owned by the process that starts it.
 *
 * One folder contains all of it. The folder, the program and the passwords belong to the caller only; `cluster`
 * belongs to the account that the server runs as, so a compromised database can change neither its own program nor
 * anything else here.
 *
 *   program-VERSION/     the binaries, copied once
 *   cluster/             the database, mode 0700
 *   password             of the role that owns the schema, and may create databases
 *   api-password         of the role of the API, which owns nothing
 *   worker-password      of the role of the worker, which owns nothing
 *   operator-password    of the role of the operator console, which owns nothing
 *   superuser-password   of `postgres`
 *   port                 the loopback port, kept so that saved addresses stay valid
 *
 * The server listens on loopback TCP with passwords and on no unix socket. Started by root it runs as an unprivileged
 * system account. When its parent dies the kernel sends it SIGINT (a fast, clean shutdown), so no server outlives its
 * parent; the next start waits for such a predecessor. Ready means that the service's role has run a statement in its
 * own database.
 */

const stopTimeoutMs = 20_000
const portTries = 5
const keptLogLines = 20

export interface PostgresOptions {
  /** Absolute path of the folder; created when missing. As root its parents must be accessible to `user`. */
  dataDir: string
  /** System account of the server when the caller is root; otherwise the caller's own account is used. */
  user?: string
  /** Loopback port; by default the port of the last start, or a free one. */
  port?: number
  /** Server settings on top of `settings.ts`, for tests. */
  settings?: Record<string, string>
  /** Wraps the server's command, which must end in an exec of it; by default none. */
  through?: (argv: string[]) => string[]
  /** Nobody waits for it: it gets no larger share of the processors than a sandbox. */
  inBackground?: boolean
  /** Receives the server's log lines; the last ones also explain a failed start. */
  onLine?: (line: string) => void
}

export interface Postgres {
  /** `postgres://` address of the service's own database for the owner of its schema. Contains a password. */
  url: string
  /** The same for the roles of the processes. */
  urls: ServiceUrls
  port: number
  pid: number
  /** Resolves when the server has ended for any reason. */
  exited: Promise<void>
  /** Ends every connection and shuts down cleanly; may be called twice. */
  stop(): Promise<void>
}

interface Server {
  child: ChildProcess
  exited: Promise<void>
  lastLines: string[]
}

/** Starts the server and resolves when it is ready. Rejects with `PostgresProblem`. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dir = resolve(options.dataDir)
  const account = serverAccount(options.user)
  const prepared = await prepare(dir, account)
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(dir, options.port)
    const server = launch({ ...prepared, account, port, options })
    const login = { ...prepared.passwords, port }
    try {
      await becomeReady(server, login)
      await writeFile(join(dir, 'port'), `${port}\n`)
      return {
        url: databaseUrl(login),
        urls: serviceUrls(login),
        port,
        pid: server.child.pid ?? 0,
        exited: server.exited,
        stop: () => stop(server),
      }
    } catch (cause) {
      await stop(server)
      const lostPort =
        !options.port && server.lastLines.some((line) => line.includes('Address already in use'))
      if (lostPort && attempt < portTries) continue
      const said = server.lastLines.slice(-3).join(' ') || String(cause)
      throw new PostgresProblem('start_failed', `the embedded Postgres did not start: ${said}`, { cause })
    }
  }
}

interface Prepared {
  programDir: string
  clusterDir: string
  passwords: Omit<Login, 'port'>
}

async function prepare(dir: string, account: Account | undefined): Promise<Prepared> {
  await ownFolder(dir, account)
  const program = await installProgram(dir)
  const clusterDir = join(dir, 'cluster')
  const passwords = {
    password: await keptSecret(join(dir, passwordFiles.owner)),
    apiPassword: await keptSecret(join(dir, passwordFiles.api)),
    workerPassword: await keptSecret(join(dir, passwordFiles.worker)),
    operatorPassword: await keptSecret(join(dir, passwordFiles.operator)),
    superuserPassword: await keptSecret(join(dir, passwordFiles.superuser)),
  }
  if (!(await stat(clusterDir).catch(() => undefined))) {
    const { superuserPassword } = passwords
    await makeCluster({ programDir: program.dir, clusterDir, superuserPassword, account })
  }
  await checkVersion(clusterDir, program.major)
  await stopPredecessor(clusterDir)
  return { programDir: program.dir, clusterDir, passwords }
}

async function choosePort(dir: string, wanted: number | undefined): Promise<number> {
  if (wanted) {
    if (await isPortFree(wanted)) return wanted
    throw new PostgresProblem(
      'port_in_use',
      `port ${wanted} of 127.0.0.1, configured for Postgres, is in use`,
    )
  }
  const last = Number(await readFile(join(dir, 'port'), 'utf8').catch(() => ''))
  return Number.isInteger(last) && last > 0 && last < 65536 && (await isPortFree(last)) ? last : freePort()
}

interface LaunchPlan extends Prepared {
  account: Account | undefined
  port: number
  options: PostgresOptions
}

function launch(plan: LaunchPlan): Server {
  const argv = [
    join(plan.programDir, 'bin/postgres'),
    '-D',
    plan.clusterDir,
    ...settingArguments(plan.port, plan.options.settings ?? {}),
  ]
  const [command = '', ...args] = asAccount(plan.account, plan.options.through?.(argv) ?? argv, 'INT')
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    // Its own session: only the supervisor receives an interrupt from the terminal.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (child.pid !== undefined && !plan.options.inBackground) raiseSessionPriority(child.pid)
  const lastLines: string[] = []
  const keep = (line: string) => {
    lastLines.push(line)
    if (lastLines.length > keptLogLines) lastLines.shift()
    plan.options.onLine?.(line)
  }
  if (child.stderr) eachLine(child.stderr, keep)
  const exited = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      keep(`${command}: ${error.message}`)
      resolve()
    })
    child.once('close', () => resolve())
  })
  return { child, exited, lastLines }
}

async function becomeReady(server: Server, login: Login): Promise<void> {
  const ended = new AbortController()
  const endedFirst = server.exited.then(() => {
    ended.abort(new Error('it ended at once'))
    throw ended.signal.reason
  })
  await Promise.race([awaitDatabase(login, ended.signal), endedFirst])
}

async function stop(server: Server): Promise<void> {
  server.child.kill('SIGINT')
  const timer = setTimeout(() => server.child.kill('SIGQUIT'), stopTimeoutMs)
  await server.exited
  clearTimeout(timer)
}
