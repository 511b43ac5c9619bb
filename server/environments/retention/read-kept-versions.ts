import type { KeptVersionList } from '@sandbox-jobs/contract/resources/environments/kept-version.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import type { Database } from '../../db/database.ts'
import { type KeptVersionRow, listKeptVersions, type VersionUses } from './kept-version-store.ts'

export interface KeptVersionContext {
  db: Database
  versionUses: VersionUses
}

const listed = 200

/** Data that the versions of the caller's company keep on disk, and the reasons, for its managers. Plain 403 for roles below. */
export async function readKeptVersions(
  { db, versionUses }: KeptVersionContext,
  principal: Principal,
): Promise<KeptVersionList> {
  authorize(principal, 'storage.read', ownCompany)
  const rows = await listKeptVersions(db, versionUses, { companyId: principal.companyId, limit: listed })
  return { items: rows.map(rendered) }
}

function rendered({ by_environment, by_task, by_run, removed_after, ...row }: KeptVersionRow) {
  const uses = [
    ...(by_environment ? (['environment'] as const) : []),
    ...(by_task ? (['tasks'] as const) : []),
    ...(by_run ? (['runs'] as const) : []),
  ]
  return {
    ...row,
    kept_by: uses.length > 0 ? uses : ['retention' as const],
    removed_after: uses.length > 0 ? null : (removed_after?.toISOString() ?? null),
  }
}
