import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { Change, UserSettings } from './plan.ts'
import { clientKey } from './plan-clients.ts'
import type { UserSnapshot } from './snapshot.ts'

/** A change as it is printed: `+` creates, `~` changes, `-` removes. */
export interface ChangeLine {
  op: '+' | '~' | '-'
  company: string
  kind: 'company' | 'department' | 'room' | 'user' | 'member' | 'client' | 'api_key'
  name: string
  /** Description of the change. Empty if the name is enough. Never contains a secret. */
  detail: string
}

const roleName = (role: number): string =>
  Object.entries(roles).find(([, number]) => number === role)?.[0] ?? String(role)

export function describeChange(change: Change): ChangeLine {
  const line = (op: ChangeLine['op'], kind: ChangeLine['kind'], name: string, detail = ''): ChangeLine => ({
    op,
    company: change.company,
    kind,
    name,
    detail,
  })
  switch (change.kind) {
    case 'create_company':
      return line('+', 'company', change.company)
    case 'create_department':
      return line('+', 'department', change.department)
    case 'create_room':
      return line('+', 'room', `${change.department}/${change.room}`)
    case 'create_user':
      return line('+', 'user', change.user.login, describeUser(change.user))
    case 'update_user': {
      const op = change.set.disabled ? '-' : '~'
      return line(op, 'user', change.login, describeSettings(change.set, change.before))
    }
    case 'put_member': {
      const detail = `${change.login}${change.roomManager ? ', room manager' : ''}`
      return line(change.isNew ? '+' : '~', 'member', change.room, detail)
    }
    case 'remove_member':
      return line('-', 'member', change.room, change.login)
    case 'create_client':
      return line('+', 'client', change.room, clientKey(change.client))
    case 'rename_client':
      return line('~', 'client', change.room, `${clientKey(change.client)} renamed`)
    case 'remove_client':
      return line('-', 'client', change.room, change.client)
    case 'create_api_key':
      return line('+', 'api_key', change.key.name, `${change.key.scope}, of ${change.key.owner}`)
    case 'update_api_key':
      return line('~', 'api_key', change.key.name, 'rooms, domains or expiry')
  }
}

const describeUser = (user: { role: number; manages: string[]; disabled: boolean }): string =>
  [
    roleName(user.role),
    ...(user.manages.length > 0 ? [`manages ${user.manages.join(', ')}`] : []),
    ...(user.disabled ? ['disabled'] : []),
  ].join(', ')

function describeSettings(set: UserSettings, before: UserSnapshot): string {
  const parts: string[] = []
  if (set.displayName !== undefined) parts.push(`name ${before.displayName} to ${set.displayName}`)
  if (set.email !== undefined) parts.push(`email ${before.email ?? 'none'} to ${set.email ?? 'none'}`)
  if (set.role !== undefined) parts.push(`role ${roleName(before.role)} to ${roleName(set.role)}`)
  if (set.manages !== undefined) parts.push(`manages ${set.manages.join(', ') || 'nothing'}`)
  if (set.disabled !== undefined) parts.push(set.disabled ? 'disabled' : 'enabled')
  return parts.join('; ')
}
