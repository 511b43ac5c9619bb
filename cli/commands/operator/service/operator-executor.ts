import {
  drainExecutor,
  giveUpExecutor,
  readExecutors,
} from '@sandbox-jobs/server/main/operator/watch/operator-executors.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

const asJson = ['--json', 'print one JSON document'] as const

export const operatorExecutorCommand = (): Command =>
  new Command('executor')
    .description('the machines that execute runs and builds of the deployment')
    .addCommand(listCommand())
    .addCommand(drainCommand())
    .addCommand(resumeCommand())
    .addCommand(removeCommand())

const listCommand = (): Command =>
  new Command('list')
    .description('list the executors, those at work first')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, readExecutors, (executors) => ({
        text: table(
          ['EXECUTOR', 'WORKER', 'HOST AGENT', 'RUNS', 'BUILDS', 'PLACE'],
          executors.map(({ id, at_work, draining, host_agent, runs, run_slots, builds, place }) => [
            id,
            at_work ? (draining ? 'drains' : 'at work') : 'none',
            host_agent ? 'answers' : 'silent',
            `${runs} of ${run_slots}`,
            String(builds),
            place,
          ]),
        ),
        document: { items: executors },
      })),
    )

const unknown = (): CliError =>
  new CliError('No executor has that id.', {
    hint: 'sandbox operator executor list shows them.',
    code: 'cli_executor_unknown',
    exitCode: exitCodes.failed,
  })

const drainCommand = (): Command =>
  new Command('drain')
    .description('claim nothing more for an executor; what it has goes on')
    .argument('<executor>', 'its id')
    .option(...asJson)
    .action((id: string, options: Options) => setDraining(id, options, true))

const resumeCommand = (): Command =>
  new Command('resume')
    .description('claim for an executor again that was drained')
    .argument('<executor>', 'its id')
    .option(...asJson)
    .action((id: string, options: Options) => setDraining(id, options, false))

const setDraining = (id: string, options: Options, draining: boolean) =>
  withLocalService(
    options,
    () => drainExecutor(id, draining),
    (isThere) => {
      if (!isThere) throw unknown()
      const text = draining
        ? `Nothing more is claimed for ${id}, within five seconds. sandbox operator executor list shows what it still has.\n`
        : `Runs and builds are claimed for ${id} again, within five seconds.\n`
      return { text, document: { executor: id, draining } }
    },
  )

const removeCommand = (): Command =>
  new Command('remove')
    .description('give up an executor whose machine is lost: its runs end as host_lost')
    .argument('<executor>', 'its id')
    .option(...asJson)
    .action((id: string, options: Options) =>
      withLocalService(
        options,
        () => giveUpExecutor(id),
        (outcome) => {
          if (outcome === 'unknown') throw unknown()
          if (outcome === 'driven') {
            throw new CliError('A worker drives this executor.', {
              hint: 'Stop the service of its machine, or wait 20 seconds after it has died.',
              code: 'cli_executor_driven',
              exitCode: exitCodes.failed,
            })
          }
          return {
            text: `Removed ${id}. Another machine ends its runs within a minute.\n`,
            document: { executor: id },
          }
        },
      ),
    )
