import type { Table } from '../attempt.ts'
import type { Testbed } from '../testbed.ts'
import type { Trials } from '../trial.ts'
import { buildNetworks, buildNetworkTrials } from './build-network.ts'
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

/** Attempts that one sandbox makes one after another, by class. */
export async function tablesOf(testbed: Testbed): Promise<Table[]> {
  const own = [
    leaks(testbed),
    builds(testbed),
    neighbours(testbed),
    network(),
    allowList(),
    ...buildNetworks(),
    ...(await imagesOf(testbed)),
  ]
  const ofKernel = [systemCalls(), procAndSys, devices, namespaces, mountTricks, rights, sockets]
  return [...ofKernel, sharedFiles, ...own]
}

/** Attempts that each need a separate sandbox. */
export const trialsOf = async (testbed: Testbed): Promise<Trials[]> => [
  collector,
  resources,
  pulls,
  buildNetworkTrials,
  await hostileEnvironments(testbed),
]
