import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { PodExit } from './pod-exit.ts'

/*
 * For ever, or for 30 days: which sandbox ids of an executor may start, which started, and how they ended. A cluster proves none of it:
 * a kubelet may start a container again, and a node that nobody reaches goes on. The row of an id does:
 *
 *   placed     a pod with this id may redeem it
 *   redeemed   one process in one pod has: the program may have started, and no other process will start it
 *   exited     how it ended is known
 *   removed    its results are gone
 *   forbidden  no process ever redeemed it, and none will
 *
 *   none -> placed -> redeemed -> exited -> removed
 *   none, placed -> forbidden
 */

export type RecordState = 'placed' | 'redeemed' | 'exited' | 'removed' | 'forbidden'

/** How hard a sandbox is asked to end: not at all, by SIGTERM, by SIGKILL. */
export type StopLevel = 0 | 1 | 2

export interface SandboxRecord {
  id: string
  state: RecordState
  /** Absent once it is forbidden or removed. */
  spec: SandboxSpec | undefined
  stop: StopLevel
  /** Of a sandbox that exited. */
  exit: PodExit | undefined
}

/** The pod that a process proved to be in, and the SHA-256 of the credential that it made. */
export interface Redemption {
  podUid: string
  credentialHash: Buffer
  /** The credential is valid for so long. */
  validMs: number
}

/** Why nothing was redeemed. `other_process`: another one did. */
export type RedeemRefusal = 'other_process' | 'forbidden' | 'removed' | 'claim_expired' | 'unknown'

/**
 * The records of one executor. Each call is one statement: it is done or not done, whether or not its answer arrives, and may be
 * repeated.
 */
export interface SandboxRecords {
  /** Records that a pod may redeem this id, unless there is a record of it. Returns the state afterwards. */
  place(spec: SandboxSpec): Promise<RecordState>
  /** Once for ever for one process of one pod; the same one may ask again. */
  redeem(id: string, redemption: Redemption): Promise<'redeemed' | RedeemRefusal>
  /** True if no process redeemed it: from then on none will. */
  forbid(id: string): Promise<boolean>
  /** The record of the process with this credential, while the credential is valid. */
  authorized(id: string, credentialHash: Buffer): Promise<SandboxRecord | undefined>
  /**
   * Records how a redeemed sandbox ended: as the process with this credential says, or without one as an observer does. True also if the
   * same end is recorded already; false if another one is, or there is nothing that can end.
   */
  exit(id: string, exit: PodExit, credentialHash?: Buffer): Promise<boolean>
  /** Raises the level of the request to end a sandbox that has not ended. Returns its state. */
  stop(id: string, level: 1 | 2): Promise<RecordState | undefined>
  /** After its results are gone. Returns the state afterwards: only a sandbox that exited can be removed. */
  remove(id: string): Promise<RecordState | undefined>
  find(id: string): Promise<SandboxRecord | undefined>
  /** Those that are redeemed or exited, and those that are placed. */
  list(): Promise<Pick<SandboxRecord, 'id' | 'state'>[]>
}
