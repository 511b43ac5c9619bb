import { ExecutorRefused } from '../../../../agent/port/errors.ts'
import type { PackageMirror } from '../../../../agent/port/package-mirror.ts'
import type { SandboxNetwork } from '../../../../agent/port/sandbox-spec.ts'
import { networkOfBuilds } from '../../network/build-network.ts'
import type { Build } from '../../request/build.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'

export interface NetworkChosen {
  /** Destinations that the steps of the Dockerfile may reach. */
  network: SandboxNetwork
  /** The operator's package mirrors among that. */
  mirrors: PackageMirror[]
}

/** Decides by the operator's settings what the build's steps may reach, once for all its sandboxes and its cache keys. */
export const chooseNetwork: Step<object, NetworkChosen> = {
  name: 'choose_network',
  stage: 'customer_build',
  async run(build) {
    const { request, tools } = build
    const mirrors = tools.network.buildNetwork === 'none' ? [] : await declaredMirrors(build)
    try {
      return { network: await networkOfBuilds(tools.network, mirrors), mirrors }
    } catch (error) {
      tools.log.error({ err: error, attempt: request.attemptId }, 'the list of package hosts cannot be used')
      throw new BuildFailed('identity_config', 'package_hosts_unreadable')
    }
  },
}

async function declaredMirrors({ request, tools }: Build): Promise<PackageMirror[]> {
  try {
    return await tools.executor.mirrors()
  } catch (error) {
    if (!(error instanceof ExecutorRefused)) throw error
    tools.log.error({ err: error, attempt: request.attemptId }, 'the package mirrors cannot be used')
    throw new BuildFailed('identity_config', 'package_mirrors_unreadable')
  }
}
