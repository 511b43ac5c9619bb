import type { Environment } from '@sandbox-jobs/contract/resources/environment.ts'
import type { EnvironmentState, SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import type { Selectable } from 'kysely'
import { CodedError } from '../base/coded-error.ts'
import type { EnvironmentsTable } from '../db/tables/environments.ts'
import { managesOwner, type Principal } from '../platform/principal.ts'

export type EnvironmentRow = Selectable<EnvironmentsTable>

/** Owner-scope management; nobody in a company owns a curated environment. */
export const ownsEnvironment = (
  principal: Principal,
  environment: { company_id: string | null; owner_scope: string; owner_id: string },
): boolean =>
  environment.company_id === principal.companyId &&
  managesOwner(principal, { scope: environment.owner_scope, id: environment.owner_id })

/** Nothing new is made in an archived environment. */
export function requireActive(environment: { state: string }): void {
  if (environment.state !== 'active') throw new CodedError('environment_archived')
}

/** Wire form (contract part 1, "Environment"); `isBlocked`: the operator has blocked the image of its newest built version. */
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
