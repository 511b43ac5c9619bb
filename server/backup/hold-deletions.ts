import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { asAccount } from '../postgres/account.ts'
import { DeletionHold } from '../storage/deletion-hold.ts'
import { BackupProblem } from './backup-problem.ts'

export interface HeldDeletions {
  /** What was deleted since the hold stands, by its keys below this folder. */
  folder: string
  /** Lets what was put aside go. */
  release(): Promise<void>
}

const busyCode = 3

/** It ends with its parent, however that dies, and takes what it placed along. */
const script = `
  if [ -n "$(find "$1" -mmin -1 2>/dev/null)" ]; then exit 3; fi
  trap 'rm -f -- "$1"; rm -rf -- "$2"; exit 0' TERM
  while :; do touch -- "$1" || exit 1; echo placed; sleep 5 >/dev/null & wait $!; done
`

/** Has deleted objects put aside, until it is released. The folder is not root's, so its owner places the hold. */
export async function holdDeletions(objects: string): Promise<HeldDeletions> {
  const { uid, gid } = statSync(objects)
  const hold = new DeletionHold(objects)
  const account = process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
  const [command = '', ...args] = asAccount(
    account,
    ['sh', '-c', script, 'hold', hold.file, hold.held],
    'TERM',
  )
  const child = spawn(command, args, { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const placed = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
  if (!placed) {
    const [code] = (await ended) as [number | null]
    throw new BackupProblem(
      code === busyCode
        ? 'another backup of this service is being made'
        : `deletions cannot be held: ${hold.file} cannot be written`,
    )
  }
  child.stdout.resume()
  return {
    folder: hold.held,
    release: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
