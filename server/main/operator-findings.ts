import { blockFinding, unblockFinding } from '../findings/block-finding.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

type Moved = Promise<{ ok: true; value: boolean } | ServiceRefusal>

/** Forbids exceptions of a finding. False: there is no such finding, or nothing shows it any more. */
export const block = (id: string, reason: string): Moved =>
  onLocalService(async ({ db }) => (await blockFinding(db, id, reason)) !== undefined)

/** Allows them again. False: it is not blocked. */
export const unblock = (id: string): Moved =>
  onLocalService(async ({ db }) => (await unblockFinding(db, id)) !== undefined)
