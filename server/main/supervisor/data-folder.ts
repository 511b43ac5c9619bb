import { accessSync, chmodSync, chownSync, constants, lstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Account } from '../../postgres/account.ts'
import { exitCodes, ServiceProblem } from './service-problem.ts'

export interface DataFolder {
  root: string
  postgres: string
  logs: string
  programs: string
  /** What the roles load, packed. */
  packed: string
  /** Compiled code that Node keeps between starts, apart by who may write it: nobody runs another's. */
  compiled: { root: string; service: string }
  lock: string
  /** Held for the one worker of this folder. */
  workerLock: string
}

interface Place {
  name: string
  mode: number
  /** `service`: the service user's own; `shared`: root's, its group may enter; `root`: nobody else's business. */
  owner: 'service' | 'shared' | 'root'
}

/** Who may enter what: the host agent's folder is closed to the service, the keys are closed to the agent's sandboxes. */
const places: Place[] = [
  { name: 'keys', mode: 0o700, owner: 'service' },
  { name: 'objects', mode: 0o700, owner: 'service' },
  { name: 'run', mode: 0o750, owner: 'shared' },
  { name: 'agent', mode: 0o700, owner: 'root' },
  { name: 'logs', mode: 0o750, owner: 'root' },
  { name: 'program', mode: 0o755, owner: 'root' },
  { name: 'packed', mode: 0o755, owner: 'root' },
  { name: 'compiled', mode: 0o755, owner: 'root' },
  { name: 'compiled/root', mode: 0o700, owner: 'root' },
  { name: 'compiled/service', mode: 0o700, owner: 'service' },
]

/** Makes what is missing in the data folder and sets owners and modes. Rejects with exit code 6, naming the folder. */
export function prepareDataFolder(root: string, account: Account | undefined): DataFolder {
  try {
    ownFolder(root, account ? 0o711 : 0o700)
    for (const place of places) {
      const path = join(root, place.name)
      ownFolder(path, place.mode)
      if (account && place.owner === 'service') chownSync(path, account.uid, account.gid)
      if (account && place.owner === 'shared') chownSync(path, 0, account.gid)
    }
  } catch (cause) {
    if (cause instanceof ServiceProblem) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceProblem(exitCodes.dataFolder, `the data folder ${root} cannot be used: ${why}`, {
      cause,
    })
  }
  if (account) checkWayIn(root, account)
  return {
    root,
    postgres: join(root, 'postgres'),
    logs: join(root, 'logs'),
    programs: join(root, 'program'),
    packed: join(root, 'packed'),
    compiled: { root: join(root, 'compiled/root'), service: join(root, 'compiled/service') },
    lock: join(root, 'service.lock'),
    workerLock: join(root, 'worker.lock'),
  }
}

function ownFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode })
  // A link here would let its maker choose what root changes the owner of.
  if (!lstatSync(path).isDirectory()) {
    throw new ServiceProblem(exitCodes.dataFolder, `${path} must be a folder, and not a link to one`)
  }
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  chmodSync(path, mode)
}

function checkWayIn(root: string, account: Account): void {
  for (let parent = dirname(root); parent !== dirname(parent); parent = dirname(parent)) {
    const found = lstatSync(parent)
    const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001
    if (found.isSymbolicLink() || (found.mode & bit) !== 0) continue
    throw new ServiceProblem(
      exitCodes.dataFolder,
      `the service user cannot enter ${parent}, which holds the data folder: choose another with SANDBOX_DATA, or chmod o+x ${parent}`,
    )
  }
}
