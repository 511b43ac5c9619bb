import { proposalInputShownMax, turnReceiptLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import { cutText, visibleText } from '@sandbox-jobs/contract/visible-text.ts'
import type { Principal } from '../../access/principal.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { RunnableItem } from '../../tasks/menu/menu-service.ts'
import { AgentError } from '../agent-error.ts'
import type { ProposalRow } from './proposal-store.ts'

export type { ProposalRow }

/** The facts that a receipt binds: which proposal, of whom, in which room, and the bytes that it was made for. */
interface ReceiptClaims {
  company: string
  room: string
  type: Principal['principalType']
  principal: string
  proposal: string
  input: string
}

/** A fresh receipt: it is good for ten minutes, but no longer than the proposal. */
export function signReceipt(signed: SignedTokens, row: ProposalRow, now: Date): string {
  const claims: ReceiptClaims = {
    company: row.company_id,
    room: row.chatroom_id,
    type: row.principal_type,
    principal: row.principal_id,
    proposal: row.id,
    input: row.input_digest,
  }
  const expiresAtMs = Math.min(now.getTime() + turnReceiptLifetimeSeconds * 1000, row.expires_at.getTime())
  return signed.sign('proposal-receipt', claims, new Date(expiresAtMs))
}

/** The proposal that a receipt names. Throws `forged_receipt`, or `not_found` for another's, another room's or an old one. */
export function readReceipt(
  signed: SignedTokens,
  receipt: string,
  { principal, roomId }: { principal: Principal; roomId: string },
): { companyId: string; id: string; inputDigest: string } {
  const read = signed.read<ReceiptClaims>('proposal-receipt', receipt)
  if ('refused' in read) throw new AgentError(read.refused === 'forged' ? 'forged_receipt' : 'not_found')
  const { claims } = read
  const isOwn =
    claims.company === principal.companyId &&
    claims.type === principal.principalType &&
    claims.principal === principal.principalId
  if (!isOwn || claims.room !== roomId) throw new AgentError('not_found')
  return { companyId: claims.company, id: claims.proposal, inputDigest: claims.input }
}

const nameShownMax = 256

/**
 * The text that a person confirms: task, version, timeout, what is reserved for it, what it may write, and the exact input
 * from the bytes that will be stored and run. Hidden characters are spelled out, and what is cut says so.
 */
export function summaryOf(
  item: Pick<RunnableItem, 'task_name' | 'task_id' | 'version_number' | 'task_version_id' | 'writes_table'>,
  { content, digest }: { content: Buffer; digest: string },
  { timeoutSeconds, costBound }: { timeoutSeconds: number; costBound: string | undefined },
): string {
  const name = JSON.stringify(cutText(visibleText(item.task_name), nameShownMax))
  return [
    `Run the task ${name} (${item.task_id}), version ${item.version_number} (${item.task_version_id}).`,
    `It may take at most ${timeoutSeconds} seconds.`,
    ...(costBound === undefined ? [] : [`${costBound} is reserved for it.`]),
    `It may write its own result, log and files${item.writes_table ? ', and rows of a table' : ''}.`,
    `Input (${content.length} bytes, ${digest}):`,
    cutText(visibleText(content.toString('utf8')), proposalInputShownMax),
  ].join('\n')
}
