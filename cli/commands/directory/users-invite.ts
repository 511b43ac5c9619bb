import type { PasswordAddress } from '@sandbox-jobs/contract/resources/companies/invitation.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { escapeControls } from '../../output/escape-controls.ts'
import type { Session } from '../../session/session.ts'
import { newUserCommand } from './new-user.ts'

export const usersInviteCommand = (): Command =>
  newUserCommand(
    'invite',
    'add a user who chooses the password, and print the address for it once',
    async (session, { body, rooms }) => {
      const made = await session.client.call(allRoutes.inviteUser, { body })
      showAddress(session, made, { ...made, rooms })
      return made.user.id
    },
  ).addHelpText(
    'after',
    '\nGive the address to the person alone: it is good once, for three days, while you are an administrator and not logged out by a new password.' +
      '\n`sandbox users reset LOGIN --invite` makes another. --manages gives the role department_manager.',
  )

/** Only standard output has the address. */
export function showAddress(
  { report }: Session,
  { user, address, expires_at }: PasswordAddress,
  result: object,
): void {
  report.progress(`${escapeControls(user.login)} chooses a password here, once, until ${expires_at}:`)
  report.result(`${address}\n`, result)
}
