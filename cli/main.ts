import { Command, type CommanderError } from 'commander'

type Load = () => Promise<Command>

/** A command that only groups subcommands. */
interface Group {
  description: string
  commands: Commands
}

interface Commands {
  [word: string]: Load | Group
}

const operatorCommands: Commands = {
  toolchain: {
    description: 'the builder',
    commands: {
      install: async () =>
        (await import('./commands/operator-toolchain-install.ts')).operatorToolchainInstallCommand(),
    },
  },
  'base-image': {
    description: 'base images for Dockerfiles',
    commands: {
      add: async () => (await import('./commands/operator-base-image-add.ts')).operatorBaseImageAddCommand(),
      list: async () =>
        (await import('./commands/operator-base-image-list.ts')).operatorBaseImageListCommand(),
    },
  },
  environment: async () => (await import('./commands/operator-environment.ts')).operatorEnvironmentCommand(),
  keys: async () => (await import('./commands/operator-keys.ts')).operatorKeysCommand(),
  'gateway-key': async () => (await import('./commands/operator-gateway-key.ts')).operatorGatewayKeyCommand(),
  'signing-key': async () => (await import('./commands/operator-signing-key.ts')).operatorSigningKeyCommand(),
  'runner-release': async () =>
    (await import('./commands/operator-runner-release.ts')).operatorRunnerReleaseCommand(),
  finding: async () => (await import('./commands/operator-finding.ts')).operatorFindingCommand(),
  'build-fence': async () => (await import('./commands/operator-build-fence.ts')).operatorBuildFenceCommand(),
  company: async () => (await import('./commands/operator-company.ts')).operatorCompanyCommand(),
  block: async () => (await import('./commands/operator-block.ts')).operatorBlockCommand(),
  unblock: async () => (await import('./commands/operator-unblock.ts')).operatorUnblockCommand(),
  backup: async () => (await import('./commands/operator-backup.ts')).operatorBackupCommand(),
  restore: async () => (await import('./commands/operator-restore.ts')).operatorRestoreCommand(),
  storage: async () => (await import('./commands/operator-storage.ts')).operatorStorageCommand(),
  acts: async () => (await import('./commands/operator-audit-log.ts')).operatorAuditLogCommand(),
  'vuln-db': {
    description: 'known vulnerabilities that scanned packages are compared with',
    commands: {
      import: async () =>
        (await import('./commands/operator-vuln-db-import.ts')).operatorVulnDbImportCommand(),
    },
  },
}

