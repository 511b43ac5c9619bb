import type { FileProblem } from '../../base/yaml-file.ts'
import type { DeclaredClient, DeclaredCompany } from './company-file.ts'
import { type CompanySnapshot, roomKey } from './snapshot.ts'

/* External people of rooms. Only rooms whose list of clients is given are changed. */

type Before = Omit<CompanySnapshot, 'id'>

export type ClientChange = { company: string; room: string } & (
  | { kind: 'create_client' | 'rename_client'; client: DeclaredClient }
  | { kind: 'remove_client'; client: string }
)

interface Placed extends DeclaredClient {
  room: string
}

export const clientKey = ({ channel, clientId }: { channel: string; clientId: string }): string =>
  `${channel}:${clientId}`

const roomsWithClients = ({ departments }: DeclaredCompany): { room: string; clients: DeclaredClient[] }[] =>
  departments.flatMap((department) =>
    department.rooms.flatMap(({ name, clients }) =>
      clients ? [{ room: roomKey(department.name, name), clients }] : [],
    ),
  )

const placedIn = (company: DeclaredCompany): Placed[] =>
  roomsWithClients(company).flatMap(({ room, clients }) => clients.map((client) => ({ ...client, room })))

/** Removals come first, because a person is in one room at a time: one who moves is removed, then created. */
export function planClients(company: DeclaredCompany, before: Before): ClientChange[] {
  const given = roomsWithClients(company)
  const removed = given.flatMap(({ room, clients }) => {
    const listed = new Set(clients.map(clientKey))
    const left = [...(before.rooms.get(room)?.clients.keys() ?? [])].filter((client) => !listed.has(client))
    return left.map(
      (client): ClientChange => ({ kind: 'remove_client', company: company.name, room, client }),
    )
  })
  const put = placedIn(company).flatMap((client): ClientChange[] => {
    const found = before.rooms.get(client.room)?.clients.get(clientKey(client))
    if (!found) return [{ kind: 'create_client', company: company.name, room: client.room, client }]
    return client.displayName === undefined || client.displayName === found.displayName
      ? []
      : [{ kind: 'rename_client', company: company.name, room: client.room, client }]
  })
  return [...removed, ...put]
}

/** A person in two rooms of the file, or in a room whose list the file does not give. */
export function checkClients(company: DeclaredCompany, before: Before): FileProblem[] {
  const given = new Set(roomsWithClients(company).map(({ room }) => room))
  const seen = new Set<string>()
  return placedIn(company).flatMap((client): FileProblem[] => {
    const key = clientKey(client)
    const kept = [...before.rooms].find(([room, { clients }]) => !given.has(room) && clients.has(key))
    const problem = seen.has(key)
      ? `${JSON.stringify(key)} comes twice`
      : kept && `${JSON.stringify(key)} is in the room ${JSON.stringify(kept[0])}`
    seen.add(key)
    return problem === undefined ? [] : [{ path: client.path, message: problem }]
  })
}
