import type { Action } from '@sandbox-jobs/contract/access/action.ts'
import { type ActionName, actions } from '@sandbox-jobs/contract/access/actions.ts'
import {
  allows,
  isAnyOf,
  type OwnCompany,
  type OwnedThing,
  type RoomOfActor,
  type SubjectOf,
} from '@sandbox-jobs/contract/access/decide.ts'
import { companyManagers } from '@sandbox-jobs/contract/access/role.ts'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { CodedError, notFound } from '../base/errors/coded-error.ts'
import { PlainError } from '../base/errors/plain-error.ts'
import type { CallerMembership } from './authentication/caller-statement.ts'
import type { Principal } from './principal.ts'

/*
 * The one question that services ask: may this principal do this to that subject? The answer comes from the table in
 * `contract/access` and from what was read of the subject for this request. No answer is kept: what an administrator
 * changes, or what a share no longer covers, holds for the next request.
 */

/** Whether the principal may. Use it for what an answer shows or omits; `authorize` for what is refused. */
export const may = <Name extends ActionName>(
  principal: Principal,
  action: Name,
  subject: SubjectOf<Name>,
): boolean => allows(action, principal, subject)

/** Throws the refusal of the action unless the principal may. */
export function authorize<Name extends ActionName>(
  principal: Principal,
  action: Name,
  subject: SubjectOf<Name>,
): void {
  if (!may(principal, action, subject)) throw refusalOf(action)
}

/** The error for a caller who may not. */
export function refusalOf(name: ActionName): Error {
  const { refusal }: Action = actions[name]
  switch (refusal) {
    case 'role_too_low':
      return new PlainError(uncoded.role_too_low.status, uncoded.role_too_low.detail)
    case 'insufficient_permissions':
    case 'owner_scope_forbidden':
      return new CodedError(refusal)
    case 'hidden':
    case 'omitted':
    case 'none':
      return notFound()
  }
}

/** The error for an id that does not exist. */
export const absenceOf = (name: ActionName): Error => {
  const { absent }: Action = actions[name]
  return absent ? refusalOf(name) : notFound()
}

export const ownCompany: OwnCompany = { kind: 'company' }

/** A subject with an owner: an existing row, or one that is to be created. */
export const ownedBy = (
  row: { company_id: string | null; owner_scope: string; owner_id: string },
  isBorrowed = false,
): OwnedThing => ({
  kind: 'owned',
  companyId: row.company_id,
  ownerScope: row.owner_scope,
  ownerId: row.owner_id,
  isBorrowed,
})

/** A department of the principal's company, as the owner of its content. */
export const departmentOf = ({ companyId }: Principal, departmentId: string): OwnedThing =>
  ownedBy({ company_id: companyId, owner_scope: 'department', owner_id: departmentId })

/** The departments that the principal manages by role, and with them their rooms: those of the company, or a list. */
export const departmentsManagedBy = (principal: Principal): 'company' | readonly string[] =>
  isAnyOf(companyManagers, principal, ownCompany) ? 'company' : principal.managedDepartmentIds

/** A room of the principal's company, with the caller's membership in it. */
export const roomSubject = (id: string, { department_id, room_manager }: CallerMembership): RoomOfActor => ({
  kind: 'room',
  id,
  departmentId: department_id,
  membership: room_manager === null ? null : room_manager ? 'manager' : 'member',
})
