import { fetchBackup } from '@sandbox-jobs/server/main/operator/backups/operator-remote-backups.ts'
import { Command } from 'commander'
import { shellWord } from '../../../output/shell-word.ts'
import { withLocalService } from '../../../session/local-service.ts'

export const operatorFetchBackupCommand = (): Command =>
  new Command('fetch-backup')
    .description('copy a backup from the bucket of SANDBOX_BACKUP_REMOTE to a folder')
    .argument('<name>', 'name of the backup, as sandbox operator backups --remote lists it')
    .argument('<folder>', 'target folder; it must not exist or must be empty')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nRun it as root. A restore verifies every file of the folder.')
    .action((name: string, target: string, options: { json?: boolean }) =>
      withLocalService(
        options,
        () => fetchBackup(name, target),
        ({ folder }) => ({
          text: `Copied ${name} to ${folder}. Restore it with sandbox operator restore ${shellWord(folder)}\n`,
          document: { name, folder },
        }),
      ),
    )
