import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import {
  type ClientName,
  type DatabaseClient,
  databaseClient,
} from '@sandbox-jobs/server/main/operator/operator-database.ts'
import { Command } from 'commander'
import { CliError, describeFailure } from '../../../failure.ts'
import { createReporter } from '../../../output/reporter.ts'
import { explainRefusal } from '../../../session/local-service.ts'

const descriptions: Record<ClientName, string> = {
  psql: 'open the embedded database of the running service',
  pg_dump: 'dump the embedded database of the running service',
}
const examples: Record<ClientName, string> = {
  psql: "psql -c 'select count(*) from runs'",
  pg_dump: 'pg_dump --schema-only --file schema.sql',
}

/** A client program of Postgres, whose arguments, output and exit code are its own. */
export const operatorDatabaseCommand = (name: ClientName): Command =>
  new Command(name)
    .description(descriptions[name])
    .argument('[arguments...]', `arguments of ${name}`)
    .allowUnknownOption()
    .addHelpText(
      'after',
      `\nRun it as root. It uses the newest ${name} of this machine, logged in as the owner of the schema.` +
        `\n\nExample:\n  sandbox operator ${examples[name]}`,
    )
    .action(async (argv: string[]) => {
      try {
        const outcome = await databaseClient(name)
        if (!outcome.ok) throw explainRefusal(outcome)
        process.exitCode = await run(outcome.value, argv)
      } catch (error) {
        const failure = describeFailure(error, 'this machine')
        createReporter(false).failure(failure)
        process.exitCode = failure.exitCode
      }
    })

async function run({ program, env }: DatabaseClient, argv: string[]): Promise<number> {
  // Ctrl-C is for the program, which ends a statement and not itself.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program, argv, { stdio: 'inherit', env: { ...process.env, ...env } })
      child.once('error', (error) =>
        reject(new CliError(`${program} cannot be started: ${error.message}`, { hint: 'Install it again.' })),
      )
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}
