import type { Action, Refusal } from '@sandbox-jobs/contract/access/action.ts'
import { type ActionName, actions } from '@sandbox-jobs/contract/access/actions.ts'
import type { AccessRole } from '@sandbox-jobs/contract/access/role.ts'
import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { type UncodedError, uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Variant } from './example-ids.ts'
import type { Expectation } from './expectations/expectation.ts'
import type { Caller } from './world.ts'

export interface Cell {
  route: Route
  expectation: Expectation
  caller: Caller
  variant: Variant
}

export type AccessTable = Record<ActionName, Action>

const inRoom = ['company_member', 'borrower', 'room_member'] as const
const manager = ['company_member', 'borrower', 'department_manager'] as const
const companyManager = ['company_member', 'borrower', 'company_manager'] as const

/** Roles of each caller towards the things that the matrix asks about: one room, its department, and what that owns. */
export const rolesOfCaller: Record<Caller, readonly AccessRole[]> = {
  nobody: [],
  outsider: ['company_member'],
  otherManager: ['company_member'],
  member: [...inRoom, 'proposer', 'recipient', 'session_owner'],
  roomManager: [...inRoom, 'room_manager'],
  manager,
  companyManager,
  administrator: [...companyManager, 'administrator'],
  // Listed in the room, which changes nothing.
  auditor: ['auditor'],
  // An administrator, who finds nothing of this company.
  otherCompany: [...companyManager, 'administrator'],
  fullKey: [...inRoom, 'proposer', 'recipient', 'session_owner'],
  sandboxKeyInside: inRoom,
  sandboxKeyOutside: ['company_member'],
}

/** An answer by its status; one of a refusal also by the name of its code or its text. */
export interface ExpectedAnswer {
  status: number
  refusal?: ErrorCode | UncodedError
}

/**
 * The answer of the table, in the order in which a request is checked (contract part 1, "Authentication"; part 2,
 * "Errors"): credentials, key scope, the form of ids, the role, whether the ids name something.
 */
export function expectedAnswer(
  { route, expectation, caller, variant }: Cell,
  table: AccessTable = actions,
): ExpectedAnswer {
  const action = table[route.action]
  const allowed = { status: expectation.allowed ?? 200 }
  if (action.subject === 'token')
    return ['own', 'foreign'].includes(variant.kind)
      ? allowed
      : expectation.otherToken
        ? { status: expectation.otherToken }
        : refused('hidden')
  if (action.subject === 'open') return allowed
  // The context of a turn is a credential of its own, which none of these callers has.
  if (caller === 'nobody' || action.subject === 'turn') return plain('no_credentials')
  const keyRefusal = refusalOfKey({ route, caller, variant }, action)
  if (keyRefusal) return keyRefusal
  if (variant.kind === 'malformed') return { status: 422 }
  if (!rolesOfCaller[caller].some((role) => action.roles.includes(role)))
    return refused(action.refusal, caller)
  const findsNothing = caller === 'otherCompany' && route.params
  if (variant.kind !== 'own' || findsNothing) return refused(action.absent ?? 'hidden')
  return action.needsLogin && caller === 'fullKey' ? coded('confirmation_needs_login') : allowed
}

function refused(refusal: Refusal, caller?: Caller): ExpectedAnswer {
  // An action that everybody else may take is refused to auditors alone.
  if (caller === 'auditor' && (refusal === 'none' || refusal === 'omitted')) return plain('role_too_low')
  switch (refusal) {
    case 'hidden':
      return coded('not_found')
    case 'role_too_low':
      return plain(refusal)
    case 'none':
    case 'omitted':
      throw new Error(`no route is refused with ${refusal}`)
    case 'insufficient_permissions':
    case 'owner_scope_forbidden':
      return coded(refusal)
  }
}

const coded = (code: ErrorCode): ExpectedAnswer => ({ status: catalogue[code].status, refusal: code })
const plain = (name: UncodedError): ExpectedAnswer => ({ status: uncoded[name].status, refusal: name })

/** Keys of sandbox scope: rooms first, then the rule of the action. */
function refusalOfKey(
  { route, caller, variant }: Omit<Cell, 'expectation'>,
  { key }: Action,
): ExpectedAnswer | undefined {
  if (caller !== 'sandboxKeyInside' && caller !== 'sandboxKeyOutside') return undefined
  const namesRoom = caller === 'sandboxKeyInside' && variant.parameter !== 'cid'
  if (route.path.includes('{cid}') && !namesRoom) return plain('key_chatroom')
  if (key === 403 || key === 'door') return plain('key_scope')
  if (key === 404) return coded('not_found')
  return key === 405 ? plain('method_not_allowed') : undefined
}

/** Whether a response is the expected one; a refusal in exactly the words of its code or text. */
export function isExpected(
  { status, refusal }: ExpectedAnswer,
  answer: { statusCode: number; body: string },
): boolean {
  if (answer.statusCode !== status) return false
  if (!refusal) return true
  const { detail } = JSON.parse(answer.body) as { detail: unknown }
  if (refusal in uncoded) return detail === uncoded[refusal as UncodedError].detail
  const code = refusal as ErrorCode
  return JSON.stringify(detail) === JSON.stringify({ code, message: catalogue[code].message })
}
