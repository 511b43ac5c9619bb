import { Command, CommanderError } from 'commander'
import { exitCodes } from '../failure.ts'
import manifest from '../package.json' with { type: 'json' }
import { addCommands, type Commands } from './command-table.ts'
import { completionCommand } from './completion.ts'
import { endAtBrokenOutput } from './end-at-broken-output.ts'
import { refuseWrongUsage } from './refuse-wrong-usage.ts'

/** Runs the command of the table, or `completion`, that the command line names. A wrong command line exits with 2; 1 means failed work. */
export async function runProgram(commands: Commands, words = process.argv.slice(2)): Promise<void> {
  endAtBrokenOutput()
  const program = new Command('sandbox')
    .description('Sandbox Jobs: run a program as a job in an isolated sandbox')
    .version(manifest.version)
  await addCommands(program, { ...commands, completion: async () => completionCommand(commands) }, words)
  refuseWrongUsage(program, words.includes('--json'))
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

/** When nothing can continue a command, such as a read that never answers, Node would exit as if it had succeeded. */
function failIfUnfinished(): () => void {
  const onIdle = () => {
    process.stderr.write('error: The command ended without a result.\n')
    process.exit(exitCodes.failed)
  }
  process.once('beforeExit', onIdle)
  return () => void process.off('beforeExit', onIdle)
}
