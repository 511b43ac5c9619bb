import { type DownOutcome, down } from '@sandbox-jobs/server/main/down.ts'
import { Command } from 'commander'

const answers: Record<DownOutcome, { text: string; exitCode: number }> = {
  stopped: { text: 'stopped', exitCode: 0 },
  not_running: { text: 'no service runs on this data folder; set SANDBOX_DATA for another one', exitCode: 0 },
  not_permitted: {
    text: 'the data folder or its service belongs to another user: run this as root',
    exitCode: 1,
  },
  timeout: { text: 'the service has not stopped in two minutes; see its logs', exitCode: 1 },
}

export const downCommand = (): Command =>
  new Command('down')
    .description('stop the service of this machine; unfinished work continues at the next start')
    .action(async () => {
      const outcome = await down()
      const answer = typeof outcome === 'string' ? answers[outcome] : { text: outcome.message, exitCode: 2 }
      const stream = answer.exitCode === 0 ? process.stdout : process.stderr
      stream.write(`${answer.text}\n`)
      process.exitCode = answer.exitCode
    })
