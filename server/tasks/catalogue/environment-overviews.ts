import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import {
  countedFindingsMax,
  type EnvironmentOverviewList,
} from '@sandbox-jobs/contract/resources/environments/environment-overview.ts'
import { may, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import type { PageRequest } from '../../base/page.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { listEnvironments } from '../../environments/catalogue/environment-service.ts'
import { findEnvironmentUse } from './environment-use-store.ts'

const none = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 }
const unused = { version_number: null, unpacked_bytes: null, findings: {}, tasks: 0 }

/** The environments of a company and curated ones; what is found in them and who uses them is for their managers. */
export async function listEnvironmentOverviews(
  context: EnvironmentContext,
  principal: Principal,
  query: PageRequest & { lifecycle?: Lifecycle },
): Promise<EnvironmentOverviewList> {
  const page = await listEnvironments(context, principal, query, 'environment-overviews')
  const used = await findEnvironmentUse(context.db, {
    companyId: principal.companyId,
    ids: page.items.map(({ id }) => id),
    counted: countedFindingsMax,
  })
  const byId = new Map(used.map(({ id, ...use }) => [id, use]))
  const items = page.items.map((environment) => {
    const { version_number, unpacked_bytes, findings, tasks } = byId.get(environment.id) ?? unused
    const isManaged =
      environment.company_id !== null && may(principal, 'environment.inspect', ownedBy(environment))
    return {
      ...environment,
      version_number,
      unpacked_bytes,
      findings: isManaged ? { ...none, ...findings } : null,
      tasks: isManaged ? tasks : null,
    }
  })
  return { ...page, items }
}
