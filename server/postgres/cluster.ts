import { execFile } from 'node:child_process'
import { chown, mkdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '../base/clock.ts'
import { type Account, asAccount } from './account.ts'
import { PostgresProblem } from './problem.ts'

const run = promisify(execFile)

/** How long to wait for a server whose parent died before giving up on its cluster. */
const predecessorStopMs = 15_000
const predecessorNoticeMs = 1_000

export interface ClusterPlan {
  programDir: string
  clusterDir: string
  superuserPassword: string
  account: Account | undefined
}

/**
 * Creates the cluster under a temporary name and renames it into place: an interrupted `initdb` is never mistaken for
 * a cluster.
 */
export async function makeCluster(plan: ClusterPlan): Promise<void> {
  const fresh = `${plan.clusterDir}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  // Only for initdb, which reads it as the server's account; deleted before the folder is renamed into place.
  const passwordFile = `${fresh}-password`
  await rm(passwordFile, { force: true })
  await writeFile(passwordFile, `${plan.superuserPassword}\n`, { mode: 0o600, flag: 'wx' })
  await ownCluster(fresh, plan.account)
  await ownCluster(passwordFile, plan.account)
  const initdb = [
    join(plan.programDir, 'bin/initdb'),
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Postgres's own collation: the order of text does not depend on the machine's C library.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
  ]
  const [command = '', ...args] = asAccount(plan.account, initdb)
  try {
    await run(command, args, { cwd: '/', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TZ: 'UTC' } })
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new PostgresProblem('start_failed', `initdb failed: ${said.split('\n').slice(-3).join(' ')}`, {
      cause,
    })
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(fresh, plan.clusterDir)
}

/** Gives a file or folder to the server's account. */
export const ownCluster = async (path: string, account: Account | undefined): Promise<void> => {
  if (account) await chown(path, account.uid, account.gid)
}

/** Refuses a cluster that another major version of Postgres created. */
export async function checkVersion(clusterDir: string, major: string): Promise<void> {
  let found: string
  try {
    found = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim()
  } catch (cause) {
    throw new PostgresProblem(
      'folder_unusable',
      `${clusterDir} is not a Postgres cluster or cannot be read`,
      { cause },
    )
  }
  if (found === major) return
  throw new PostgresProblem(
    'version_mismatch',
    `${clusterDir} was created by Postgres ${found}, but this program contains Postgres ${major}: dump it with the program that created it, move the folder away, and restore into the new one`,
  )
}

/**
 * Waits until no server uses the cluster, then removes the residue of a dead one. The process id in `postmaster.pid`
 * may belong to another process by now (after a reboot, in a container), and Postgres would then never start again;
 * only a process whose working directory is the cluster counts.
 */
export async function stopPredecessor(clusterDir: string): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid')
  const startedAtMs = performance.now()
  for (;;) {
    const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
    const pid = Number.parseInt(lines[0] ?? '', 10)
    if (!(pid > 1)) return
    const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    if (workingDir !== clusterDir) return rm(pidFile, { force: true })
    const stopping = lines[7]?.trim() === 'stopping'
    if (performance.now() - startedAtMs > (stopping ? predecessorStopMs : predecessorNoticeMs)) {
      throw new PostgresProblem('already_running', `another Postgres (process ${pid}) works on ${clusterDir}`)
    }
    await sleep(50)
  }
}
