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
        (
          await import('./commands/operator/images/operator-toolchain-install.ts')
        ).operatorToolchainInstallCommand(),
    },
  },
  'base-image': {
    description: 'base images for Dockerfiles',
    commands: {
      add: async () =>
        (await import('./commands/operator/images/operator-base-image-add.ts')).operatorBaseImageAddCommand(),
      list: async () =>
        (
          await import('./commands/operator/images/operator-base-image-list.ts')
        ).operatorBaseImageListCommand(),
    },
  },
  environment: async () =>
    (await import('./commands/operator/images/operator-environment.ts')).operatorEnvironmentCommand(),
  keys: async () => (await import('./commands/operator/keys/operator-keys.ts')).operatorKeysCommand(),
  'gateway-key': async () =>
    (await import('./commands/operator/keys/operator-gateway-key.ts')).operatorGatewayKeyCommand(),
  'signing-key': async () =>
    (await import('./commands/operator/keys/operator-signing-key.ts')).operatorSigningKeyCommand(),
  'runner-release': async () =>
    (await import('./commands/operator/images/operator-runner-release.ts')).operatorRunnerReleaseCommand(),
  finding: async () =>
    (await import('./commands/operator/images/operator-finding.ts')).operatorFindingCommand(),
  'build-fence': async () =>
    (await import('./commands/operator/images/operator-build-fence.ts')).operatorBuildFenceCommand(),
  company: async () =>
    (await import('./commands/operator/service/operator-company.ts')).operatorCompanyCommand(),
  block: async () => (await import('./commands/operator/images/operator-block.ts')).operatorBlockCommand(),
  unblock: async () =>
    (await import('./commands/operator/images/operator-unblock.ts')).operatorUnblockCommand(),
  backup: async () =>
    (await import('./commands/operator/service/operator-backup.ts')).operatorBackupCommand(),
  restore: async () =>
    (await import('./commands/operator/service/operator-restore.ts')).operatorRestoreCommand(),
  storage: async () =>
    (await import('./commands/operator/service/operator-storage.ts')).operatorStorageCommand(),
  acts: async () =>
    (await import('./commands/operator/service/operator-audit-log.ts')).operatorAuditLogCommand(),
  'vuln-db': {
    description: 'known vulnerabilities that scanned packages are compared with',
    commands: {
      import: async () =>
        (await import('./commands/operator/images/operator-vuln-db-import.ts')).operatorVulnDbImportCommand(),
    },
  },
}

const commands: Commands = {
  up: async () => (await import('./commands/service/up.ts')).upCommand(),
  down: async () => (await import('./commands/service/down.ts')).downCommand(),
  doctor: async () => (await import('./commands/service/doctor.ts')).doctorCommand(),
  admin: {
    description: 'manage the service of this machine',
    commands: {
      apply: async () => (await import('./commands/service/admin-apply.ts')).adminApplyCommand(),
      'set-password': async () =>
        (await import('./commands/service/admin-set-password.ts')).adminSetPasswordCommand(),
    },
  },
  operator: {
    description: 'manage builds, keys, limits and backups of the service; needs root',
    commands: operatorCommands,
  },
  login: async () => (await import('./commands/account/login.ts')).loginCommand(),
  whoami: async () => (await import('./commands/account/whoami.ts')).whoamiCommand(),
  rooms: async () => (await import('./commands/account/rooms.ts')).roomsCommand(),
  env: {
    description: 'environments: the images that jobs run in',
    commands: {
      push: async () => (await import('./commands/environments/env-push.ts')).envPushCommand(),
      list: async () => (await import('./commands/environments/env-list.ts')).envListCommand(),
      egress: async () => (await import('./commands/environments/env-egress.ts')).envEgressCommand(),
      provenance: async () =>
        (await import('./commands/provenance/env-provenance.ts')).envProvenanceCommand(),
      export: async () => (await import('./commands/environments/env-export.ts')).envExportCommand(),
      archive: async () => (await import('./commands/environments/env-archive.ts')).envArchiveCommand(),
    },
  },
  verify: async () => (await import('./commands/provenance/verify.ts')).verifyCommand(),
  'signing-keys': async () => (await import('./commands/provenance/signing-keys.ts')).signingKeysCommand(),
  build: {
    description: 'builds of environments',
    commands: {
      watch: async () => (await import('./commands/builds/build-watch.ts')).buildWatchCommand(),
      show: async () => (await import('./commands/builds/build-show.ts')).buildShowCommand(),
      log: async () => (await import('./commands/builds/build-log.ts')).buildLogCommand(),
      report: async () => (await import('./commands/builds/build-report.ts')).buildReportCommand(),
      sbom: async () => (await import('./commands/builds/build-sbom.ts')).buildSbomCommand(),
    },
  },
  findings: async () => (await import('./commands/builds/findings.ts')).findingsCommand(),
  task: {
    description: 'tasks: scripts that run in an environment',
    commands: {
      publish: async () => (await import('./commands/tasks/task-publish.ts')).taskPublishCommand(),
      egress: async () => (await import('./commands/tasks/task-egress.ts')).taskEgressCommand(),
      archive: async () => (await import('./commands/tasks/task-archive.ts')).taskArchiveCommand(),
    },
  },
  secret: {
    description: 'values for the secret slots of tasks',
    commands: {
      set: async () => (await import('./commands/secrets/secret-set.ts')).secretSetCommand(),
      rotate: async () => (await import('./commands/secrets/secret-rotate.ts')).secretRotateCommand(),
      revoke: async () => (await import('./commands/secrets/secret-revoke.ts')).secretRevokeCommand(),
      list: async () => (await import('./commands/secrets/secret-list.ts')).secretListCommand(),
      approve: async () => (await import('./commands/secrets/secret-approve.ts')).secretApproveCommand(),
    },
  },
  run: async () => (await import('./commands/runs/run.ts')).runCommand(),
  runs: async () => (await import('./commands/runs/runs.ts')).runsCommand(),
  logs: async () => (await import('./commands/runs/logs.ts')).logsCommand(),
  'network-log': async () => (await import('./commands/runs/network-log.ts')).networkLogCommand(),
  usage: async () => (await import('./commands/account/usage.ts')).usageCommand(),
  output: async () => (await import('./commands/results/output.ts')).outputCommand(),
  artifacts: {
    description: 'artifacts: files that runs produced',
    commands: {
      list: async () => (await import('./commands/results/artifacts-list.ts')).artifactsListCommand(),
      get: async () => (await import('./commands/results/artifacts-get.ts')).artifactsGetCommand(),
    },
  },
  links: async () => (await import('./commands/results/links.ts')).linksCommand(),
  proposals: {
    description: 'jobs that agents proposed and that wait for your confirmation',
    commands: {
      list: async () => (await import('./commands/agents/proposals.ts')).proposalsListCommand(),
      show: async () => (await import('./commands/agents/proposals.ts')).proposalsShowCommand(),
      confirm: async () => (await import('./commands/agents/proposals.ts')).proposalsConfirmCommand(),
      reject: async () => (await import('./commands/agents/proposals.ts')).proposalsRejectCommand(),
    },
  },
  cancel: async () => (await import('./commands/runs/cancel.ts')).cancelCommand(),
  'delete-content': async () => (await import('./commands/results/delete-content.ts')).deleteContentCommand(),
  storage: async () => (await import('./commands/account/storage.ts')).storageCommand(),
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
