import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { Command } from 'commander'
import { CliError } from '../../failure.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { askLine, readPassword } from '../../session/ask.ts'
import { writeCredentials } from '../../session/credentials-file.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options {
  url?: string
  user?: string
  json?: boolean
}

export const loginCommand = (): Command =>
  new Command('login')
    .description('log in, and store the login for later commands')
    .option('--url <url>', 'address of the service (default: SANDBOX_URL, then the latest login)')
    .option('--user <name>', 'login name (default: ask for it)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nThe password is read from the terminal without echo, from standard input if that is not a terminal, or from' +
        '\nSANDBOX_PASSWORD. The login is stored in ~/.config/sandbox-jobs/credentials.json, readable only for you.',
    )
    .action((options: Options) =>
      withSession(options, (session) => login(session, options), { anonymous: true }),
    )

async function login(
  { publicClient, url, stored, storedPath, report }: Session,
  options: Options,
): Promise<void> {
  const user = options.user ?? (await askLine('Login name: '))
  const password = process.env.SANDBOX_PASSWORD || (await readPassword(`Password of ${user} at ${url}: `))
  const token = await publicClient
    .call(allRoutes.createToken, { body: { username: user, password } })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 418 ? wrongLogin() : error
    })
  const expires_at = new Date(Date.now() + token.expires_in * 1000).toISOString()
  stored.url = url
  stored.logins[url] = { user, token: token.access_token, expires_at }
  await writeCredentials(storedPath, stored)
  report.result(`Logged in at ${url} as ${escapeControls(user)} until ${expires_at}.\n`, {
    url,
    user,
    expires_at,
  })
}

const wrongLogin = () =>
  new CliError('Login name or password is wrong.', {
    hint: 'Try again; an administrator can set a new password.',
    code: 'wrong_login',
  })
