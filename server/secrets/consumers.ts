import { authorize, departmentsManagedBy, may, ownCompany, ownedBy } from '../access/allow.ts'
import type { Directory } from '../access/directory/directory.ts'
import type { Principal } from '../access/principal.ts'
import { notFound } from '../base/errors/coded-error.ts'

/** Whom a secret is supplied for: a room, a department or the company. */
export interface Consumer {
  scope: string
  id: string
}

export type ConsumerAction = 'secret.manage' | 'secret.approve'

/** Throws `not_found` unless the principal may do this for the live consumer (contract part 1, "Roles"). */
export async function requireConsumer(
  directory: Directory,
  principal: Principal,
  action: ConsumerAction,
  { scope, id }: Consumer,
): Promise<void> {
  const { companyId } = principal
  if (scope === 'chatroom') return void (await directory.requireRoom(principal, action, id))
  authorize(principal, action, ownedBy({ company_id: companyId, owner_scope: scope, owner_id: id }))
  const isThere = scope === 'company' ? id === companyId : await directory.department(companyId, id)
  if (!isThere) throw notFound()
}

/** The same for what is on record: company managers may still read and revoke what a consumer that is gone has left. */
export async function requireRecord(
  directory: Directory,
  principal: Principal,
  action: ConsumerAction,
  consumer: Consumer,
): Promise<void> {
  if (may(principal, 'secret.manage_records', ownCompany)) return
  await requireConsumer(directory, principal, action, consumer)
}

/** The consumers that somebody manages; undefined: all of the company. */
export type ManagedConsumers = { roomIds: readonly string[]; departmentIds: readonly string[] } | undefined

export async function managedConsumers(
  directory: Directory,
  principal: Principal,
): Promise<ManagedConsumers> {
  if (may(principal, 'secret.manage_records', ownCompany)) return undefined
  const departments = departmentsManagedBy(principal)
  return {
    roomIds: await directory.managedRoomIds(principal),
    departmentIds: departments === 'company' ? [] : departments,
  }
}
