import { block, unblock } from '@sandbox-jobs/server/main/operator-findings.ts'
import { Command } from 'commander'
import { reasonText } from '../args/reason-text.ts'

const exitCodes = { service: 1, settings: 2 } as const

export const operatorFindingCommand = (): Command =>
  new Command('finding')
    .description('findings of scans that nobody may except')
    .addCommand(
      new Command('block')
        .description('forbid exceptions of a finding, and end the one it has')
        .argument('<finding>', 'id (fnd_…), as sandbox findings lists it')
        .requiredOption('--reason <text>', 'why, for its record', reasonText)
        .action((id: string, { reason }: { reason: string }) => tell(block(id, reason), `${id} is blocked.`)),
    )
    .addCommand(
      new Command('unblock')
        .description('allow exceptions of a finding again')
        .argument('<finding>', 'id (fnd_…)')
        .action((id: string) => tell(unblock(id), `${id} is not blocked any more.`)),
    )
    .addHelpText('after', '\nTo be run on the machine of the service.')

async function tell(outcome: ReturnType<typeof unblock>, done: string): Promise<void> {
  const answer = await outcome
  if (answer.ok && answer.value) {
    process.stdout.write(`${done}\n`)
    return
  }
  const problems = answer.ok
    ? ['There is no such finding, or it is not in a state for that.']
    : answer.problems
  process.stderr.write(`${problems.join('\n')}\nNothing was changed.\n`)
  process.exitCode = answer.ok ? 1 : exitCodes[answer.cause]
}
