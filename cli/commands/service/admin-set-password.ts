import { setPassword } from '@sandbox-jobs/server/main/operator/operator-company.ts'
import { Command } from 'commander'

const exitCodes = { service: 1, settings: 2 } as const

/** Exits with 1 if there is no such user or the service cannot be reached, with 2 if the settings are wrong. */
export const adminSetPasswordCommand = (): Command =>
  new Command('set-password')
    .description('set a new random password, print it once, and end all logins of the user')
    .argument('<login>', 'login name of the user')
    .option('--json', 'print one JSON document instead of text')
    .addHelpText('after', '\nRun it on the machine of the service.')
    .action(async (login: string, options: { json?: boolean }) => {
      const outcome = await setPassword(login)
      if (!outcome.ok) return fail(exitCodes[outcome.cause], outcome.problems)
      const password = outcome.value
      if (password === undefined) return fail(1, ['No user has that login name.'])
      process.stdout.write(options.json ? `${JSON.stringify({ login, password })}\n` : `${password}\n`)
    })

function fail(exitCode: number, problems: string[]): void {
  process.stderr.write(`${problems.join('\n')}\nNothing was changed.\n`)
  process.exitCode = exitCode
}
