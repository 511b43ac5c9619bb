import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '../../../base/clock.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import { BackupProblem } from '../backup-problem.ts'
import { readFileList } from '../file-list.ts'
import { completeBackup, manifestName, parseManifest, readManifest, startBackup } from '../manifest.ts'
import { namePattern, startOf } from '../schedule/found-backups.ts'
import { type KeepRules, notKept } from '../schedule/retention.ts'
import { type Remote, RemoteProblem, rclone } from './rclone.ts'

/*
 * A folder of backups in a bucket, of the same form as that on the disk. The manifest of a copy is written last, when all other files
 * have been read back and have the digests of the backup: without it a copy is incomplete. A removal starts with the manifest.
 */

export interface RemoteBackup {
  name: string
  /** When the backup was started, which its name says. */
  madeAt: Date
  isComplete: boolean
}

/** Copies may last long, also one that another command makes; afterwards an incomplete one is removed. */
const incompleteDays = 7
/** Exit code of rclone for a folder or file that does not exist. */
const absentCode = 3
/** rclone does not repeat a check of which an answer was broken off. */
const readTries = 3
const content = ['--filter=+ /files.gz', '--filter=+ /{database,keys,objects}/**', '--filter=- *']

export class RemoteBackups {
  readonly #remote: Remote

  constructor(remote: Remote) {
    this.#remote = remote
  }

  /** Throws a `BackupProblem` if the bucket cannot be used, or has the backups of another service. */
  async check(machine: string, signal?: AbortSignal): Promise<void> {
    const found = await this.#read('machine-id', signal)
    if (found === undefined) await this.#write('machine-id', `${machine}\n`, signal)
    else if (found.trim() !== machine) {
      throw new BackupProblem(
        `${this.#remote.path} has backups of another service: name another folder in SANDBOX_BACKUP_REMOTE, or remove its machine-id if this service shall go on with them and remove old ones`,
      )
    }
  }

  /** Copies a complete backup. A copy that was interrupted is continued, and one that is complete stays. */
  async copy(source: string, name: string, signal?: AbortSignal): Promise<void> {
    const manifest = await readManifest(source)
    const text = await readFile(join(source, manifestName), 'utf8')
    if ((await this.#read(`${name}/${manifestName}`, signal)) === text) return
    const files = await readFileList(source, manifest.filesSha256)
    if (!files) throw new BackupProblem(`files.gz of ${source} is missing or damaged`)
    const target = this.#at(name)
    await this.#call(['copy', '--size-only', '--no-update-modtime', ...content, source, target], signal)
    const digests = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    await this.#verify(target, [...digests, `${manifest.filesSha256}  files.gz\n`].join(''), signal)
    await this.#write(`${name}/${manifestName}`, text, signal)
  }

  /** All backups in the bucket, the newest first. */
  async list(signal?: AbortSignal): Promise<RemoteBackup[]> {
    const folders = await this.#names('', ['--dirs-only'], signal)
    const names = folders.map((folder) => folder.replace(/\/$/, '')).filter((name) => namePattern.test(name))
    const found: RemoteBackup[] = []
    for (const name of names.toSorted().toReversed()) {
      const files = await this.#names(name, ['--files-only', `--include=/${manifestName}`], signal)
      found.push({ name, madeAt: startOf(name), isComplete: files.includes(manifestName) })
    }
    return found
  }

  /** Removes copies that the rules do not keep, and old incomplete ones. Returns their names. */
  async retain(keep: KeepRules, now: Date, signal?: AbortSignal): Promise<string[]> {
    const found = await this.list(signal)
    const complete = found.filter(({ isComplete }) => isComplete)
    const old = found.filter(
      ({ isComplete, madeAt }) => !isComplete && now.getTime() - madeAt.getTime() > incompleteDays * dayMs,
    )
    const names = [...notKept(complete, keep, now), ...old].map(({ name }) => name)
    for (const name of names) await this.remove(name, signal)
    return names
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    await this.#unlessAbsent(['delete', `--include=/${manifestName}`, this.#at(name)], signal)
    await this.#unlessAbsent(['purge', this.#at(name)], signal)
  }

  /** Copies a complete backup to a folder that does not exist or is empty. A restore verifies it. */
  async fetch(name: string, target: string, signal?: AbortSignal): Promise<void> {
    const text = await this.#read(`${name}/${manifestName}`, signal)
    const manifest = text === undefined ? undefined : parseManifest(text)
    if (!manifest) throw new BackupProblem(`${this.#at(name)} contains no complete backup`)
    await startBackup(target)
    await this.#call(['copy', ...content, this.#at(name), target], signal)
    await completeBackup(target, manifest)
  }

  #at = (path: string): string => `${this.#remote.path}/${path}`

  #call = (args: string[], signal?: AbortSignal): Promise<string> => rclone(this.#remote, args, signal)

  async #unlessAbsent(args: string[], signal?: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#call(args, signal)
    } catch (error) {
      if (error instanceof RemoteProblem && error.exitCode === absentCode) return undefined
      throw error
    }
  }

  async #names(path: string, options: string[], signal?: AbortSignal): Promise<string[]> {
    const listed = await this.#unlessAbsent(['lsf', ...options, this.#at(path)], signal)
    return (listed ?? '').split('\n').filter((name) => name !== '')
  }

  /** Undefined if there is no such file. */
  async #read(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const at = path.lastIndexOf('/')
    const [folder, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)]
    const names = await this.#names(folder, ['--files-only', `--include=/${name}`], signal)
    return names.includes(name) ? this.#call(['cat', this.#at(path)], signal) : undefined
  }

  /** Writes a small file, which is then there as a whole or not at all, and reads it back. */
  async #write(path: string, text: string, signal?: AbortSignal): Promise<void> {
    await inScratch(text, (file) => this.#call(['copyto', '--ignore-times', file, this.#at(path)], signal))
    if ((await this.#read(path, signal)) === text) return
    await this.#unlessAbsent(['deletefile', this.#at(path)], signal)
    throw new RemoteProblem(`${this.#at(path)} is not what was written`)
  }

  /** Reads all files back. Those that differ are removed, so that the next copy sends them again. */
  #verify = (target: string, digests: string, signal?: AbortSignal): Promise<void> =>
    inScratch(digests, async (file) => {
      for (let tried = 1; ; tried += 1) {
        const [differing, unread] = [`${file}.differing`, `${file}.unread`]
        const reports = [`--differ=${differing}`, `--error=${unread}`]
        try {
          await this.#call(
            ['check', '--download', '--one-way', '--checkfile=sha256', ...reports, file, target],
            signal,
          )
          return
        } catch (error) {
          if (!(error instanceof RemoteProblem)) throw error
          if (await hasText(differing)) {
            await this.#call(['delete', `--files-from-raw=${differing}`, target], signal)
            throw error
          }
          if (tried === readTries || !(await hasText(unread))) throw error
        }
      }
    })
}

const hasText = (file: string): Promise<boolean> =>
  stat(file).then(
    ({ size }) => size > 0,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )

async function inScratch<T>(text: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-backup-'))
  try {
    const file = join(folder, 'file')
    await writeFile(file, text, { mode: 0o600 })
    return await work(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
