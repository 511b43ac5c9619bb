import type { UserUpdateRequest } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { newPassword } from '../../directory/new-password.ts'
import { findUser } from '../../lookup/find-user.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'
import { showAddress } from './users-invite.ts'

/** A command that changes one user. */
const changeCommand = (
  name: string,
  description: string,
  work: (session: Session, wanted: string, options: ConnectionOptions) => Promise<void>,
): Command =>
  serviceCommand(name)
    .description(description)
    .argument('<user>', 'login name or id')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, (session) => work(session, wanted, options)),
    )

const change = async (session: Session, wanted: string, body: UserUpdateRequest) => {
  const { id } = await findUser(session, wanted)
  return session.client.call(allRoutes.updateUser, { params: { id }, body })
}

export const usersDisableCommand = (): Command =>
  changeCommand('disable', 'end all logins of a user, and refuse new ones', async (session, wanted) => {
    const user = await change(session, wanted, { disabled: true })
    session.report.result(`${escapeControls(user.login)} is disabled.\n`, user)
  })

export const usersEnableCommand = (): Command =>
  changeCommand('enable', 'let a disabled user log in again', async (session, wanted) => {
    const user = await change(session, wanted, { disabled: false })
    session.report.result(`${escapeControls(user.login)} may log in.\n`, user)
  })

export const usersResetCommand = (): Command =>
  changeCommand(
    'reset',
    'give a user a new random password, end all logins, and print the password once',
    async (session, wanted, { invite }: ConnectionOptions & { invite?: true }) => {
      if (invite) return resetByAddress(session, wanted)
      const password = newPassword()
      const user = await change(session, wanted, { password })
      session.report.progress(`${escapeControls(user.login)}; this password is shown once:`)
      session.report.result(`${password}\n`, { ...user, password })
    },
  ).option('--invite', 'remove the password, and print an address where the user chooses one')

async function resetByAddress(session: Session, wanted: string): Promise<void> {
  const { id } = await findUser(session, wanted)
  const made = await session.client.call(allRoutes.createPasswordAddress, { params: { id } })
  showAddress(session, made, made)
}
