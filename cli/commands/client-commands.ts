import type { Commands } from '../program/command-table.ts'

/** Commands that call a service, from any machine. */
export const clientCommands: Commands = {
  login: async () => (await import('./account/login.ts')).loginCommand(),
  whoami: async () => (await import('./account/whoami.ts')).whoamiCommand(),
  rooms: async () => (await import('./account/rooms.ts')).roomsCommand(),
  init: async () => (await import('./author/init.ts')).initCommand(),
  deploy: async () => (await import('./author/deploy.ts')).deployCommand(),
  dev: async () => (await import('./author/dev.ts')).devCommand(),
  env: {
    description: 'environments: the images that jobs run in',
    commands: {
      push: async () => (await import('./environments/env-push.ts')).envPushCommand(),
      list: async () => (await import('./environments/env-list.ts')).envListCommand(),
      egress: async () => (await import('./environments/env-egress.ts')).envEgressCommand(),
      provenance: async () => (await import('./provenance/env-provenance.ts')).envProvenanceCommand(),
      export: async () => (await import('./environments/env-export.ts')).envExportCommand(),
      archive: async () => (await import('./environments/env-archive.ts')).envArchiveCommand(),
    },
  },
  verify: async () => (await import('./provenance/verify.ts')).verifyCommand(),
  'signing-keys': async () => (await import('./provenance/signing-keys.ts')).signingKeysCommand(),
  build: {
    description: 'builds of environments',
    commands: {
      watch: async () => (await import('./builds/build-watch.ts')).buildWatchCommand(),
      show: async () => (await import('./builds/build-show.ts')).buildShowCommand(),
      log: async () => (await import('./builds/build-log.ts')).buildLogCommand(),
      report: async () => (await import('./builds/build-report.ts')).buildReportCommand(),
      sbom: async () => (await import('./builds/build-sbom.ts')).buildSbomCommand(),
    },
  },
  findings: async () => (await import('./builds/findings.ts')).findingsCommand(),
  task: {
    description: 'tasks: scripts that run in an environment',
    commands: {
      publish: async () => (await import('./tasks/task-publish.ts')).taskPublishCommand(),
      egress: async () => (await import('./tasks/task-egress.ts')).taskEgressCommand(),
      archive: async () => (await import('./tasks/task-archive.ts')).taskArchiveCommand(),
    },
  },
  secret: {
    description: 'values for the secret slots of tasks',
    commands: {
      set: async () => (await import('./secrets/secret-set.ts')).secretSetCommand(),
      rotate: async () => (await import('./secrets/secret-rotate.ts')).secretRotateCommand(),
      revoke: async () => (await import('./secrets/secret-revoke.ts')).secretRevokeCommand(),
      list: async () => (await import('./secrets/secret-list.ts')).secretListCommand(),
      approve: async () => (await import('./secrets/secret-approve.ts')).secretApproveCommand(),
    },
  },
  run: async () => (await import('./runs/run.ts')).runCommand(),
  runs: async () => (await import('./runs/runs.ts')).runsCommand(),
  logs: async () => (await import('./runs/logs.ts')).logsCommand(),
  'network-log': async () => (await import('./runs/network-log.ts')).networkLogCommand(),
  usage: async () => (await import('./account/usage.ts')).usageCommand(),
  output: async () => (await import('./results/output.ts')).outputCommand(),
  artifacts: {
    description: 'artifacts: files that runs produced',
    commands: {
      list: async () => (await import('./results/artifacts-list.ts')).artifactsListCommand(),
      get: async () => (await import('./results/artifacts-get.ts')).artifactsGetCommand(),
    },
  },
  links: async () => (await import('./results/links.ts')).linksCommand(),
  proposals: {
    description: 'jobs that agents proposed and that wait for your confirmation',
    commands: {
      list: async () => (await import('./agents/proposals.ts')).proposalsListCommand(),
      show: async () => (await import('./agents/proposals.ts')).proposalsShowCommand(),
      confirm: async () => (await import('./agents/proposals.ts')).proposalsConfirmCommand(),
      reject: async () => (await import('./agents/proposals.ts')).proposalsRejectCommand(),
    },
  },
  cancel: async () => (await import('./runs/cancel.ts')).cancelCommand(),
  'delete-content': async () => (await import('./results/delete-content.ts')).deleteContentCommand(),
  storage: async () => (await import('./account/storage.ts')).storageCommand(),
}
