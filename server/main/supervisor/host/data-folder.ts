import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { keysFolder } from '../../../base/keys/keys.ts'
import { signingKeysFolder } from '../../../base/keys/signing-keys.ts'
import { isPreloadable } from '../../../native-programs/preload.ts'
import type { Account } from '../../../postgres/account.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'
import { changeOwner } from './change-owner.ts'
import type { ServiceAccounts } from './service-accounts.ts'

export interface DataFolder {
  root: string
  postgres: string
  logs: string
  programs: string
  /** Folder of the packed programs of the roles. */
  packed: string
  /** Native programs of the service's own processes. */
  native: string
  /** Node's compile cache, one per account that may write it: no process runs code cached by another. */
  compiled: Record<'agent' | 'backups' | 'api' | 'worker' | 'operator', string>
}

interface Folder {
  name: string
  mode: number
  /**
   * `shared`: owned by the worker's account, writable for the group that it shares with the API. `watched`: owned by root, readable for
   * the group of the operator console.
   */
  owner: 'root' | 'shared' | 'watched' | 'api' | 'worker' | 'operator'
}

/**
 * Access to each folder: each key is only for the process that needs it, and the agent's folder is closed to the
 * service.
 */
const folders: Folder[] = [
  { name: 'keys', mode: 0o711, owner: 'root' },
  { name: 'keys/api', mode: 0o700, owner: 'api' },
  { name: 'keys/image-signing', mode: 0o711, owner: 'worker' },
  { name: 'keys/gateway', mode: 0o700, owner: 'worker' },
  // Keys that stored secrets are encrypted under: the worker makes and reads them, the API encrypts with them.
  { name: 'keys/secrets', mode: 0o2750, owner: 'shared' },
  { name: 'objects', mode: 0o2770, owner: 'shared' },
  // The mode of each socket says who may connect to it.
  { name: 'run', mode: 0o711, owner: 'root' },
  { name: 'agent', mode: 0o700, owner: 'root' },
  // Files in it get its group.
  { name: 'logs', mode: 0o2750, owner: 'watched' },
  { name: 'program', mode: 0o755, owner: 'root' },
  { name: 'packed', mode: 0o755, owner: 'root' },
  { name: 'native', mode: 0o755, owner: 'root' },
  { name: 'compiled', mode: 0o755, owner: 'root' },
  { name: 'compiled/agent', mode: 0o700, owner: 'root' },
  { name: 'compiled/api', mode: 0o700, owner: 'api' },
  { name: 'compiled/worker', mode: 0o700, owner: 'worker' },
  { name: 'compiled/operator', mode: 0o700, owner: 'operator' },
]

export interface FolderLocks {
  lock: string
  /** Lock of the single worker of this folder. */
  workerLock: string
}

/** The data folder and its lock files. Rejects with exit code 6 and names the folder. */
export function openDataFolder(root: string, accounts: ServiceAccounts | undefined): FolderLocks {
  if (!isPreloadable(root)) {
    throw new ServiceProblem(
      exitCodes.dataFolder,
      `the path of the data folder, ${root}, holds a space, a colon or a $, with which no library in it can protect the service's processes: choose another with SANDBOX_DATA`,
    )
  }
  usable(root, () => ownFolder(root, accounts ? 0o711 : 0o700, undefined))
  for (const account of Object.values<Account | undefined>({ ...accounts }))
    if (account) checkWayIn(root, account)
  return { lock: join(root, 'service.lock'), workerLock: join(root, 'worker.lock') }
}

/**
 * Creates missing folders of the data folder, and sets owners and modes. The caller holds the folder's lock. Rejects with
 * exit code 6 and names the folder.
 */
