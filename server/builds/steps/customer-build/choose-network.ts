import type { SandboxNetwork } from '../../../executor/port/sandbox-spec.ts'
import { networkOfBuilds } from '../../network/build-network.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'

export interface NetworkChosen {
  /** What the steps of the Dockerfile may reach. */
  network: SandboxNetwork
}

/** Decides by the operator's settings what the build's steps may reach, once for all its sandboxes and its cache keys. */
export const chooseNetwork: Step<object, NetworkChosen> = {
  name: 'choose_network',
  stage: 'customer_build',
  async run({ request, tools }) {
    try {
      return { network: await networkOfBuilds(tools.network) }
    } catch (error) {
      tools.log.error({ err: error, attempt: request.attemptId }, 'the list of package hosts cannot be used')
      throw new BuildFailed('identity_config', 'package_hosts_unreadable')
    }
  },
}
