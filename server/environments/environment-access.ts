import { notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import type { Principal } from '../platform/principal.ts'
import { type EnvironmentRow, ownsEnvironment } from './environment.ts'
import { findEnvironment } from './environment-store.ts'

/** An environment whose metadata the principal may read: any of the company's, and curated ones. */
export async function readableEnvironment(
  db: Executing,
  principal: Principal,
  id: string,
): Promise<EnvironmentRow> {
  const environment = await findEnvironment(db, principal.companyId, id)
  if (!environment) throw notFound()
  return environment
}

/** An environment whose owner scope the principal manages; everything else is hidden from a mutation. */
export async function managedEnvironment(
  db: Executing,
  principal: Principal,
  id: string,
): Promise<EnvironmentRow & { company_id: string }> {
  const environment = await findEnvironment(db, principal.companyId, id)
  if (!environment || !ownsEnvironment(principal, environment)) throw notFound()
  return { ...environment, company_id: principal.companyId }
}
