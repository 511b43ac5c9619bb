import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { egressCommand } from '../../args/egress-command.ts'
import { findTask } from '../../lookup/find-task.ts'

export const taskEgressCommand = (): Command =>
  egressCommand({
    kind: 'task',
    find: findTask,
    read: ({ client }, id) => client.call(allRoutes.readTaskEgress, { params: { id } }),
    change: ({ client }, id, list) =>
      client.call(allRoutes.changeTaskEgress, { params: { id }, body: { allow_list: list } }),
  })
