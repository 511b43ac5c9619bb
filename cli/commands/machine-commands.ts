import type { Commands } from '../program/command-table.ts'

const operatorCommands: Commands = {
  toolchain: {
    description: 'the builder',
    commands: {
      install: async () =>
        (await import('./operator/images/operator-toolchain-install.ts')).operatorToolchainInstallCommand(),
    },
  },
  'base-image': {
    description: 'base images for Dockerfiles',
    commands: {
      add: async () =>
        (await import('./operator/images/operator-base-image-add.ts')).operatorBaseImageAddCommand(),
      list: async () =>
        (await import('./operator/images/operator-base-image-list.ts')).operatorBaseImageListCommand(),
      presets: async () =>
        (await import('./operator/images/operator-base-image-presets.ts')).operatorBaseImagePresetsCommand(),
    },
  },
  mirror: async () => (await import('./operator/packages/operator-mirror.ts')).operatorMirrorCommand(),
  'package-hosts': async () =>
    (await import('./operator/packages/operator-package-hosts.ts')).operatorPackageHostsCommand(),
  environment: async () =>
    (await import('./operator/images/operator-environment.ts')).operatorEnvironmentCommand(),
  keys: async () => (await import('./operator/keys/operator-keys.ts')).operatorKeysCommand(),
  'gateway-key': async () =>
    (await import('./operator/keys/operator-gateway-key.ts')).operatorGatewayKeyCommand(),
  'signing-key': async () =>
    (await import('./operator/keys/operator-signing-key.ts')).operatorSigningKeyCommand(),
  'runner-release': async () =>
    (await import('./operator/images/operator-runner-release.ts')).operatorRunnerReleaseCommand(),
  finding: async () => (await import('./operator/images/operator-finding.ts')).operatorFindingCommand(),
  'build-fence': async () =>
    (await import('./operator/images/operator-build-fence.ts')).operatorBuildFenceCommand(),
  'kill-switch': async () =>
    (await import('./operator/service/operator-kill-switch.ts')).operatorKillSwitchCommand(),
  console: async () => (await import('./operator/service/operator-console.ts')).operatorConsoleCommand(),
  executor: async () => (await import('./operator/service/operator-executor.ts')).operatorExecutorCommand(),
  kubernetes: async () =>
    (await import('./operator/kubernetes/operator-kubernetes.ts')).operatorKubernetesCommand(),
  company: async () => (await import('./operator/service/operator-company.ts')).operatorCompanyCommand(),
  run: async () => (await import('./operator/service/operator-run.ts')).operatorRunCommand(),
  prices: async () => (await import('./operator/billing/operator-prices.ts')).operatorPricesCommand(),
  block: async () => (await import('./operator/images/operator-block.ts')).operatorBlockCommand(),
  unblock: async () => (await import('./operator/images/operator-unblock.ts')).operatorUnblockCommand(),
  backup: async () => (await import('./operator/service/operator-backup.ts')).operatorBackupCommand(),
  backups: async () => (await import('./operator/service/operator-backups.ts')).operatorBackupsCommand(),
  'fetch-backup': async () =>
    (await import('./operator/service/operator-fetch-backup.ts')).operatorFetchBackupCommand(),
  restore: async () => (await import('./operator/service/operator-restore.ts')).operatorRestoreCommand(),
  psql: async () => (await import('./operator/service/operator-database.ts')).operatorDatabaseCommand('psql'),
  pg_dump: async () =>
    (await import('./operator/service/operator-database.ts')).operatorDatabaseCommand('pg_dump'),
  storage: async () => (await import('./operator/service/operator-storage.ts')).operatorStorageCommand(),
  'check-settings': async () =>
    (await import('./operator/service/operator-check-settings.ts')).operatorCheckSettingsCommand(),
  'support-bundle': async () =>
    (await import('./operator/service/operator-support-bundle.ts')).operatorSupportBundleCommand(),
  mail: async () => (await import('./operator/service/operator-mail.ts')).operatorMailCommand(),
  request: async () => (await import('./operator/service/operator-request.ts')).operatorRequestCommand(),
  'log-level': async () =>
    (await import('./operator/service/operator-log-level.ts')).operatorLogLevelCommand(),
  'install-unit': async () =>
    (await import('./operator/service/operator-install-unit.ts')).operatorInstallUnitCommand(),
  audit: async () => (await import('./operator/service/operator-audit.ts')).operatorAuditCommand(),
  acts: async () => (await import('./operator/service/operator-audit-log.ts')).operatorAuditLogCommand(),
  'vuln-db': {
    description: 'known vulnerabilities that scanned packages are compared with',
    commands: {
      import: async () =>
        (await import('./operator/images/operator-vuln-db-import.ts')).operatorVulnDbImportCommand(),
    },
  },
}

/** Commands that work on the service of this machine, without its API. */
export const machineCommands: Commands = {
  up: async () => (await import('./service/up.ts')).upCommand(),
  down: async () => (await import('./service/down.ts')).downCommand(),
  doctor: async () => (await import('./service/doctor.ts')).doctorCommand(),
  top: async () => (await import('./service/top.ts')).topCommand(),
  logs: async () => (await import('./service/service-logs.ts')).machineLogsCommand(),
  admin: {
    description: 'manage the service of this machine',
    commands: {
      apply: async () => (await import('./service/admin-apply.ts')).adminApplyCommand(),
      'set-password': async () => (await import('./service/admin-set-password.ts')).adminSetPasswordCommand(),
    },
  },
  operator: {
    description: 'manage builds, keys, limits and backups of the service; needs root',
    commands: operatorCommands,
  },
}
