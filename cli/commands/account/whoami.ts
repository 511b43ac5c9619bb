import type { ApiKey } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import type { OwnCredential } from '@sandbox-jobs/contract/resources/access/own-credential.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { ownDepartments } from '../../lookup/find-department.ts'
import { roleName } from '../../output/role-name.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

export const whoamiCommand = (): Command =>
  serviceCommand('whoami')
    .description('show your account, role and rights, or what your API key is for')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const credential = await session.client.call(allRoutes.readOwnCredential)
        const { api_key: key } = credential
        await (key?.scope === 'sandbox'
          ? showKey(session, credential, key)
          : showAccount(session, credential))
      }),
    )

/** A restricted key reads no account: it knows itself and its rooms. */
async function showKey(
  { client, url, report }: Session,
  credential: OwnCredential,
  key: ApiKey,
): Promise<void> {
  const own = await allPages((query) => client.call(allRoutes.listOwnChatrooms, { query }))
  const chatrooms = key.allowed_chatroom_ids.map((id) => ({
    id,
    name: own.find((room) => room.id === id)?.name ?? null,
  }))
  const rooms = chatrooms.map(({ id, name }) =>
    name === null ? `${id} (its owner may not enter)` : `${name} (${id})`,
  )
  const rows: Row[] = [
    ['service', url],
    ...rowsOfKey(key),
    ['company', companyOf(credential)],
    ['rooms', rooms.join(', ')],
    ['origins', key.domains.join(', ')],
    ['may', 'run tasks in these rooms, and read and cancel these runs'],
  ]
  report.result(shown(rows), { ...credential, chatrooms })
}

async function showAccount(session: Session, credential: OwnCredential): Promise<void> {
  const { client, url, stored, report } = session
  const me = await client.call(allRoutes.readMe)
  const departments =
    me.managed_department_ids.length === 0
      ? []
      : (await ownDepartments(session)).filter(({ id }) => me.managed_department_ids.includes(id))
  const may = Object.entries(me.can).flatMap(([name, allowed]) => (allowed ? [name] : []))
  const { api_key: key, company_name } = credential
  const rows: Row[] = [
    ['service', url],
    ...(key === null ? [['user', stored.logins[url]?.user ?? ''] as const] : rowsOfKey(key)),
    ['principal', `${me.principal_type} ${me.principal_id}`],
    ['company', companyOf(credential)],
    ['role', roleName(me.role)],
    ['departments', departments.map(({ id, name }) => `${name} (${id})`).join(', ')],
    ['may', may.join(', ') || 'use the rooms that you are a member of'],
    ['service is', me.sandbox_enabled ? 'enabled' : 'disabled: only reading and cancelling are allowed'],
  ]
  report.result(shown(rows), { ...me, company_name, api_key: key, managed_departments: departments })
}

type Row = readonly [string, string]

const rowsOfKey = (key: ApiKey): Row[] => [
  ['API key', `${key.name} (${key.id})`],
  ['scope', key.scope],
  ['expires', key.expires_at ?? 'never'],
]

const companyOf = ({ company_name, company_id }: OwnCredential) => `${company_name} (${company_id})`

const shown = (rows: readonly Row[]): string =>
  table(
    ['', ''],
    rows.filter(([, value]) => value !== '').map((row) => [...row]),
  ).trimStart()
