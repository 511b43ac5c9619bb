import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { EnvironmentState, SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import type { Selectable } from 'kysely'
import { may, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { EnvironmentsTable } from '../../db/tables/environments.ts'

export type EnvironmentRow = Selectable<EnvironmentsTable>

/** Whether the principal may see the fields that only managers of the environment see. */
export const seesSource = (principal: Principal, environment: Parameters<typeof ownedBy>[0]): boolean =>
  may(principal, 'environment.read_source', ownedBy(environment))

/** Nothing new can be created in an archived environment. */
export function requireActive(environment: { state: string }): void {
  if (environment.state !== 'active') throw new CodedError('environment_archived')
}

/**
 * Wire form (contract part 1, "Environment"). `isBlocked`: the operator has blocked the image of the newest built
 * version.
 */
export const renderEnvironment = (row: EnvironmentRow, isBlocked: boolean): Environment => ({
  id: row.id,
  company_id: row.company_id,
  owner_kind: row.owner_kind,
  owner_scope: row.owner_scope,
  owner_id: row.owner_id,
  name: row.name,
  description: row.description,
  state: row.state as EnvironmentState,
  security_state: isBlocked ? 'blocked' : (row.security_state as SecurityState),
  current_version_id: row.current_version_id,
})
