import { setPassword } from '@sandbox-jobs/server/main/set-password.ts'
import { Command } from 'commander'

const exitCodes = { service: 1, settings: 2 } as const

/** Exits with 1 when there is no such user or the service cannot be reached, with 2 when the settings are wrong. */
export const adminSetPasswordCommand = (): Command =>
  new Command('set-password')
    .description('give a user a new random password, printed this once, and end their logins')
    .argument('<login>', 'login name of the user')
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', '\nTo be run on the machine of the service.')
    .action(async (login: string, options: { json?: boolean }) => {
      const outcome = await setPassword(login)
      if (!outcome.ok) return fail(exitCodes[outcome.cause], outcome.problems)
      const password = outcome.value
      if (password === undefined) return fail(1, ['Nobody has that login name.'])
      process.stdout.write(options.json ? `${JSON.stringify({ login, password })}\n` : `${password}\n`)
    })

function fail(exitCode: number, problems: string[]): void {
  process.stderr.write(`${problems.join('\n')}\nNothing was changed.\n`)
  process.exitCode = exitCode
}
