import { Command, CommanderError } from 'commander'
import { exitCodes } from '../failure.ts'
import manifest from '../package.json' with { type: 'json' }
import { addCommands, type Commands } from './command-table.ts'
import { completionCommand } from './completion.ts'
import { endAtBrokenOutput } from './end-at-broken-output.ts'
import { refuseWrongUsage } from './refuse-wrong-usage.ts'

/** Runs the command of the table, or `completion`, that the command line names. A wrong command line exits with 2; 1 means failed work. */
export async function runProgram(commands: Commands, typed = process.argv.slice(2)): Promise<void> {
  endAtBrokenOutput()
  const program = new Command('sandbox')
    .description('Sandbox Jobs: run a program as a job in an isolated sandbox')
    .version(manifest.version)
  const asked = withHelpOption(typed)
  await addCommands(program, { ...commands, completion: async () => completionCommand(commands) }, asked)
  const words = upToUnknown(program, asked)
  refuseWrongUsage(program, { words, json: typed.includes('--json') })
  const stop = failIfUnfinished()
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // No process.exit: what was written must still reach its reader, or fail.
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
  }
  stop()
}

/** `help COMMAND` as `COMMAND --help`. */
const withHelpOption = ([first, ...words]: string[]): string[] =>
  first === 'help' ? [...words, '--help'] : first === undefined ? [] : [first, ...words]

/** Cuts the words after one that names no command: `--help` after it would be the help of the group above. */
function upToUnknown(program: Command, words: string[]): string[] {
  let group = program
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-') || group.commands.length === 0) break
    const next = group.commands.find((command) => command.name() === word)
    if (next === undefined) return words.slice(0, index + 1)
    group = next
  }
  return words
}

/** When nothing can continue a command, such as a read that never answers, Node would exit as if it had succeeded. */
function failIfUnfinished(): () => void {
  const onIdle = () => {
    process.stderr.write('error: The command ended without a result.\n')
    process.exit(exitCodes.failed)
  }
  process.once('beforeExit', onIdle)
  return () => void process.off('beforeExit', onIdle)
}
