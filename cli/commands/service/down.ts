import type { DownOutcome } from '@sandbox-jobs/server/main/down.ts'
import { Command } from 'commander'
import { exitCodes } from '../../failure.ts'
import { createReporter, type Reporter } from '../../output/reporter.ts'
import { settingsHint } from '../../session/local-service.ts'

const done = {
  stopped: 'stopped',
  not_running: 'no service runs on this data folder; set SANDBOX_DATA for another one',
}

type Failure = Exclude<DownOutcome, 'stopped' | 'not_running'> | 'agent_runs'

const failures: Record<Failure, { message: string; hint: string }> = {
  not_permitted: {
    message: 'The data folder or its service belongs to another user.',
    hint: 'Run this as root.',
  },
  timeout: { message: 'The service has not stopped in two minutes.', hint: 'See its logs.' },
  agent_runs: {
    message: 'A host agent runs by itself on this data folder, so its sandboxes go on.',
    hint: 'Stop it first: it was started with sandbox up --role agent.',
  },
}

interface Options {
  endWork?: boolean
  json?: boolean
}

export const downCommand = (): Command =>
  new Command('down')
    .description('stop the service of this machine; unfinished work continues at the next start')
    .option('--end-work', 'also end the runs and builds that would continue')
    .option('--json', 'print one JSON document')
    .action(async (options: Options) => {
      const report = createReporter(options.json === true)
      const { down } = await import('@sandbox-jobs/server/main/down.ts')
      const outcome = await down()
      if (typeof outcome !== 'string') {
        const { message } = outcome
        report.failure({ code: 'cli_settings', message, hint: settingsHint, exitCode: exitCodes.usage })
        process.exitCode = exitCodes.usage
        return
      }
      if (outcome !== 'stopped' && outcome !== 'not_running') return fail(report, outcome)
      if (!options.endWork) return report.result(`${done[outcome]}\n`, { state: outcome })
      const { endWork } = await import('@sandbox-jobs/server/main/end-work.ts')
      const ended = await endWork()
      if (typeof ended === 'string') return fail(report, ended)
      report.result(`${done[outcome]}\nsandboxes ended: ${ended}\n`, { state: outcome, ended })
    })

function fail(report: Reporter, failure: Failure): void {
  report.failure({ code: `cli_${failure}`, exitCode: exitCodes.failed, ...failures[failure] })
  process.exitCode = exitCodes.failed
}
