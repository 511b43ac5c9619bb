import { nearNames } from '@sandbox-jobs/contract/near-names.ts'
import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { createReporter } from '../output/reporter.ts'

/** The command line: its words from the command that is configured on, and whether it asks for JSON. */
interface Line {
  words: readonly string[]
  json: boolean
}

/** An invalid command line is one error with a hint, which then throws; so does help, for both end the program. */
export function refuseWrongUsage(command: Command, { words, json }: Line, path = 'sandbox'): void {
  command.configureOutput({
    outputError: (said) =>
      createReporter(json).failure({
        code: 'cli_usage',
        message: unknownOption(command, said, words) ?? textOf(said),
        hint: `${path} --help lists the ${command.commands.length > 0 ? 'commands' : 'arguments and options'}.`,
        exitCode: exitCodes.usage,
      }),
  })
  command.exitOverride()
  for (const child of command.commands) {
    const at = words.indexOf(child.name())
    refuseWrongUsage(child, { words: words.slice(at + 1), json }, `${path} ${child.name()}`)
  }
}

/** The message, and perhaps the most similar name on a line of its own. */
const textOf = (said: string): string =>
  said
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')

/**
 * A mistyped option is reported as missing where its name is required. The mistyped name says more than the required one.
 */
function unknownOption(command: Command, said: string, words: readonly string[]): string | undefined {
  if (!said.startsWith('error: required option')) return undefined
  const wrong = command.parseOptions([...words]).unknown.find((word) => word.startsWith('-') && word !== '-')
  if (wrong === undefined) return undefined
  const [name = wrong] = wrong.split('=', 1)
  const [near] = nearOptions(
    name,
    command.options.flatMap(({ long }) => long ?? []),
  )
  return `unknown option '${name}'${near === undefined ? '' : ` (Did you mean ${near}?)`}`
}

/** An abbreviation of the typed name counts as near, as `--env` for `--environment`. */
const nearOptions = (typed: string, names: string[]): string[] => [
  ...names.filter((name) => typed.startsWith(name)),
  ...nearNames(typed, names),
]
