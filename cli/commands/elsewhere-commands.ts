import { Command } from 'commander'
import { CliError, describeFailure, exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'
import type { Commands } from '../program/command-table.ts'

/** In place of a command that works on the machine of the service, in a program that is not that machine's. */
const elsewhere = (name: string) => async () =>
  new Command(name)
    .description("only on the service's machine, with the sandbox command of the program's folder")
    .argument('[words...]')
    .option('--json', 'print one JSON document')
    .allowUnknownOption()
    .action((_words: string[], options: { json?: boolean }) => {
      const error = new CliError(`sandbox ${name} works only on the machine of the service.`, {
        hint: "Run it there, with ./sandbox in the program's folder.",
        code: 'cli_elsewhere',
        exitCode: exitCodes.usage,
      })
      createReporter(options.json === true).failure(describeFailure(error, ''))
      process.exitCode = error.exitCode
    })

export const elsewhereCommands: Commands = Object.fromEntries(
  ['up', 'down', 'doctor', 'top', 'admin', 'operator'].map((name) => [name, elsewhere(name)]),
)
