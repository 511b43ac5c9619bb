import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasCode } from '../../../base/errors/has-code.ts'
import { asAccount } from '../../../postgres/account.ts'
import { BackupProblem } from '../backup-problem.ts'

/*
 * Backups in a bucket are read and written by the program rclone, of Debian's package of that name, which knows S3 and many others. It
 * has the credentials from its configuration file and nothing from the environment, and it ends with its parent.
 */

/** Folder of backups in a bucket. */
export interface Remote {
  /** `NAME:BUCKET/FOLDER`, with a name of the configuration file. */
  path: string
  /** Configuration file of rclone, with the credentials: only its owner can read it. */
  configFile: string
}

/** The bucket cannot be used. It says nothing about the backup. */
export class RemoteProblem extends BackupProblem {
  /** Of rclone, if it has exited. */
  readonly exitCode: number | undefined

  constructor(problem: string, exitCode?: number) {
    super(problem)
    this.exitCode = exitCode
  }
}

const missing = 'backups are copied by rclone, which is not on this machine: apt-get install rclone'
const outputMaxBytes = 64 * 1024 * 1024
/** A server that does not answer fails a call, and a call that fails is repeated. A bucket that is missing is not created. */
const behaviour = [
  '--s3-no-check-bucket',
  '--contimeout=15s',
  '--timeout=2m',
  '--retries=3',
  '--low-level-retries=5',
  '--retries-sleep=1s',
]
const exec = promisify(execFile)

/** Output of rclone with these arguments. Throws a `RemoteProblem` if it fails. */
export async function rclone({ configFile }: Remote, args: string[], signal?: AbortSignal): Promise<string> {
  await checkConfigFile(configFile)
  const argv = ['rclone', `--config=${configFile}`, '--ask-password=false', ...behaviour, ...args]
  const [command = '', ...rest] = asAccount(undefined, argv, 'KILL')
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  try {
    const limits = { maxBuffer: outputMaxBytes, killSignal: 'SIGKILL' } as const
    const { stdout } = await exec(command, rest, { env, cwd: '/', signal, ...limits })
    return stdout
  } catch (error) {
    if (signal?.aborted || !(error instanceof Error) || !('code' in error)) throw error
    if (typeof error.code !== 'number') throw error
    if (error.code === noProgramCode) throw new RemoteProblem(missing)
    throw new RemoteProblem(`rclone: ${reasonIn('stderr' in error ? String(error.stderr) : '')}`, error.code)
  }
}

/** Of setpriv, when there is no such program. */
const noProgramCode = 127

/** The last message may have several lines. */
const reasonIn = (said: string): string =>
  said
    .slice(Math.max(said.lastIndexOf('Failed to '), 0))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 500)

async function checkConfigFile(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) throw new RemoteProblem(`${path} does not exist`)
    throw error
  })
  if (!found.isFile()) throw new RemoteProblem(`${path} is not a file`)
  if (found.uid !== (process.getuid?.() ?? 0) && found.uid !== 0)
    throw new RemoteProblem(`${path} belongs to another user`)
  if ((found.mode & 0o077) !== 0)
    throw new RemoteProblem(`${path} has credentials that other users can read: chmod 600 ${path}`)
}
