import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { findUser } from '../../access/turns.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { CallbackKey, callbackKeyPath } from './callback-key.ts'
import {
  commandTarget,
  type FindUser,
  isRestricted,
  matchesCommand,
  mayCallCommand,
  mayWriteTable,
  type PolicyAuthors,
  writableTable,
} from './policy-target.ts'
import { storedPolicy } from './stored-policy.ts'

/*
 * Output policies at each moment of their life (contract part 1, "Task version"; part 2, "Errors"): draft, publish, submit.
 * The same check has another code at each, because another person has to act. The callback checks once more
 * (`callbacks/callback-authority.ts`), and nothing is remembered in between.
 */

export interface OutputPolicyDeps {
  db: Database
  directory: Directory
  clock: Clock
  findUser: FindUser
  key: CallbackKey
}

/** The same for a process of the service, with the key in its data folder. */
export const outputPolicies = ({
  log,
  dataDir,
  ...parts
}: Pick<OutputPolicyDeps, 'db' | 'directory' | 'clock'> & {
  log: Log
  dataDir: string
}): OutputPolicyDeps => ({
  ...parts,
  findUser: (companyId, userId) => findUser(parts.db, companyId, userId),
  key: new CallbackKey(callbackKeyPath(dataDir), log),
})

const draftCodes = {
  gone: 'output_policy_table_not_found',
  channel: 'output_policy_channel_table',
  governed: 'output_policy_governed_table',
} as const

/** A policy of a request for a draft. */
export async function checkDraftPolicy(
  { db, directory }: OutputPolicyDeps,
  companyId: string,
  policy: OutputPolicy,
): Promise<void> {
  if (policy.kind === 'custom_table_writeback') {
    const table = await writableTable(db, companyId, policy)
    if (typeof table === 'string') throw new CodedError(draftCodes[table])
    return
  }
  const target = await commandTarget(db, companyId, policy)
  if (!target) throw new CodedError('output_policy_command_not_found')
  if (!matchesCommand(policy, target.command)) throw new CodedError('output_policy_schema_mismatch')
  if (!(await directory.room(companyId, policy.chatroom_id))) throw new CodedError('output_policy_invalid')
}

/** The policy of a draft that somebody publishes. */
export async function checkPublishedPolicy(
  deps: OutputPolicyDeps,
  publisher: Principal,
  version: { ownerScope: string; policy: unknown; author: string },
): Promise<void> {
  const policy = storedPolicy(version.policy)
  if (policy === 'none') return
  if (policy === 'unknown') throw new CodedError('output_policy_invalid')
  if (version.ownerScope !== 'department') throw new CodedError('output_policy_owner_scope_unsupported')
  const { companyId } = publisher
  if (policy.kind === 'custom_table_writeback') {
    const table = await writableTable(deps.db, companyId, policy)
    if (typeof table === 'string') throw new CodedError('output_policy_unsatisfiable')
    if (!mayWriteTable(publisher, table)) throw new CodedError('output_policy_author_denied')
    return
  }
  const target = await commandTarget(deps.db, companyId, policy)
  if (!target || !matchesCommand(policy, target.command) || !isRestricted(target.command))
    throw new CodedError('output_policy_unsatisfiable')
  const call = { command: target.command, roomId: policy.chatroom_id }
  const author = await deps.findUser(companyId, version.author)
  for (const person of [author, publisher])
    if (!(await mayCallCommand(deps.directory, person, call)))
      throw new CodedError('output_policy_author_denied')
}

export interface SubmittedRun {
  principal: Principal
  chatroomId: string
  /** False: nobody asked for this run. */
  isAttended: boolean
}

/** The policy of a version that somebody runs. Nothing is queued when it throws. */
export async function checkSubmittedPolicy(
  deps: OutputPolicyDeps,
  run: SubmittedRun,
  version: PolicyAuthors & { policy: unknown },
): Promise<void> {
  const policy = storedPolicy(version.policy)
  if (policy === 'none' || policy === 'unknown') return
  deps.key.require()
  const { companyId } = run.principal
  if (policy.kind === 'custom_table_writeback') {
    const table = await writableTable(deps.db, companyId, policy)
    if (typeof table === 'string') throw new CodedError('output_policy_unsatisfiable')
    const publisher = await deps.findUser(companyId, version.publisher)
    if (run.principal.principalType !== 'user' || !mayWriteTable(publisher, table))
      throw new CodedError('writeback_authority_denied')
    return
  }
  const target = await commandTarget(deps.db, companyId, policy)
  if (!target) throw new CodedError('output_policy_command_not_found')
  if (!matchesCommand(policy, target.command)) throw new CodedError('output_policy_schema_mismatch')
  // Somebody asked for it in the room of the policy: a trigger or a schedule has no person who did.
  const isAsked = run.chatroomId === policy.chatroom_id && run.isAttended
  if (!isAsked || !isRestricted(target.command)) throw new CodedError('output_policy_author_denied')
  await requireCallers(deps, { ...version, submitter: run.principal }, target.command, policy.chatroom_id)
}

async function requireCallers(
  { directory, findUser }: OutputPolicyDeps,
  people: PolicyAuthors & { submitter: Principal },
  command: Parameters<typeof mayCallCommand>[2]['command'],
  roomId: string,
): Promise<void> {
  const { companyId } = people.submitter
  const others = [people.author, people.publisher].map((id) => findUser(companyId, id))
  for (const person of [people.submitter, ...(await Promise.all(others))])
    if (!(await mayCallCommand(directory, person, { command, roomId })))
      throw new CodedError('output_policy_author_denied')
}
