import { Command, type CommanderError } from 'commander'
import { adminApplyCommand } from './commands/admin-apply.ts'
import { doctorCommand } from './commands/doctor.ts'
import { downCommand } from './commands/down.ts'
import { upCommand } from './commands/up.ts'

const program = new Command('sandbox')
  .description('Sandbox Jobs: run a program as a job in an isolated sandbox')
  .addCommand(upCommand())
  .addCommand(downCommand())
  .addCommand(doctorCommand())
  .addCommand(
    new Command('admin').description('change the service of this machine').addCommand(adminApplyCommand()),
  )

refuseWrongUsage(program)
await program.parseAsync()

/** A command line that cannot be understood ends with 2: 1 is for work that failed. */
function refuseWrongUsage(command: Command): void {
  command.showHelpAfterError('(--help lists what there is)')
  command.exitOverride((error: CommanderError) => process.exit(error.exitCode === 0 ? 0 : 2))
  for (const child of command.commands) refuseWrongUsage(child)
}
