import { basename } from 'node:path'
import { type BackupList, listBackups } from '@sandbox-jobs/server/main/operator/backups/operator-backups.ts'
import { listRemoteBackups } from '@sandbox-jobs/server/main/operator/backups/operator-remote-backups.ts'
import { Command } from 'commander'
import { bytesText } from '../../../output/sizes.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

type Planned = BackupList['backups'][number]

export const operatorBackupsCommand = (): Command =>
  new Command('backups')
    .description('list the scheduled backups, and those that retention removes next')
    .option('--remote', 'list those in the bucket of SANDBOX_BACKUP_REMOTE')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nRun it as root on the machine of the service, which does not have to run.')
    .action((options: { remote?: boolean; json?: boolean }) =>
      options.remote ? listRemote(options) : list(options),
    )

const list = (options: { json?: boolean }) =>
  withLocalService(options, listBackups, ({ folder, nextAt, backups }) => ({
    text: `${table(headings, backups.map(cells))}The next backup is made at ${nextAt.toISOString()}.\n`,
    document: { folder, next_at: nextAt.toISOString(), items: backups.map(item) },
  }))

const listRemote = (options: { json?: boolean }) =>
  withLocalService(options, listRemoteBackups, ({ remote, backups }) => ({
    text: table(
      ['NAME', 'STATE'],
      backups.map(({ name, isComplete }) => [name, stateOf(isComplete)]),
    ),
    document: {
      remote,
      items: backups.map(({ name, isComplete }) => ({ name, state: stateOf(isComplete) })),
    },
  }))

const stateOf = (isComplete: boolean) => (isComplete ? 'complete' : 'incomplete')

const headings = ['NAME', 'STATE', 'MADE AT', 'SIZE', 'RESTORE TRIED', 'KEPT AS', 'NEXT']

function cells(planned: Planned): string[] {
  const { name, state, encrypted, made_at, byte_size, trial, kept_as, removed_next } = item(planned)
  return [
    name,
    encrypted ? 'encrypted' : state,
    made_at ?? '',
    byte_size === null ? '' : bytesText(byte_size),
    trial ? `${trial.result} ${trial.tried_at}` : '',
    kept_as.join(', '),
    removed_next ? 'removed' : '',
  ]
}

function item({ backup, keptAs, isRemovedNext }: Planned) {
  const { state, path } = backup
  const { madeAt, manifest, trial } = backup.state === 'complete' ? backup : {}
  return {
    name: basename(path),
    path,
    state,
    made_at: madeAt?.toISOString() ?? null,
    encrypted: manifest ? manifest.recipients !== undefined : null,
    release: manifest?.release ?? null,
    files: manifest?.files ?? null,
    byte_size: manifest?.bytes ?? null,
    trial: trial ? { tried_at: trial.triedAt, result: trial.result } : null,
    kept_as: keptAs,
    removed_next: isRemovedNext,
  }
}
