import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { newPassword } from '../../directory/new-password.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { newUserCommand } from './new-user.ts'

export const usersAddCommand = (): Command =>
  newUserCommand(
    'add',
    'add a user with a random password, and print the password once',
    async ({ client, report }, { body, rooms }) => {
      const password = newPassword()
      const user = await client.call(allRoutes.createUser, { body: { ...body, password } })
      report.progress(`added ${escapeControls(user.login)}; this password is shown once:`)
      report.result(`${password}\n`, { ...user, password, rooms })
      return user.id
    },
  ).addHelpText(
    'after',
    '\n--manages gives the role department_manager. Only standard output has the password.',
  )
