import { Command, type CommanderError } from 'commander'

/** Every command by its first word. Only the one that is asked for is loaded: each brings a part of the program. */
const commands: Record<string, () => Promise<Command>> = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  down: async () => (await import('./commands/down.ts')).downCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  admin: async () =>
    new Command('admin')
      .description('change the service of this machine')
      .addCommand((await import('./commands/admin-apply.ts')).adminApplyCommand()),
}

const program = new Command('sandbox').description(
  'Sandbox Jobs: run a program as a job in an isolated sandbox',
)
const asked = commands[process.argv[2] ?? '']
for (const load of asked ? [asked] : Object.values(commands)) program.addCommand(await load())
refuseWrongUsage(program)
await program.parseAsync()

/** A command line that cannot be understood ends with 2: 1 is for work that failed. */
function refuseWrongUsage(command: Command): void {
  command.showHelpAfterError('(--help lists what there is)')
  command.exitOverride((error: CommanderError) => process.exit(error.exitCode === 0 ? 0 : 2))
  for (const child of command.commands) refuseWrongUsage(child)
}
