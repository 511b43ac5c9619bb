import { userInfo } from 'node:os'
import type { Executing } from '../db/database.ts'
import {
  findBrokenAct,
  insertOperatorAct,
  listOperatorActs,
  type OperatorActRow,
} from './operator-act-store.ts'

/*
 * The record of what operators do past the API. An act is written down before it is begun, so that nothing is done which
 * could not be written down; one that then changed nothing, or failed, is in the record too.
 */

/** What is recorded of one command. `details` hold no secret. */
export interface OperatorAct {
  act:
    | 'backup'
    | 'restore'
    | 'company_set'
    | 'directory_apply'
    | 'password_set'
    | 'image_block'
    | 'image_unblock'
    | 'build_fence_on'
    | 'build_fence_off'
    | 'environment_publish'
    | 'environment_archive'
    | 'finding_block'
    | 'finding_unblock'
    | 'runner_release_approve'
    | 'signing_key_rotate'
    | 'storage_recount'
    | 'signing_key_retire'
    | 'token_key_rotate'
    | 'pepper_rotate'
    | 'pepper_retire'
    | 'vulnerabilities_import'
  subject?: string
  details?: object
}

const subjectMaxLength = 256

/** Records an act of whoever runs this process. */
export async function recordAct(
  db: Executing,
  { act, subject = '', details = {} }: OperatorAct,
): Promise<void> {
  const { username: account } = userInfo()
  await insertOperatorAct(db, { account, act, subject: subject.slice(0, subjectMaxLength), details })
}

export interface OperatorActs {
  /** Newest first. */
  items: OperatorActRow[]
  /** Number of the first act that was changed, or before which some are missing; null: none. */
  broken_at: number | null
}

/** The newest acts, and whether the record of all is as it was written. The newest that were taken away are not missed. */
export async function readActs(db: Executing, limit: number): Promise<OperatorActs> {
  return { items: await listOperatorActs(db, limit), broken_at: (await findBrokenAct(db)) ?? null }
}
