import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { egressCommand } from '../../args/egress-command.ts'
import { findEnvironment } from '../../lookup/find-environment.ts'

export const envEgressCommand = (): Command =>
  egressCommand({
    kind: 'environment',
    find: findEnvironment,
    read: ({ client }, id) => client.call(allRoutes.readEnvironmentEgress, { params: { id } }),
    change: ({ client }, id, list) =>
      client.call(allRoutes.changeEnvironmentEgress, { params: { id }, body: { allow_list: list } }),
  })
