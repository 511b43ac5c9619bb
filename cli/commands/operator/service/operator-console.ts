import {
  type ConsoleAddress,
  endConsole,
  openConsole,
} from '@sandbox-jobs/server/main/operator/operator-console.ts'
import { Command, Option } from 'commander'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  readOnly?: boolean
  endAll?: boolean
  json?: boolean
}

export const operatorConsoleCommand = (): Command =>
  new Command('console')
    .description('print an address that signs you in to the operator console, once')
    .option('--read-only', 'one that may do nothing')
    .addOption(new Option('--end-all', 'end all sign-ins to it instead').conflicts('readOnly'))
    .option('--json', 'print one JSON document')
    .action(({ readOnly, endAll, ...options }: Options) =>
      endAll
        ? withLocalService(options, endConsole, (ended) => ({
            text: `Ended ${ended} ${ended === 1 ? 'sign-in' : 'sign-ins'}.\n`,
            document: { ended },
          }))
        : withLocalService(
            options,
            () => openConsole(readOnly ? 'read_only' : 'full'),
            (opened) => ({ text: textOf(opened), document: opened }),
          ),
    )

const textOf = ({ address, valid_seconds, listen }: ConsoleAddress): string =>
  `${address}
Open it in a browser within ${valid_seconds} seconds; it works once. The browser of another machine reaches it through
ssh -L ${listen.slice(listen.lastIndexOf(':') + 1)}:${listen} and the name of this machine.
`
