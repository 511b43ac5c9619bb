import { clientCommands } from './commands/client-commands.ts'
import { machineCommands } from './commands/machine-commands.ts'
import { runProgram } from './program/run-program.ts'

await runProgram({ ...clientCommands, ...machineCommands })