const commands: Commands = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  down: async () => (await import('./commands/down.ts')).downCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  admin: {
    description: 'manage the service of this machine',
    commands: {
      apply: async () => (await import('./commands/admin-apply.ts')).adminApplyCommand(),
      'set-password': async () =>
        (await import('./commands/admin-set-password.ts')).adminSetPasswordCommand(),
    },
  },
  operator: {
    description: 'manage builds, keys, limits and backups of the service; needs root',
    commands: operatorCommands,
  },
  login: async () => (await import('./commands/login.ts')).loginCommand(),
  whoami: async () => (await import('./commands/whoami.ts')).whoamiCommand(),
  rooms: async () => (await import('./commands/rooms.ts')).roomsCommand(),
  env: {
    description: 'environments: the images that jobs run in',
    commands: {
      push: async () => (await import('./commands/env-push.ts')).envPushCommand(),
      list: async () => (await import('./commands/env-list.ts')).envListCommand(),
      egress: async () => (await import('./commands/env-egress.ts')).envEgressCommand(),
      provenance: async () => (await import('./commands/env-provenance.ts')).envProvenanceCommand(),
      export: async () => (await import('./commands/env-export.ts')).envExportCommand(),
      archive: async () => (await import('./commands/env-archive.ts')).envArchiveCommand(),
    },
  },
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  'signing-keys': async () => (await import('./commands/signing-keys.ts')).signingKeysCommand(),
  build: {
    description: 'builds of environments',
    commands: {
      watch: async () => (await import('./commands/build-watch.ts')).buildWatchCommand(),
      show: async () => (await import('./commands/build-show.ts')).buildShowCommand(),
      log: async () => (await import('./commands/build-log.ts')).buildLogCommand(),
      report: async () => (await import('./commands/build-report.ts')).buildReportCommand(),
      sbom: async () => (await import('./commands/build-sbom.ts')).buildSbomCommand(),
    },
  },
  findings: async () => (await import('./commands/findings.ts')).findingsCommand(),
  task: {
    description: 'tasks: scripts that run in an environment',
    commands: {
      publish: async () => (await import('./commands/task-publish.ts')).taskPublishCommand(),
      egress: async () => (await import('./commands/task-egress.ts')).taskEgressCommand(),
      archive: async () => (await import('./commands/task-archive.ts')).taskArchiveCommand(),
    },
  },
  secret: {
    description: 'values for the secret slots of tasks',
    commands: {
      set: async () => (await import('./commands/secret-set.ts')).secretSetCommand(),
      rotate: async () => (await import('./commands/secret-rotate.ts')).secretRotateCommand(),
      revoke: async () => (await import('./commands/secret-revoke.ts')).secretRevokeCommand(),
      list: async () => (await import('./commands/secret-list.ts')).secretListCommand(),
      approve: async () => (await import('./commands/secret-approve.ts')).secretApproveCommand(),
    },
  },
  run: async () => (await import('./commands/run.ts')).runCommand(),
  runs: async () => (await import('./commands/runs.ts')).runsCommand(),
  logs: async () => (await import('./commands/logs.ts')).logsCommand(),
  'network-log': async () => (await import('./commands/network-log.ts')).networkLogCommand(),
  usage: async () => (await import('./commands/usage.ts')).usageCommand(),
  output: async () => (await import('./commands/output.ts')).outputCommand(),
  artifacts: {
    description: 'artifacts: files that runs produced',
    commands: {
      list: async () => (await import('./commands/artifacts-list.ts')).artifactsListCommand(),
      get: async () => (await import('./commands/artifacts-get.ts')).artifactsGetCommand(),
    },
  },
  links: async () => (await import('./commands/links.ts')).linksCommand(),
  proposals: {
    description: 'jobs that agents proposed and that wait for your confirmation',
    commands: {
      list: async () => (await import('./commands/proposals.ts')).proposalsListCommand(),
      show: async () => (await import('./commands/proposals.ts')).proposalsShowCommand(),
      confirm: async () => (await import('./commands/proposals.ts')).proposalsConfirmCommand(),
      reject: async () => (await import('./commands/proposals.ts')).proposalsRejectCommand(),
    },
  },
  cancel: async () => (await import('./commands/cancel.ts')).cancelCommand(),
  'delete-content': async () => (await import('./commands/delete-content.ts')).deleteContentCommand(),
  storage: async () => (await import('./commands/storage.ts')).storageCommand(),
}

const program = new Command('sandbox').description(
  'Sandbox Jobs: run a program as a job in an isolated sandbox',
)
await addCommands(program, commands, process.argv.slice(2))
refuseWrongUsage(program)
await program.parseAsync()

/** Adds every command, or only the one on the command line: each loads its own part of the program. */
async function addCommands(
  parent: Command,
  choice: Commands,
  [word = '', ...words]: string[],
): Promise<void> {
  const isNamed = Object.hasOwn(choice, word)
  for (const name of isNamed ? [word] : Object.keys(choice)) {
    const next = choice[name] as Load | Group
    if (typeof next === 'function') {
      parent.addCommand(await next())
    } else {
      const group = parent.command(name).description(next.description)
      await addCommands(group, next.commands, isNamed ? words : [])
    }
  }
}

/** An invalid command line exits with 2; 1 means failed work. */
function refuseWrongUsage(command: Command): void {
  command.showHelpAfterError('(--help lists the commands and options)')
  command.exitOverride((error: CommanderError) => process.exit(error.exitCode === 0 ? 0 : 2))
  for (const child of command.commands) refuseWrongUsage(child)
}
