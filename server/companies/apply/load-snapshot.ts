import { allSocialClientRows } from '../../access/directory/social-client-store.ts'
import { liveApiKeyRows } from '../../access/keys/api-key-store.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { liveChatroomRows } from '../chatrooms/chatroom-store.ts'
import { allMemberRows } from '../chatrooms/member-store.ts'
import { findCompaniesNamed } from '../company-store.ts'
import { allDepartmentRows } from '../department-store.ts'
import { allUserRows, findLoginCompanies, lockAdministrators } from '../user-store.ts'
import type { CompanyFile } from './company-file.ts'
import { clientKey } from './plan-clients.ts'
import { type CompanySnapshot, roomKey, type Snapshot } from './snapshot.ts'

/** Reads the current state of the file's companies and logins. Locks the administrators until the transaction ends. */
export async function loadSnapshot(trx: Trx, file: CompanyFile): Promise<Snapshot> {
  const named = await findCompaniesNamed(
    trx,
    file.companies.map((company) => company.name),
  )
  const companies = new Map<string, CompanySnapshot>()
  for (const company of named) {
    await lockAdministrators(trx, company.id)
    companies.set(company.name, await loadCompany(trx, company.id))
  }
  const logins = file.companies.flatMap((company) => (company.users ?? []).map((user) => user.login))
  const taken = await findLoginCompanies(trx, logins)
  return { companies, loginCompanies: new Map(taken.map((row) => [row.login, row.company_id])) }
}

async function loadCompany(db: Executing, id: string): Promise<CompanySnapshot> {
  const departments = await allDepartmentRows(db, id)
  const rooms = await liveChatroomRows(db, id)
  const users = await allUserRows(db, id)
  const members = await allMemberRows(db, id)
  const clients = await allSocialClientRows(db, id)
  const apiKeys = await liveApiKeyRows(db, id)
  const departmentNames = new Map(departments.map((row) => [row.id, row.name]))
  const logins = new Map(users.map((row) => [row.id, row.login]))
  const roomNames = new Map(
    rooms.map((row) => [row.id, roomKey(departmentNames.get(row.department_id) ?? '', row.name)]),
  )
  const membersOf = Map.groupBy(members, (row) => row.chatroom_id)
  const clientsOf = Map.groupBy(clients, (row) => row.chatroom_id)
  const name = (names: Map<string, string>) => (key: string) => names.get(key) ?? key
  return {
    id,
    departments: new Map(departments.map((row) => [row.name, { id: row.id }])),
    rooms: new Map(
      rooms.map((row) => {
        const members = (membersOf.get(row.id) ?? []).map(
          (member) => [name(logins)(member.user_id), member.room_manager] as const,
        )
        const clients = (clientsOf.get(row.id) ?? []).map((client) => {
          const key = clientKey({ channel: client.channel, clientId: client.client_id })
          return [key, { id: client.id, displayName: client.display_name }] as const
        })
        return [name(roomNames)(row.id), { id: row.id, members: new Map(members), clients: new Map(clients) }]
      }),
    ),
    users: new Map(
      users.map((row) => [
        row.login,
        {
          id: row.id,
          displayName: row.display_name,
          email: row.email,
          role: row.role,
          disabled: row.disabled_at !== null,
          manages: row.managed_department_ids.map(name(departmentNames)),
        },
      ]),
    ),
    apiKeys: new Map(
      apiKeys.map((row) => [
        row.name,
        {
          ...row,
          owner: name(logins)(row.owner_user_id),
          rooms: row.allowed_chatroom_ids.map(name(roomNames)),
        },
      ]),
    ),
  }
}
