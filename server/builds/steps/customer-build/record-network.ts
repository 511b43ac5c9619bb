import { buildReach } from '../../network/build-reach.ts'
import { networkAge } from '../../network/network-age.ts'
import { mirrorFailureText, refusalText } from '../../network/refusal-text.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { NetworkChosen } from './choose-network.ts'
import type { StagesReady } from './load-cached-stages.ts'
import type { BuilderEnded } from './run-builder.ts'

type Needs = NetworkChosen & StagesReady & BuilderEnded

export interface NetworkRecorded {
  /** Refusals of the steps, as the end of the build's log. */
  refusedLog: string
}

/** Records what the steps reached, however the builder ended, in the attempt and for the statement of the image. */
export const recordNetwork: Step<Needs, NetworkRecorded & Pick<Built, 'reach' | 'networkSince'>> = {
  name: 'record_network',
  stage: 'customer_build',
  async run({ request, tools, write, signal }, values) {
    const { stageSandbox, exit } = values
    const earlier = stageSandbox === undefined ? [] : [await tools.executor.wait(stageSandbox, signal)]
    const exits = [...earlier, exit]
    const reach = buildReach(exits)
    if (reach) write(async () => ({ network: JSON.stringify(reach) }))
    return {
      refusedLog: exits
        .map(({ network }) => refusalText(network.refused) + mirrorFailureText(network.reached?.mirrors))
        .join(''),
      ...(reach && { reach }),
      networkSince: networkAge(request.startedAt, values),
    }
  },
}
