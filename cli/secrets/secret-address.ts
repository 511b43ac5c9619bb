import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { CliError, exitCodes } from '../failure.ts'
import { findDepartment } from '../lookup/find-department.ts'
import { findRoom } from '../lookup/find-room.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import type { Session } from '../session/session.ts'

export interface ConsumerOptions extends ConnectionOptions {
  room?: string
  department?: string
  company?: boolean
}

/** Adds the options that name a room, a department or the company: `what` is before each, such as `for runs of`. */
export const withConsumer = (command: Command, what = 'for runs of'): Command =>
  command
    .addOption(
      new Option('--room <room>', `${what} this room, by id or name`).conflicts(['department', 'company']),
    )
    .addOption(
      new Option('--department <department>', `${what} this department, by id or name`).conflicts('company'),
    )
    .option('--company', `${what} the whole company`)

/** The consumer that the options name, as requests have it. */
export async function consumerOf(
  session: Session,
  { room, department, company }: ConsumerOptions,
): Promise<{ consumer_scope: 'chatroom' | 'department' | 'company'; consumer_id: string }> {
  if (room !== undefined) return { consumer_scope: 'chatroom', consumer_id: await findRoom(session, room) }
  if (department !== undefined)
    return { consumer_scope: 'department', consumer_id: await findDepartment(session, department) }
  if (company !== true)
    throw new CliError('Whom is it for?', {
      hint: 'Give --room, --department or --company.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    })
  const { company_id } = await session.client.call(allRoutes.readMe)
  return { consumer_scope: 'company', consumer_id: company_id }
}
