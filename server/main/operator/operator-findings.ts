import { blockFinding, unblockFinding } from '../../findings/block-finding.ts'
import { actOnService, type ServiceRefusal } from './local-service.ts'

type Moved = Promise<{ ok: true; value: boolean } | ServiceRefusal>

/** Forbids exceptions of a finding. False: the finding is absent or no version shows it. */
export const block = (id: string, reason: string): Moved =>
  actOnService(
    { act: 'finding_block', subject: id, details: { reason } },
    async ({ db }) => (await blockFinding(db, id, reason)) !== undefined,
  )

/** Allows them again. False: it is not blocked. */
export const unblock = (id: string): Moved =>
  actOnService(
    { act: 'finding_unblock', subject: id },
    async ({ db }) => (await unblockFinding(db, id)) !== undefined,
  )
