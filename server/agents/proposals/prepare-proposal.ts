import { proposalLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { newId } from '../../base/ids.ts'
import type { StagedInput } from '../../base/json/staged-input.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import { boundOfRun } from '../../billing/holds/bound-of-run.ts'
import { selectableRegions } from '../../companies/settings/company-policy.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Database } from '../../db/database.ts'
import { planRun, type SubmitDeps } from '../../runs/submit/submit-run.ts'
import type { RunnableItem } from '../../tasks/menu/menu-service.ts'
import { lockLastSequence } from '../turns/message-store.ts'
import type { PendingProposals } from './own-proposals.ts'
import { signReceipt, summaryOf } from './proposal.ts'
import {
  findProposal,
  insertProposal,
  listPendingProposals,
  moveProposal,
  type ProposalRow,
} from './proposal-store.ts'

export interface ProposalDeps {
  db: Database
  directory: Directory
  clock: Clock
  signed: SignedTokens
  submit: SubmitDeps
  pending: PendingProposals
}

export interface ProposedJob {
  principal: Principal
  roomId: string
  item: RunnableItem
  input: StagedInput
  timeoutSeconds: number | undefined
}

const overheadBytes = 1024

/**
 * Stores a job that a person has to confirm, in place of any other that the principal has pending. It is checked like a
 * submission, so that what is confirmed can run. Throws what a submission throws.
 */
export async function prepareProposal(deps: ProposalDeps, job: ProposedJob): Promise<ProposalRow> {
  const { principal, roomId, item, input } = job
  const body = { task_version_id: item.task_version_id, timeout_seconds: job.timeoutSeconds ?? null }
  const run = await planRun(deps.submit, { principal, chatroomId: roomId, body, source: 'agent' }, input)
  const { timeoutSeconds } = run
  const costBound = await boundOfRun(deps.db, {
    companyId: principal.companyId,
    profile: run.resourceProfile,
    regions: selectableRegions(deps.submit.policy.deployment),
    timeoutSeconds,
  })
  const id = newId('agentProposal')
  const now = deps.clock.now()
  return deps.db.transaction().execute(async (trx) => {
    // Of two proposals of a principal at once, the later one sees and supersedes the other.
    await lockCompany(trx, principal.companyId, `proposals:${principal.principalId}`)
    for (const other of await listPendingProposals(trx, principal)) {
      const to = other.expires_at <= now ? 'expired' : 'superseded'
      await moveProposal(trx, other, { to, from: ['prepared'] })
    }
    await requireStorageQuota(trx, principal.companyId, overheadBytes + input.content.length)
    const room = { id: roomId, company_id: principal.companyId }
    await insertProposal(trx, {
      id,
      company_id: principal.companyId,
      chatroom_id: roomId,
      principal_type: principal.principalType,
      principal_id: principal.principalId,
      origin_message_id: principal.turn?.messageId ?? null,
      // A message that was posted before the proposal was stored cannot mean it.
      origin_sequence: await lockLastSequence(trx, room),
      task_id: item.task_id,
      task_version_id: item.task_version_id,
      timeout_seconds: timeoutSeconds,
      input: input.content,
      input_digest: input.digest,
      summary: summaryOf(item, input, { timeoutSeconds, costBound }),
      expires_at: new Date(now.getTime() + proposalLifetimeSeconds * 1000),
    })
    const row = await findProposal(trx, { companyId: principal.companyId, id })
    if (!row) throw new Error('a new proposal is not found')
    return row
  })
}

/** A fresh receipt of a pending proposal. */
export const receiptOf = (
  { signed, clock }: Pick<ProposalDeps, 'signed' | 'clock'>,
  row: ProposalRow,
): string => signReceipt(signed, row, clock.now())
