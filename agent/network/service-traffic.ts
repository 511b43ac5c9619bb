import { linkAddresses } from './addresses.ts'
import { runTool } from './run-tool.ts'
import { serviceCounters } from './service-rules.ts'

/** Bytes that a sandbox exchanged with the service: part of what its link carried, and no traffic of the job. */
export interface ServiceTraffic {
  ingressBytes: number
  egressBytes: number
}

/** Traffic beyond it counts as the job's, so that the service's address is no way around the bounds of a job. */
const mostBytes = 256 * 1024 ** 2

/** The counters of the router for a link, measured as the shim measures its device. */
export async function readServiceTraffic(namespace: string, index: number): Promise<ServiceTraffic> {
  const { ip4 } = linkAddresses(index)
  const read = async (set: string) => {
    const element = `get element inet sandbox_jobs ${set} { ${ip4} }`
    const counted = await runTool(['nft', element], { slug: 'network_rules', namespace })
    const [, packets = '0', bytes = '0'] = /counter packets (\d+) bytes (\d+)/.exec(counted) ?? []
    return Math.min(mostBytes, carried(Number(bytes), Number(packets)))
  }
  const [egressBytes, ingressBytes] = await Promise.all([
    read(serviceCounters.sent),
    read(serviceCounters.received),
  ])
  return { ingressBytes, egressBytes }
}

const ethernet = 14
const headers = ethernet + 20 + 32
const headersPercentMax = 6

/** Without the headers of full packets, as in native/shim/confine/network.c. Unlike a device, a rule counts no Ethernet headers. */
function carried(bytes: number, packets: number): number {
  const onLink = bytes + packets * ethernet
  return onLink - Math.min(packets * headers, Math.floor(onLink / 100) * headersPercentMax)
}
