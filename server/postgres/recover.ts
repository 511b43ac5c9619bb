import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../base/errors/has-code.ts'
import { type Account, asAccount } from './account.ts'
import { checkVersion, ownCluster } from './cluster.ts'
import { keptSecret, ownFolder, serverAccount } from './own-folder.ts'
import { PostgresProblem } from './problem.ts'
import { installProgram } from './program.ts'
import { passwordFiles } from './running.ts'
import { settingArguments } from './settings.ts'

export interface Recovery {
  /** Folder of the embedded Postgres, as in `startPostgres()`. It has no cluster. */
  dataDir: string
  user?: string | undefined
  /** A tar archive of the cluster. */
  cluster: [Readable, ...Duplex[]]
  /** The log from the start of recovery on, without a gap. */
  segments: readonly { name: string; content: () => [Readable, ...Duplex[]] }[]
  until: Date
}

/** The log ends before the moment. */
export class LogEnded extends Error {
  /** When its last transaction was committed, as the server says it; undefined if there is none. */
  readonly lastAt: string | undefined

  constructor(lastAt: string | undefined) {
    super('the write-ahead log ends before the moment')
    this.lastAt = lastAt
  }
}

const saidMost = 64 * 1024

/**
 * Makes a cluster as it was at a moment. Nothing listens meanwhile: the server runs as one process, which applies the log and then sets
 * the superuser's password. The next start sets those of the other roles. The cluster gets its name when all of this is done. Content is
 * written by processes of the server's account, so a link in it leads nowhere that this account could not reach.
 */
export async function recoverCluster({ until, ...recovery }: Recovery): Promise<void> {
  const dir = resolve(recovery.dataDir)
  const account = serverAccount(recovery.user)
  await ownFolder(dir, account)
  const program = await installProgram(dir)
  const password = await keptSecret(join(dir, passwordFiles.superuser))
  const fresh = join(dir, 'cluster.new')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await ownCluster(fresh, account)
  const write = (path: string, content: [Readable, ...Duplex[]]) =>
    feed(account, ['dd', `of=${join(fresh, path)}`, 'status=none', 'bs=1M'], content)
  await feed(account, ['tar', '--extract', '--directory', fresh], recovery.cluster)
  await checkVersion(fresh, program.major)
  for (const { name, content } of recovery.segments) {
    await write(join('pg_wal', name), content()).catch((cause: unknown) => {
      throw isDamage(cause)
        ? new PostgresProblem('start_failed', `segment ${name} is damaged`, { cause })
        : cause
    })
  }
  await write('recovery.signal', [Readable.from([])])
  const settings = settingArguments(1, {
    // Every segment is in place already.
    restore_command: 'false',
    recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00'),
    recovery_target_timeline: 'current',
    recovery_target_action: 'promote',
    hot_standby: 'off',
  })
  const server = [join(program.dir, 'bin/postgres'), '--single', '-D', fresh, ...settings, 'postgres']
  const setPassword = `alter role postgres password '${password}'\n`
  const { code, said } = await feed(account, server, [Readable.from([setPassword])], { mayFail: true })
  if (code !== 0 && said.includes('recovery ended before configured recovery target was reached'))
    throw new LogEnded(/last completed transaction was at log time (.*)/.exec(said)?.[1])
  if (code !== 0) {
    const reason = said.trim().split('\n').slice(-3).join(' ')
    throw new PostgresProblem('start_failed', `the cluster was not recovered: ${reason}`)
  }
  await rename(fresh, join(dir, 'cluster'))
}

/** Compressed data that was cut off or changed. */
const isDamage = (error: unknown) => hasCode(error, 'Z_DATA_ERROR') || hasCode(error, 'Z_BUF_ERROR')

/** Runs a program on a content. Returns what it said last. */
async function feed(
  account: Account | undefined,
  argv: string[],
  content: [Readable, ...Duplex[]],
  { mayFail = false } = {},
): Promise<{ code: number | null; said: string }> {
  const [command = '', ...args] = asAccount(account, argv, 'KILL')
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TZ: 'UTC' },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-saidMost)
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  // A program that ends early says why.
  const feeding = pipeline([...content, child.stdin])
  const [[code], [fed]] = await Promise.all([ended, Promise.allSettled([feeding])])
  if (mayFail) return { code, said }
  if (code !== 0)
    throw new PostgresProblem('start_failed', `${argv[0]} failed: ${said.trim().split('\n').at(-1)}`)
  if (fed.status === 'rejected') throw fed.reason
  return { code, said }
}