export function prepareDataFolder(root: string, accounts: ServiceAccounts | undefined): DataFolder {
  usable(root, () => {
    for (const { name, mode, owner } of folders) {
      const account = accounts && ownerOf(owner, accounts)
      ownFolder(join(root, name), mode, account)
      // Files that were there before the operator console was switched on, or off.
      if (owner === 'watched' && account)
        changeOwner(join(root, name), { from: 0, to: account, folderMode: mode })
    }
  })
  return {
    root,
    postgres: join(root, 'postgres'),
    logs: join(root, 'logs'),
    programs: join(root, 'program'),
    packed: join(root, 'packed'),
    native: join(root, 'native'),
    compiled: {
      agent: join(root, 'compiled/agent'),
      backups: join(root, 'compiled/agent'),
      api: join(root, 'compiled/api'),
      worker: join(root, 'compiled/worker'),
      operator: join(root, 'compiled/operator'),
    },
  }
}

function ownerOf(owner: Folder['owner'], accounts: ServiceAccounts): Account {
  // Without a console of the operator nobody needs its folder.
  if (owner === 'root' || (owner === 'operator' && !accounts.operator)) return { uid: 0, gid: 0 }
  if (owner === 'watched') return { uid: 0, gid: accounts.operator?.gid ?? 0 }
  return owner === 'shared'
    ? { uid: accounts.worker.uid, gid: accounts.shared.gid }
    : (accounts[owner] as Account)
}

/** Gives each file that a restore wrote for the shared account to the account that needs it. */
export function shareRestored(root: string, accounts: ServiceAccounts | undefined): void {
  if (!accounts) return
  shareKeys(root, accounts)
  const { worker, shared } = accounts
  const to = { uid: worker.uid, gid: shared.gid }
  usable(root, () =>
    changeOwner(join(root, 'objects'), { from: shared.uid, to, folderMode: 0o2770, fileMode: 0o660 }),
  )
}

/** Gives each key file of the shared account to the account that needs it. */
export function shareKeys(root: string, { api, worker, shared }: ServiceAccounts): void {
  const from = shared.uid
  const ofBoth = { uid: worker.uid, gid: shared.gid }
  usable(root, () => {
    changeOwner(keysFolder(root), { from, to: api, fileMode: 0o600 })
    // Files of the worker that the API reads.
    for (const name of ['present', 'trusted']) {
      const path = join(signingKeysFolder(root), name)
      changeOwner(path, { from, to: worker, folderMode: 0o755, fileMode: 0o644 })
    }
    changeOwner(signingKeysFolder(root), { from, to: worker, fileMode: 0o600 })
    changeOwner(join(root, 'keys/gateway'), { from, to: worker, fileMode: 0o600 })
    changeOwner(join(root, 'keys/secrets'), { from, to: ofBoth, fileMode: 0o640 })
  })
}

/** A link here would let its creator choose what root changes the owner of, so root changes what it has opened. */
function ownFolder(path: string, mode: number, owner: Account | undefined): void {
  mkdirSync(path, { recursive: true, mode })
  const found = lstatSync(path)
  if (!found.isDirectory()) {
    throw new ServiceProblem(exitCodes.dataFolder, `${path} must be a folder, and not a link to one`)
  }
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    if (owner) fchownSync(folder, owner.uid, owner.gid)
    fchmodSync(folder, mode)
  } finally {
    closeSync(folder)
  }
}

function usable(root: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    if (cause instanceof ServiceProblem) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceProblem(exitCodes.dataFolder, `the data folder ${root} cannot be used: ${why}`, {
      cause,
    })
  }
}

/** Rejects with exit code 6 if the account cannot enter a folder above the data folder. */
export function checkWayIn(root: string, account: Account): void {
  for (let parent = dirname(root); parent !== dirname(parent); parent = dirname(parent)) {
    const found = lstatSync(parent)
    const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001
    if (found.isSymbolicLink() || (found.mode & bit) !== 0) continue
    throw new ServiceProblem(
      exitCodes.dataFolder,
      `the service's users cannot enter ${parent}, which holds the data folder: choose another with SANDBOX_DATA, or chmod o+x ${parent}`,
    )
  }
}
