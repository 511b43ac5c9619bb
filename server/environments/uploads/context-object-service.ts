import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type { ContextObjectList } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import { managedEnvironment } from '../catalogue/environment-access.ts'
import type { EnvironmentContext } from '../catalogue/environment-context.ts'
import { renderContextObject } from './context-upload.ts'
import { listContextObjectRows } from './owned-object-store.ts'

/** Received archives of an environment, for its managers. */
export async function listContextObjects(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  query: PageRequest & { lifecycle?: Lifecycle },
): Promise<ContextObjectList> {
  await managedEnvironment(context.db, principal, 'environment.upload', environmentId)
  const size = query.page_size ?? catalogPageSizeDefault
  const lifecycle = query.lifecycle ?? 'active'
  const list = `contexts:${environmentId}:${lifecycle}`
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listContextObjectRows(
    context.db,
    { companyId: principal.companyId, environmentId },
    { lifecycle, beforeId: cursor && String(cursor[0]), limit: size + 1 },
  )
  return context.pageTokens.page(list, rows, size, {
    item: (row) => renderContextObject(row, environmentId),
    cursor: (row) => [row.id],
  })
}
