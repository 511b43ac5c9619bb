import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'

/** An invalid command line is one error with a hint, which then throws; so does help, for both end the program. */
export function refuseWrongUsage(command: Command, json: boolean, path = 'sandbox'): void {
  command.configureOutput({
    outputError: (said) =>
      createReporter(json).failure({
        code: 'cli_usage',
        // The message, and perhaps the most similar name on a line of its own.
        message: said
          .replace(/^error: /, '')
          .trim()
          .replaceAll('\n', ' '),
        hint: `${path} --help lists the ${command.commands.length > 0 ? 'commands' : 'arguments and options'}.`,
        exitCode: exitCodes.usage,
      }),
  })
  command.exitOverride()
  for (const child of command.commands) refuseWrongUsage(child, json, `${path} ${child.name()}`)
}
