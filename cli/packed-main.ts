import { clientCommands } from './commands/client-commands.ts'
import { elsewhereCommands } from './commands/elsewhere-commands.ts'
import { runProgram } from './program/run-program.ts'

/** The command for other machines than the service's, as one file (`server/main/pack-cli.ts`). */
void runProgram({ ...clientCommands, ...elsewhereCommands })
