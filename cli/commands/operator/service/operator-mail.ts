import { type MailTest, testMail } from '@sandbox-jobs/server/main/operator/operator-mail.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { createReporter } from '../../../output/reporter.ts'
import { onThisMachine } from '../../../session/on-this-machine.ts'

export const operatorMailCommand = (): Command =>
  new Command('mail').description('e-mail of notifications').addCommand(testCommand())

const testCommand = (): Command =>
  new Command('test')
    .description('send an e-mail through the configured server')
    .argument('<address>', 'who gets it')
    .option('--json', 'print one JSON document')
    .action((address: string, options: { json?: boolean }) =>
      onThisMachine(createReporter(options.json === true), () => testMail(address), {
        explain,
        render: (sent) => ({ text: `${sent.server} took an e-mail to ${sent.address}.\n`, document: sent }),
      }),
    )

const hints = {
  settings: 'docs/operations/settings.md lists the settings.',
  request: 'sandbox operator mail test ada@example.org',
  server: 'sandbox doctor checks connection and login; docs/notifications.md explains the errors.',
}

const explain = ({ cause, problem }: Extract<MailTest, { ok: false }>): CliError =>
  new CliError(problem, {
    hint: hints[cause],
    code: `cli_mail_${cause}`,
    exitCode: cause === 'server' ? exitCodes.failed : exitCodes.usage,
  })
