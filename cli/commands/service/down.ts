import type { DownOutcome } from '@sandbox-jobs/server/main/down.ts'
import { Command } from 'commander'
import { exitCodes } from '../../failure.ts'
import { createReporter } from '../../output/reporter.ts'

const done = {
  stopped: 'stopped',
  not_running: 'no service runs on this data folder; set SANDBOX_DATA for another one',
}

const failures: Record<Exclude<DownOutcome, 'stopped' | 'not_running'>, { message: string; hint: string }> = {
  not_permitted: {
    message: 'The data folder or its service belongs to another user.',
    hint: 'Run this as root.',
  },
  timeout: { message: 'The service has not stopped in two minutes.', hint: 'See its logs.' },
}

export const downCommand = (): Command =>
  new Command('down')
    .description('stop the service of this machine; unfinished work continues at the next start')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const report = createReporter(options.json === true)
      const { down } = await import('@sandbox-jobs/server/main/down.ts')
      const outcome = await down()
      if (outcome === 'stopped' || outcome === 'not_running') {
        return report.result(`${done[outcome]}\n`, { state: outcome })
      }
      const failure =
        typeof outcome === 'string'
          ? { code: `cli_${outcome}`, exitCode: exitCodes.failed, ...failures[outcome] }
          : {
              code: 'cli_settings',
              message: outcome.message,
              hint: 'Correct the settings; docs/operations.md lists them.',
              exitCode: exitCodes.usage,
            }
      report.failure(failure)
      process.exitCode = failure.exitCode
    })
