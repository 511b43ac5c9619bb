import type { Table } from '../attempt.ts'
import type { Stage } from '../stage.ts'
import type { Trials } from '../trial.ts'
import { builds } from './builds.ts'
import { collector } from './collector.ts'
import { devices } from './devices.ts'
import { hostileEnvironments } from './environment.ts'
import { imagesOf } from './images.ts'
import { leaks } from './leaks.ts'
import { mountTricks, namespaces, rights } from './namespaces.ts'
import { neighbours } from './neighbours.ts'
import { allowList, network } from './network.ts'
import { procAndSys } from './proc-and-sys.ts'
import { pulls } from './pulls.ts'
import { resources } from './resources.ts'
import { sharedFiles } from './shared-files.ts'
import { sockets } from './sockets.ts'
import { systemCalls } from './system-calls.ts'

/** What one sandbox tries one after another, class by class. */
export async function tablesOf(stage: Stage): Promise<Table[]> {
  const own = [
    leaks(stage),
    builds(stage),
    neighbours(stage),
    network(),
    allowList(),
    ...(await imagesOf(stage)),
  ]
  const ofKernel = [systemCalls(), procAndSys, devices, namespaces, mountTricks, rights, sockets]
  return [...ofKernel, sharedFiles, ...own]
}

/** What wants a sandbox for each. */
export const trialsOf = async (stage: Stage): Promise<Trials[]> => [
  collector,
  resources,
  pulls,
  await hostileEnvironments(stage),
]
