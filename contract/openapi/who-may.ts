import type { Action, KeyRule } from '../access/action.ts'
import { type ActionName, actions } from '../access/actions.ts'
import type { AccessRole } from '../access/role.ts'

const people: Record<AccessRole, string> = {
  company_member: 'every user of the company',
  borrower: 'who may use the task through a share',
  room_member: 'members of the room',
  room_manager: 'managers of the room',
  department_manager: 'managers of the department',
  company_manager: 'company managers',
  administrator: 'company administrators',
  auditor: 'auditors',
  proposer: 'the person whom the agent proposed it to',
  session_owner: 'the person who created the session',
  recipient: 'the person whom it is for',
}

const keys: Record<KeyRule, string> = {
  allowed: 'A sandbox key may, in the rooms that it names.',
  own: 'A sandbox key may, for what it submitted, uploaded or created.',
  door: 'A sandbox key may not.',
  403: 'A sandbox key may not.',
  404: 'A sandbox key may not.',
  405: 'A sandbox key may not.',
}

const withoutLogin: Partial<Record<Action['subject'], string>> = {
  open: 'Needs no login.',
  token: 'Needs no login: whoever has the token may.',
  turn: 'For agents, in the turn of a person.',
}

/** The callers who may do it, as sentences. */
export function whoMay(name: ActionName): string {
  const { subject, roles, key }: Action = actions[name]
  const special = withoutLogin[subject]
  if (special) return special
  const who = roles.includes('company_member') ? [people.company_member] : roles.map((role) => people[role])
  return `For ${who.join(', ')}. ${keys[key]}`
}
