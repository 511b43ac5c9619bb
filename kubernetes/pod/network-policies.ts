import { isIPv6 } from 'node:net'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'
import { type PodSettings, podLabels } from './pod-settings.ts'

export interface PolicySettings extends Pick<PodSettings, 'gateway' | 'resolvers'> {
  /** The listener for callbacks of jobs, if pods reach it. */
  service?: { address: string; port: number }
  /** Further ranges that no job may reach. */
  refusedRanges?: readonly string[]
}

/** The static network policies of a namespace of runs. Pods select them by their labels; together they allow what any of them allows. */
export function networkPolicies({ gateway, resolvers, service, refusedRanges = [] }: PolicySettings) {
  const refused = (ranges: readonly { range: string }[], isOfFamily: (range: string) => boolean) => [
    ...ranges.map(({ range }) => range),
    ...refusedRanges.filter(isOfFamily),
  ]
  const isOf6 = (range: string) => range.includes(':')
  return [
    policy('sandbox-base', { [podLabels.kind]: 'run' }, [listenerRule(gateway)], ['Ingress', 'Egress']),
    policy('sandbox-public', { [podLabels.public]: 'true' }, [
      ...resolvers.map((address) => ({
        to: [onlyAddress(address)],
        ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })),
      })),
      {
        to: [
          {
            ipBlock: { cidr: '0.0.0.0/0', except: refused(specialRanges4, (range) => !isOf6(range)) },
          },
          { ipBlock: { cidr: '::/0', except: refused(specialRanges6, isOf6) } },
        ],
      },
    ]),
    ...(service ? [policy('sandbox-service', { [podLabels.service]: 'true' }, [listenerRule(service)])] : []),
  ]
}

const policy = (name: string, matchLabels: object, egress: object[], policyTypes = ['Egress']) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  // Nothing is allowed to come in.
  spec: { podSelector: { matchLabels }, policyTypes, egress },
})

const listenerRule = ({ address, port }: { address: string; port: number }) => ({
  to: [onlyAddress(address)],
  ports: [{ protocol: 'TCP', port }],
})

const onlyAddress = (address: string) => ({
  ipBlock: { cidr: `${address}/${isIPv6(address) ? 128 : 32}` },
})
