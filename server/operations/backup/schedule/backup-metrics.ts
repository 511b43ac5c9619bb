import { Counter, Gauge } from 'prom-client'

export const backupTries = new Counter({
  name: 'sandbox_backups_total',
  help: 'Scheduled backups that were made, and tries that failed.',
  labelNames: ['result'],
})

export const backupFailing = new Gauge({
  name: 'sandbox_backup_failing',
  help: 'Whether the last try of a scheduled backup failed.',
})

export const lastBackup = new Gauge({
  name: 'sandbox_last_backup_timestamp_seconds',
  help: 'Time of the newest complete scheduled backup; absent if there is none.',
})
