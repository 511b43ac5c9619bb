import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { SecurityFindingList } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Severity } from '@sandbox-jobs/contract/severities.ts'
import type { FindingState } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Principal } from '../access/principal.ts'
import type { PageRequest } from '../base/page.ts'
import { managedEnvironment } from '../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../environments/catalogue/environment-context.ts'
import { listActiveExceptions } from './exception-store.ts'
import { renderFinding } from './finding.ts'
import { listFindingRows } from './finding-store.ts'

/** Findings of an environment with their active exceptions, for its managers. */
export async function listFindings(
  context: EnvironmentContext,
  principal: Principal,
  environmentId: string,
  query: PageRequest & { state?: FindingState[]; severity?: Severity[] },
): Promise<SecurityFindingList> {
  await managedEnvironment(context.db, principal, 'environment.inspect', environmentId)
  const size = query.page_size ?? catalogPageSizeDefault
  const [states, severities] = [query.state ?? [], query.severity ?? []]
  const list = ['findings', environmentId, states.toSorted(), severities.toSorted()].join(':')
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listFindingRows(
    context.db,
    { companyId: principal.companyId, environmentId },
    {
      states,
      severities,
      after: cursor && { rank: Number(cursor[0]), id: String(cursor[1]) },
      limit: size + 1,
    },
  )
  const exceptions = await listActiveExceptions(
    context.db,
    principal.companyId,
    rows.map(({ id }) => id),
  )
  const exceptionOf = new Map(exceptions.map((exception) => [exception.finding_id, exception]))
  return context.pageTokens.page(list, rows, size, {
    item: (row) => renderFinding(row, exceptionOf.get(row.id)),
    cursor: (row) => [row.severity_rank, row.id],
  })
}
