import { block, unblock } from '@sandbox-jobs/server/main/operator/operator-findings.ts'
import { Command } from 'commander'
import { reasonText } from '../../../args/reason-text.ts'

const exitCodes = { service: 1, settings: 2 } as const

export const operatorFindingCommand = (): Command =>
  new Command('finding')
    .description('forbid or allow exceptions of scan findings')
    .addCommand(
      new Command('block')
        .description('forbid exceptions of a finding, and end its current exception')
        .argument('<finding>', 'id of the finding (fnd_…), see sandbox findings')
        .requiredOption('--reason <text>', 'reason, for the audit log', reasonText)
        .action((id: string, { reason }: { reason: string }) => report(block(id, reason), `Blocked ${id}.`)),
    )
    .addCommand(
      new Command('unblock')
        .description('allow exceptions of a finding again')
        .argument('<finding>', 'id (fnd_…)')
        .action((id: string) => report(unblock(id), `Unblocked ${id}.`)),
    )
    .addHelpText('after', '\nRun it on the machine of the service.')

async function report(outcome: ReturnType<typeof unblock>, done: string): Promise<void> {
  const answer = await outcome
  if (answer.ok && answer.value) {
    process.stdout.write(`${done}\n`)
    return
  }
  const problems = answer.ok ? ['No finding has that id, or its state does not allow this.'] : answer.problems
  process.stderr.write(`${problems.join('\n')}\nNothing was changed.\n`)
  process.exitCode = answer.ok ? 1 : exitCodes[answer.cause]
}
