import type { Action, KeyRule, Refusal } from '@sandbox-jobs/contract/access/action.ts'
import { actionsByArea } from '@sandbox-jobs/contract/access/actions.ts'
import type { AccessRole } from '@sandbox-jobs/contract/access/role.ts'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { writeDocument } from './generated-document.ts'

/** Writes docs/access.md from the table of actions; with `--check` only reports whether it is up to date. */
const intro = `# Permissions

Made from the table in \`contract/access\` by \`npm run access\`; do not edit.

A request is checked in this order, and the first check that fails is its answer:

1. **Credentials.** Without valid ones: 418 \`${uncoded.no_credentials.detail}\`. An API key that lists origins is refused
   from any other: 403 \`${uncoded.key_origin.detail}\`
2. **Key scope.** A full-scope key may do what its owner may do. A sandbox-scope key acts in the rooms that it names:
   for another room in the path 403 \`${uncoded.key_chatroom.detail}\` Then the column *Sandbox key* holds.
3. **Kill switch**, then the form of path, query and body.
4. **Role.** The columns of roles say who may. Everybody else gets what *Otherwise* says. A thing of another company
   does not exist: 404 \`not_found\`.

Roles, departments, memberships and shares are read for each request; no decision is kept. A write that waited (for its body or its
turn for more than a second, for a file, a password hash or a key service) reads credential and rights again; a stream of events
reads them every 5 seconds.

| Role | Condition |
|---|---|
| Member | any user of the company |
| Borrower | is in or manages a room that a live share of the task reaches, or manages a department that one reaches |
| In room | is listed as a member of the room |
| Room manager | is listed as a member of the room and flagged as its manager |
| Dept. manager | manages the department that owns the thing, or that the room belongs to |
| Company manager | has the company role 3 or higher |
| Administrator | has the company role 4 |
| Auditor | has the company role 0: may what its column says, and nothing else, whatever rooms list them |
| Proposer | is the person for whom an agent proposed the job, and may enter its room |
| Recipient | is the person whom the notification is for |

| Sandbox key | Rights of such a key |
|---|---|
| rooms | what its owner gets, in the rooms that it names |
| own | the same, for the runs that it submitted and the files that it uploaded itself; for it the others do not exist |
| 403 | 403 \`${uncoded.key_scope.detail}\` |
| 404 | 404 \`not_found\` |
| 405 | 405 \`${uncoded.method_not_allowed.detail}\` |

Routes are the operations of [openapi.json](openapi.json). An action without a route is part of another one; *omitted*
says that the answer of that one leaves out what the caller may not see.
`

const titles: Record<AccessRole, string> = {
  company_member: 'Member',
  borrower: 'Borrower',
  room_member: 'In room',
  room_manager: 'Room manager',
  department_manager: 'Dept. manager',
  company_manager: 'Company manager',
  administrator: 'Administrator',
  auditor: 'Auditor',
  proposer: 'Proposer',
  recipient: 'Recipient',
  session_owner: 'Session owner',
}

/** Roles that a caller can have towards a subject: the columns of a table. */
const rolesOf = {
  open: [],
  token: [],
  turn: [],
  company: ['company_member', 'company_manager', 'administrator', 'auditor'],
  owned: ['company_member', 'borrower', 'department_manager', 'company_manager', 'administrator'],
  room: ['room_member', 'room_manager', 'department_manager', 'company_manager', 'administrator'],
  proposal: ['proposer'],
  notification: ['recipient'],
  session: ['session_owner'],
  consumer: ['room_manager', 'department_manager', 'company_manager', 'administrator'],
} as const satisfies Record<Action['subject'], readonly AccessRole[]>

const keyText: Record<KeyRule, string> = {
  allowed: 'rooms',
  own: 'own',
  door: '403',
  403: '403',
  404: '404',
  405: '405',
}

const refusalText: Record<Refusal, string> = {
  hidden: '404 `not_found`',
  role_too_low: `403 \`${uncoded.role_too_low.detail}\``,
  insufficient_permissions: '403 `insufficient_permissions`',
  owner_scope_forbidden: '403 `owner_scope_forbidden`',
  omitted: 'omitted',
  none: '',
}

const routeNames = Map.groupBy(Object.entries<Route>(allRoutes), ([, { action }]) => action)

function sectionOf([area, actions]: [string, Record<string, Action>]): string {
  const entries = Object.entries(actions)
  const roles = (Object.keys(titles) as AccessRole[]).filter((role) =>
    entries.some(([, action]) => needsColumn(action, role)),
  )
  const head = ['Action', ...roles.map((role) => titles[role]), 'Sandbox key', 'Otherwise', 'Routes']
  const rows = entries.map(([name, action]) => [
    `${action.does}<br>\`${name}\``,
    ...roles.map((role) => cellOf(action, role)),
    action.roles.length > 0 ? keyText[action.key] : 'yes',
    otherwise(action),
    (routeNames.get(name as Route['action']) ?? []).map(([route]) => `\`${route}\``).join(' '),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [`## ${area}`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n')
}

/** Whether the role needs a column because of this action. */
const needsColumn = ({ subject, roles }: Action, role: AccessRole): boolean => {
  const possible: readonly AccessRole[] = rolesOf[subject]
  const isForAll = roles.includes('company_member')
  return possible.includes(role) && roles.includes(role) && (!isForAll || role === 'company_member')
}

/** A dash if the role does not exist for the subject. */
function cellOf({ subject, roles }: Action, role: AccessRole): string {
  if (subject === 'open') return 'yes'
  if (subject === 'token') return 'with the link'
  if (subject === 'turn') return 'in a turn'
  const possible: readonly AccessRole[] = rolesOf[subject]
  if (!possible.includes(role)) return '–'
  return roles.includes(role) ? 'yes' : ''
}

function otherwise({ refusal, absent, needsLogin }: Action): string {
  if (absent) return `${refusalText[refusal]}, for an unknown id too`
  return needsLogin
    ? `${refusalText[refusal]}; with a full-scope key 403 \`confirmation_needs_login\``
    : refusalText[refusal]
}

const text = [intro, ...Object.entries<Record<string, Action>>(actionsByArea).map(sectionOf)].join('\n')

writeDocument('access.md', text, { source: 'contract/access', command: 'npm run access' })
