import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { authorize, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import type { EnvironmentRow } from './environment.ts'
import { findEnvironment } from './environment-store.ts'

/** An environment whose metadata the principal may read: any environment of the company, and curated ones. */
export async function readableEnvironment(
  db: Executing,
  principal: Principal,
  id: string,
): Promise<EnvironmentRow> {
  const environment = await findEnvironment(db, principal.companyId, id)
  if (!environment) throw notFound()
  authorize(principal, 'environment.read', ownedBy(environment))
  return environment
}

/**
 * An environment of the company on which the principal may do this action. Throws the refusal of the action, or
 * `not_found` if it does not exist.
 */
export async function managedEnvironment(
  db: Executing,
  principal: Principal,
  action: ActionOn<'owned'>,
  id: string,
): Promise<EnvironmentRow & { company_id: string }> {
  const environment = await findEnvironment(db, principal.companyId, id)
  if (!environment?.company_id) throw notFound()
  authorize(principal, action, ownedBy(environment))
  return { ...environment, company_id: principal.companyId }
}
