import { type LogLevel, logLevels } from '@sandbox-jobs/contract/operator/service-log.ts'
import { logLevel } from '@sandbox-jobs/server/main/operator/watch/operator-log-level.ts'
import { Argument, Command } from 'commander'
import { withLocalService } from '../../../session/local-service.ts'

export const operatorLogLevelCommand = (): Command =>
  new Command('log-level')
    .description('show or change the level that the running service logs at, until its next start')
    .addArgument(new Argument('[level]', 'lowest level that is logged').choices(logLevels))
    .option('--json', 'print one JSON document')
    .action((level: LogLevel | undefined, options: { json?: boolean }) =>
      withLocalService(
        options,
        () => logLevel(level),
        (now) => ({ text: `The processes of the service log at ${now}.\n`, document: { level: now } }),
      ),
    )
