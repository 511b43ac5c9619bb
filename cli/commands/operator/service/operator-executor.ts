import { readExecutors } from '@sandbox-jobs/server/main/operator/watch/operator-executors.ts'
import { Command } from 'commander'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

export const operatorExecutorCommand = (): Command =>
  new Command('executor')
    .description('the machines that execute runs and builds of the deployment')
    .addCommand(listCommand())

const listCommand = (): Command =>
  new Command('list')
    .description('list the executors, those at work first')
    .option('--json', 'print one JSON document')
    .action((options: { json?: boolean }) =>
      withLocalService(options, readExecutors, (executors) => ({
        text: table(
          ['EXECUTOR', 'WORKER', 'HOST AGENT', 'RUNS', 'BUILDS', 'PLACE'],
          executors.map(({ id, worker, host_agent, runs, run_slots, builds, place }) => [
            id,
            worker ? 'at work' : 'none',
            host_agent ? 'answers' : 'silent',
            `${runs} of ${run_slots}`,
            String(builds),
            place,
          ]),
        ),
        document: { items: executors },
      })),
    )
