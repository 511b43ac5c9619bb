import { type Config, ConfigInvalid, readConfig } from '../base/config/config.ts'
import { followLogLevel } from '../base/log-level.ts'
import { createLog, type Log } from '../base/logging.ts'
import { tidyAfterStart } from './supervisor/host/tidy-after-start.ts'
import { readyMessage } from './supervisor/processes/ready-message.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

/** The value that a role returns to the process that runs it. */
export interface RunningRole {
  /** Finishes running work; resolves when the process may exit. */
  stop(): Promise<void>
}

const drainTimeoutMs = 25_000

/**
 * Runs a role's process: configuration, start, the ready line for the supervisor, and a drain on SIGTERM or SIGINT
 * that a second signal cuts short.
 */
export async function runRole(
  name: string,
  start: (config: Config & { databaseUrl: string }, log: Log) => Promise<RunningRole>,
): Promise<void> {
  const config = configOrExit(name)
  // Folders shared by API and worker are writable by both; everything else only by its owner.
  process.umask(0o007)
  const log = createLog(name, config.logLevel)
  followLogLevel(log, config.dataDir)
  const { databaseUrl } = config
  if (!databaseUrl) {
    log.fatal('no database: set DATABASE_URL, or start the whole service with sandbox up')
    process.exit(exitCodes.configuration)
  }
  const role = await start({ ...config, databaseUrl }, log).catch((error: unknown) => {
    if (!(error instanceof ServiceProblem)) throw error
    log.fatal(error.message)
    process.exit(error.exitCode)
  })
  log.info(readyMessage)
  tidyAfterStart()
  let stopping = false
  const stop = () => {
    if (stopping) process.exit(0)
    stopping = true
    setTimeout(() => process.exit(0), drainTimeoutMs).unref()
    role.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function configOrExit(name: string): Config {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    process.stderr.write(`${name}: ${error.message}\n`)
    process.exit(exitCodes.configuration)
  }
}
