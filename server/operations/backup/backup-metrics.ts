import { Counter, Gauge } from 'prom-client'

export const backupTries = new Counter({
  name: 'sandbox_backups_total',
  help: 'Scheduled backups that were made, and tries that failed.',
  labelNames: ['result'],
})

export const trialTries = new Counter({
  name: 'sandbox_backup_trials_total',
  help: 'Trials of restores that succeeded, and that failed.',
  labelNames: ['result'],
})

export const trialFailing = new Gauge({
  name: 'sandbox_backup_trial_failing',
  help: 'Whether the last trial of a restore failed.',
})

export const lastTrial = new Gauge({
  name: 'sandbox_last_backup_trial_timestamp_seconds',
  help: 'Time of the last successful trial of a restore; absent if there is none.',
})

export const backupFailing = new Gauge({
  name: 'sandbox_backup_failing',
  help: 'Whether the last try of a scheduled backup failed.',
})

export const lastBackup = new Gauge({
  name: 'sandbox_last_backup_timestamp_seconds',
  help: 'Time of the newest complete scheduled backup; absent if there is none.',
})

// A gauge without labels starts at 0.
for (const time of [lastBackup, lastTrial]) time.remove()
