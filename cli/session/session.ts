import { type Client, createClient } from '@sandbox-jobs/contract/client/client.ts'
import { CliError, describeFailure, exitCodes } from '../failure.ts'
import { createReporter, type Reporter } from '../output/reporter.ts'
import { type ConnectionOptions, chooseConnection } from './connection.ts'
import {
  type Credentials,
  credentialsPath,
  readCredentials,
  rememberRuns,
  writeCredentials,
} from './credentials-file.ts'

/** The dependencies of a command. */
export interface Session {
  url: string
  client: Client
  /** The same service without credentials, for public routes. */
  publicClient: Client
  report: Reporter
  stored: Credentials
  storedPath: string
  /** Remembers the rooms of runs. A login file that cannot be written is not an error. */
  remember(runs: { id: string; chatroom_id: string }[]): Promise<void>
}

export interface SessionNeeds {
  /** The command needs no login. */
  anonymous?: boolean
  /** Exit code instead of 1, for commands that pass on the exit code of a job. */
  failedExitCode?: number
}

/** Runs a command with a session. Any error is shown with a hint and sets the exit code. */
export async function withSession(
  options: ConnectionOptions,
  work: (session: Session) => Promise<void>,
  needs: SessionNeeds = {},
): Promise<void> {
  const report = createReporter(options.json === true)
  let url = options.url ?? 'the service'
  try {
    const session = await openSession(options, report, needs)
    url = session.url
    await work(session)
  } catch (error) {
    const failure = describeFailure(error, url)
    if (failure.exitCode === exitCodes.failed) failure.exitCode = needs.failedExitCode ?? exitCodes.failed
    report.failure(failure)
    process.exitCode = failure.exitCode
  }
}

async function openSession(
  options: ConnectionOptions,
  report: Reporter,
  needs: SessionNeeds,
): Promise<Session> {
  const storedPath = credentialsPath()
  const stored = await readCredentials(storedPath)
  const connection = chooseConnection(options, process.env, stored)
  const { url, token, apiKey } = connection
  if (!needs.anonymous && token === undefined && apiKey === undefined) throw notLoggedIn(url)
  return {
    url,
    client: createClient({
      baseUrl: url,
      ...(token === undefined ? {} : { token }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
    publicClient: createClient({ baseUrl: url }),
    report,
    stored,
    storedPath,
    async remember(runs) {
      if (!rememberRuns(stored, runs)) return
      await writeCredentials(storedPath, stored).catch(() => undefined)
    },
  }
}

const notLoggedIn = (url: string) =>
  new CliError(`You are not logged in at ${url}.`, {
    hint: 'Run sandbox login, or set SANDBOX_TOKEN or SANDBOX_API_KEY.',
    code: 'not_logged_in',
  })
