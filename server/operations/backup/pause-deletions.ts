import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { asAccount } from '../../postgres/account.ts'
import { DeletionPause } from '../../storage/deletion-pause.ts'
import { BackupProblem } from './backup-problem.ts'

export interface PausedDeletions {
  /** Objects deleted since the hold started, by their keys below this folder. */
  folder: string
  /** Deletes the held objects and ends the hold. Returns whether it lasted until then. */
  release(): Promise<boolean>
}

const busyCode = 3

/**
 * Ends with its parent, even after kill -9 of the parent, and removes the hold and the held objects. A process of the service removes
 * both if the file was not touched for long, as after a change of the clock: then the hold is over, and the file is not made again.
 */
const script = `
  if [ -n "$(find "$1" -mmin -1 2>/dev/null)" ]; then exit 3; fi
  rm -rf -- "$2"
  trap '[ -e "$1" ]; lost=$?; rm -f -- "$1"; rm -rf -- "$2"; exit $lost' TERM
  touch -- "$1" || exit 1
  while [ -e "$1" ]; do touch -c -- "$1"; echo placed; sleep 5 >/dev/null & wait $!; done
  exit 1
`

/**
 * Moves deleted objects aside until the hold is released. Root does not own the folder, so a process of the folder's
 * owner creates the hold.
 */
export async function pauseDeletions(objects: string): Promise<PausedDeletions> {
  const { uid, gid } = statSync(objects)
  const pause = new DeletionPause(objects)
  const account = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
  const [command = '', ...args] = asAccount(
    account,
    ['sh', '-c', script, 'hold', pause.file, pause.held],
    'TERM',
  )
  const child = spawn(command, args, { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const placed = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
  if (!placed) {
    const [code] = (await ended) as [number | null]
    throw new BackupProblem(
      code === busyCode
        ? 'another backup of this service is in progress'
        : `deletions cannot be held: ${pause.file} cannot be written`,
    )
  }
  child.stdout.resume()
  return {
    folder: pause.held,
    release: async () => {
      child.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      return code === 0
    },
  }
}
