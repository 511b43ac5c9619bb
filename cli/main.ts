import { Command, type CommanderError } from 'commander'

/** Every command by its first word. Only the one that is asked for is loaded: each brings a part of the program. */
const commands: Record<string, () => Promise<Command>> = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  down: async () => (await import('./commands/down.ts')).downCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  admin: async () =>
    new Command('admin')
      .description('change the service of this machine')
      .addCommand((await import('./commands/admin-apply.ts')).adminApplyCommand())
      .addCommand((await import('./commands/admin-set-password.ts')).adminSetPasswordCommand()),
  operator: async () =>
    new Command('operator')
      .description('what the operator of this machine provides for builds; needs root')
      .addCommand(
        new Command('toolchain')
          .description('the builder')
          .addCommand(
            (await import('./commands/operator-toolchain-install.ts')).operatorToolchainInstallCommand(),
          ),
      )
      .addCommand(
        new Command('base-image')
          .description('base images for Dockerfiles')
          .addCommand((await import('./commands/operator-base-image-add.ts')).operatorBaseImageAddCommand())
          .addCommand(
            (await import('./commands/operator-base-image-list.ts')).operatorBaseImageListCommand(),
          ),
      )
      .addCommand((await import('./commands/operator-environment.ts')).operatorEnvironmentCommand())
      .addCommand((await import('./commands/operator-signing-key.ts')).operatorSigningKeyCommand())
      .addCommand((await import('./commands/operator-runner-release.ts')).operatorRunnerReleaseCommand())
      .addCommand((await import('./commands/operator-finding.ts')).operatorFindingCommand())
      .addCommand((await import('./commands/operator-build-fence.ts')).operatorBuildFenceCommand())
      .addCommand((await import('./commands/operator-company.ts')).operatorCompanyCommand())
      .addCommand((await import('./commands/operator-block.ts')).operatorBlockCommand())
      .addCommand((await import('./commands/operator-unblock.ts')).operatorUnblockCommand())
      .addCommand((await import('./commands/operator-acts.ts')).operatorActsCommand())
      .addCommand(
        new Command('vuln-db')
          .description('known vulnerabilities that scanned packages are compared with')
          .addCommand((await import('./commands/operator-vuln-db-import.ts')).operatorVulnDbImportCommand()),
      ),
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  whoami: async () => (await import('./commands/whoami.ts')).whoamiCommand(),
  rooms: async () => (await import('./commands/rooms.ts')).roomsCommand(),
  env: async () =>
    new Command('env')
      .description('environments: what jobs run in')
      .addCommand((await import('./commands/env-push.ts')).envPushCommand())
      .addCommand((await import('./commands/env-list.ts')).envListCommand())
      .addCommand((await import('./commands/env-egress.ts')).envEgressCommand())
      .addCommand((await import('./commands/env-provenance.ts')).envProvenanceCommand())
      .addCommand((await import('./commands/env-export.ts')).envExportCommand())
      .addCommand((await import('./commands/env-archive.ts')).envArchiveCommand()),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  'signing-keys': async () => (await import('./commands/signing-keys.ts')).signingKeysCommand(),
  build: async () =>
    new Command('build')
      .description('builds of environments')
      .addCommand((await import('./commands/build-watch.ts')).buildWatchCommand())
      .addCommand((await import('./commands/build-show.ts')).buildShowCommand())
      .addCommand((await import('./commands/build-log.ts')).buildLogCommand())
      .addCommand((await import('./commands/build-report.ts')).buildReportCommand())
      .addCommand((await import('./commands/build-sbom.ts')).buildSbomCommand()),
  findings: async () => (await import('./commands/findings.ts')).findingsCommand(),
  task: async () =>
    new Command('task')
      .description('tasks: scripts that run in an environment')
      .addCommand((await import('./commands/task-publish.ts')).taskPublishCommand())
      .addCommand((await import('./commands/task-egress.ts')).taskEgressCommand())
      .addCommand((await import('./commands/task-archive.ts')).taskArchiveCommand()),
  run: async () => (await import('./commands/run.ts')).runCommand(),
  runs: async () => (await import('./commands/runs.ts')).runsCommand(),
  logs: async () => (await import('./commands/logs.ts')).logsCommand(),
  'network-log': async () => (await import('./commands/network-log.ts')).networkLogCommand(),
  usage: async () => (await import('./commands/usage.ts')).usageCommand(),
  output: async () => (await import('./commands/output.ts')).outputCommand(),
  artifacts: async () =>
    new Command('artifacts')
      .description('files that runs have left')
      .addCommand((await import('./commands/artifacts-list.ts')).artifactsListCommand())
      .addCommand((await import('./commands/artifacts-get.ts')).artifactsGetCommand()),
  links: async () => (await import('./commands/links.ts')).linksCommand(),
  cancel: async () => (await import('./commands/cancel.ts')).cancelCommand(),
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
