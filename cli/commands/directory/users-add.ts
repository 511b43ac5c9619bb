import { roles } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { newPassword } from '../../directory/new-password.ts'
import { findDepartment } from '../../lookup/find-department.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

type RoleName = keyof typeof roles

interface Options extends ConnectionOptions {
  name?: string
  role?: RoleName
  manages?: string[]
  room?: string[]
}

export const usersAddCommand = (): Command =>
  serviceCommand('add')
    .description('add a user with a random password, and print the password once')
    .argument('<login>', 'login name')
    .option('--name <name>', 'name as people see it (default: the login name)')
    .addOption(
      new Option('--role <role>', 'role in the company (default: member)').choices(Object.keys(roles)),
    )
    .option('--manages <department>', 'a department that the user manages; repeatable', repeated)
    .option('--room <room>', 'a room to join, by id or name; repeatable', repeated)
    .addHelpText(
      'after',
      '\n--manages gives the role department_manager. Only standard output has the password.',
    )
    .action((login: string, options: Options, command: Command) => {
      const { role, manages = [] } = options
      if (manages.length > 0 && role !== undefined && role !== 'department_manager') {
        command.error(`error: a ${role} manages no single departments`)
      }
      return withSession(options, (session) => add(session, login, options))
    })

async function add(session: Session, login: string, options: Options): Promise<void> {
  const { client, report } = session
  const { name, role, manages = [], room = [] } = options
  // First, so that a wrong name leaves no user behind.
  const departments: string[] = []
  for (const wanted of manages) departments.push(await findDepartment(session, wanted))
  const rooms: string[] = []
  for (const wanted of room) rooms.push(await findRoom(session, wanted))
  const password = newPassword()
  const given = departments.length > 0 ? 'department_manager' : role
  const user = await client.call(allRoutes.createUser, {
    body: {
      login,
      password,
      ...(name !== undefined && { display_name: name }),
      ...(given !== undefined && { role: roles[given] }),
      ...(departments.length > 0 && { managed_department_ids: departments }),
    },
  })
  report.progress(`added ${escapeControls(user.login)}; this password is shown once:`)
  report.result(`${password}\n`, { ...user, password, rooms })
  for (const cid of rooms) {
    await client.call(allRoutes.putMember, { params: { cid, uid: user.id } })
    report.progress(`member of the room ${cid}`)
  }
}
