import { Command } from 'commander'
import { doctorCommand } from './commands/doctor.ts'
import { upCommand } from './commands/up.ts'

const program = new Command('sandbox')
  .description('Sandbox Jobs: run a program as a job in an isolated sandbox')
  .showHelpAfterError('(sandbox --help lists the commands)')
  .addCommand(upCommand())
  .addCommand(doctorCommand())

await program.parseAsync()
