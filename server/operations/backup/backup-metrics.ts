import { Counter, Gauge } from 'prom-client'

export const backupTries = new Counter({
  name: 'sandbox_backups_total',
  help: 'Scheduled backups that were made, and tries that failed.',
  labelNames: ['result'],
})

export const trialTries = new Counter({
  name: 'sandbox_backup_trials_total',
  help: 'Trials of restores that succeeded, that read an encrypted backup without an identity, and that failed.',
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

export const copyTries = new Counter({
  name: 'sandbox_backup_copies_total',
  help: 'Backups that were copied to the bucket, and tries that failed.',
  labelNames: ['result'],
})

export const copyFailing = new Gauge({
  name: 'sandbox_backup_copy_failing',
  help: 'Whether the last try to copy a backup to the bucket failed.',
})

export const lastCopy = new Gauge({
  name: 'sandbox_last_backup_copy_timestamp_seconds',
  help: 'Time of the newest backup that was copied to the bucket; absent if there is none.',
})

export const backupFailing = new Gauge({
  name: 'sandbox_backup_failing',
  help: 'Whether the last try of a scheduled backup failed.',
})

export const lastBackup = new Gauge({
  name: 'sandbox_last_backup_timestamp_seconds',
  help: 'Time of the newest complete scheduled backup; absent if there is none.',
})

export const archiveFailing = new Gauge({
  name: 'sandbox_wal_archive_failing',
  help: 'Whether the last try to archive the write-ahead log failed.',
})

export const archiveBytes = new Gauge({
  name: 'sandbox_wal_archive_bytes',
  help: 'Bytes of the archive of the write-ahead log.',
})

export const archivedUntil = new Gauge({
  name: 'sandbox_wal_archived_until_timestamp_seconds',
  help: 'The latest moment that can be restored; absent if there is none.',
})

// A gauge without labels starts at 0.
for (const time of [lastBackup, lastCopy, lastTrial, archivedUntil]) time.remove()
