import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { ReachedTarget } from '../../../../agent/port/network-reach.ts'
import type { Refusal, Refusals } from '../../../../agent/port/network-refusals.ts'
import type { MirrorUse } from '../../../../agent/port/package-mirror.ts'
import type { SandboxExit } from '../../../../agent/port/sandbox-exit.ts'
import { networkAge } from '../../network/network-age.ts'
import { storeSandboxLog } from '../../sandboxes/build-sandboxes.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { NetworkChosen } from './image-inputs.ts'
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

/** The end of a build's log: what its steps were refused. Names are escaped already; empty where nothing was refused. */
function refusalText(refused: Refusals | undefined): string {
  if (!refused || refused.entries.length === 0) return ''
  const lines = refused.entries.map(
    (entry) => `  ${subjectOf(entry)} (${entry.reason}), ${entry.count} times\n`,
  )
  const more = refused.more > 0 ? `  and ${refused.more} more attempts\n` : ''
  return `\nThe network of build steps refused:\n${lines.join('')}${more}`
}

function subjectOf({ protocol, name, address, port }: Refusal): string {
  if (protocol === 'dns') return name === '' ? 'a name' : name
  return port === 0 ? `${address}, ${protocol}` : `${address}, ${protocol} port ${port}`
}

/** The end of a build's log: which package mirrors failed, with the codes that their answers had. */
function mirrorFailureText(uses: readonly MirrorUse[] = []): string {
  const lines = uses.flatMap(({ name, failures }) =>
    Object.entries(failures).map(([code, count]) => `  ${name} (${code}), ${count} times\n`),
  )
  return lines.length === 0 ? '' : `\nThe package mirrors failed:\n${lines.join('')}`
}

const entriesMax = 200

/** Destinations that the sandboxes of a build reached together; undefined if none had a network. */
function buildReach(exits: readonly SandboxExit[]): BuildNetwork | undefined {
  const records = exits.flatMap(({ network }) =>
    network.reached ? [{ ...network, ...network.reached }] : [],
  )
  if (records.length === 0) return undefined
  const entries = new Map<string, ReachedTarget>()
  const mirrors = records.flatMap((record) => record.mirrors ?? []).map(asTarget)
  for (const entry of [...mirrors, ...records.flatMap((record) => record.entries)]) {
    const key = `${entry.protocol} ${entry.address} ${entry.port}`
    if (!entries.has(key)) entries.set(key, entry)
  }
  const reached = [...entries.values()]
  return {
    ingress_bytes: sum(records.map(({ ingressBytes }) => ingressBytes)),
    egress_bytes: sum(records.map(({ egressBytes }) => egressBytes)),
    reached: reached.slice(0, entriesMax),
    more: sum(records.map(({ more }) => more)) + Math.max(0, reached.length - entriesMax),
    complete: records.every(({ isComplete }) => isComplete),
  }
}

/** A package mirror, named as no host is. */
const asTarget = ({ name, address, port }: MirrorUse): ReachedTarget => ({
  name: `mirror:${name}`,
  address,
  protocol: 'tcp',
  port,
})

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Stores the builder's log and what its steps were refused, however the builder ended. */
export const storeBuilderLog: Step<BuilderEnded & NetworkRecorded, void> = {
  name: 'store_builder_log',
  stage: 'customer_build',
  run: (build, { sandboxId, refusedLog }) => storeSandboxLog(build, sandboxId, refusedLog),
}
