import type { OperatedImages } from '@sandbox-jobs/contract/operator/operated-images.ts'
import type { Database } from '../../db/database.ts'
import { listBlockedDigests } from '../../environments/operator/digest-blocks.ts'

export async function readOperatedImages(db: Database): Promise<OperatedImages> {
  const blocked = await listBlockedDigests(db)
  return { blocked: blocked.map((block) => ({ ...block, blocked_at: block.blocked_at.toISOString() })) }
}
