import type { Role } from '@sandbox-jobs/server/main/all.ts'
import { Command, Option } from 'commander'

const roles: Role[] = ['api', 'worker', 'agent']

export const upCommand = (): Command =>
  new Command('up')
    .description('start the service and keep it running; Ctrl-C or SIGTERM stops it')
    .addOption(new Option('--role <role>', 'start only one part').choices(roles))
    .addHelpText(
      'after',
      '\nSettings come from SANDBOX_* variables or the YAML file in SANDBOX_CONFIG; docs/operations/settings.md lists them.',
    )
    .action(async (options: { role?: Role }) => {
      const { up } = await import('@sandbox-jobs/server/main/all.ts')
      process.exitCode = await up(options.role)
    })
