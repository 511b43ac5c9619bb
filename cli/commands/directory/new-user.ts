import { type RoleName, roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findDepartment } from '../../lookup/find-department.ts'
import { findRoom } from '../../lookup/find-room.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  name?: string
  role?: RoleName
  manages?: string[]
  room?: string[]
}

interface NewUser {
  /** The request, without the password. */
  body: { login: string; display_name?: string; role?: number; managed_department_ids?: string[] }
  /** Rooms to join. */
  rooms: string[]
}

/** A command that creates one user; `create` returns the id. */
export const newUserCommand = (
  name: string,
  description: string,
  create: (session: Session, user: NewUser) => Promise<string>,
): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<login>', 'login name')
    .option('--name <name>', 'name as people see it (default: the login name)')
    .addOption(
      new Option('--role <role>', 'role in the company (default: member)').choices(Object.keys(roles)),
    )
    .option('--manages <department>', 'a department that the user manages; repeatable', repeated)
    .option('--room <room>', 'a room to join, by id or name; repeatable', repeated)
    .action((login: string, options: Options, command: Command) => {
      const { role, manages = [] } = options
      if (manages.length > 0 && role !== undefined && role !== 'department_manager') {
        command.error(`error: a ${role} manages no single departments`)
      }
      return withSession(options, async (session) => {
        // First, so that a wrong name leaves no user behind.
        const user = await namedUser(session, login, options)
        await join(session, await create(session, user), user.rooms)
      })
    })

async function namedUser(session: Session, login: string, options: Options): Promise<NewUser> {
  const { name, role, manages = [], room = [] } = options
  const departments: string[] = []
  for (const wanted of manages) departments.push(await findDepartment(session, wanted))
  const rooms: string[] = []
  for (const wanted of room) rooms.push(await findRoom(session, wanted))
  const given = departments.length > 0 ? 'department_manager' : role
  const body = {
    login,
    ...(name !== undefined && { display_name: name }),
    ...(given !== undefined && { role: roles[given] }),
    ...(departments.length > 0 && { managed_department_ids: departments }),
  }
  return { body, rooms }
}

async function join({ client, report }: Session, uid: string, rooms: readonly string[]): Promise<void> {
  for (const cid of rooms) {
    await client.call(allRoutes.putMember, { params: { cid, uid } })
    report.progress(`member of the room ${cid}`)
  }
}
