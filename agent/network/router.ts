import { readFileSync } from 'node:fs'
import { access, readFile, writeFile } from 'node:fs/promises'
import { mirrorAddress } from '../mirrors/mirror-address.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { gateway4, type NetworkNames, type UplinkAddresses, uplinkAddresses } from './addresses.ts'
import { hasNamespace, isNamespace, makeNamespace, removeNamespace } from './router-namespace.ts'
import {
  type HostAddresses,
  hostRules,
  type ListedLink,
  listRules,
  routerRules,
  routerTable,
  routerUplink,
} from './rules.ts'
import { runTool } from './run-tool.ts'
import type { ServiceEndpoint, ServiceRoute } from './service-rules.ts'

/**
 * The router between sandboxes and the host's network: a network namespace with the egress rules in it.
 *
 *   sandbox: eth0 ── r<index> :router: up ── sbj-<agent> :host: ── the way out
 *
 * Each start loads the rules before the uplink is up. The namespace has a path, so that the next agent finds it with the
 * links of running sandboxes. The host has one device, one table and nothing per sandbox.
 */
export class Router {
  readonly #names: NetworkNames
  readonly hasIp6: boolean
  #addresses: HostAddresses
  #seen: string

  private constructor(names: NetworkNames, hasIp6: boolean, addresses: HostAddresses) {
    this.#names = names
    this.hasIp6 = hasIp6
    this.#addresses = addresses
    this.#seen = addressesSeen(hasIp6)
  }

  /** Makes the router, or adopts the one of an earlier agent. Refuses if a rule cannot be loaded. */
  static async open(
    names: NetworkNames,
    { lists, service }: { lists: ReadonlyMap<number, ListedLink>; service: ServiceEndpoint | undefined },
  ): Promise<Router> {
    const hasIp6 = await exists('/proc/net/if_inet6')
    const found = await hostInterfaces()
    const router = new Router(names, hasIp6, addressesOf(found, names.uplink))
    const uplink = found.find(({ ifname }) => ifname === names.uplink)
    const isWhole = uplink !== undefined && (await isNamespace(router.namespace))
    if (!isWhole) await router.#makeNew()
    const pair = uplinkAddresses(names.uplink, router.#addresses.ip4)
    const addresses = uplink ? { ...pair, ...ownPair(uplink) } : pair
    const route = service && { ...service, uplink4: addresses.host4 }
    await router.#loadRules([...lists.values()], route)
    const rules = hostRules(names.table, { uplink: names.uplink, ...addresses, service: route })
    await runTool(['nft', '-f', '-'], { slug: 'network_rules', input: rules })
    await router.#connect(addresses)
    if (route) await permitLoopback(names.uplink)
    return router
  }

  /** Path of its namespace. */
  get namespace(): string {
    return this.#names.namespace
  }

  /** Updates the rules if the addresses of the host have changed. */
  async refresh(): Promise<void> {
    const seen = addressesSeen(this.hasIp6)
    if (seen === this.#seen) return
    const addresses = addressesOf(await hostInterfaces(), this.#names.uplink)
    const flush = [4, 6].map((number) => `flush set inet ${routerTable} host${number}\n`)
    const add = (['ip4', 'ip6'] as const)
      .filter((family) => addresses[family].length > 0)
      .map(
        (family) => `add element inet ${routerTable} host${family[2]} { ${addresses[family].join(', ')} }\n`,
      )
    await this.nft([...flush, ...add].join(''))
    this.#addresses = addresses
    this.#seen = seen
  }

  /** Changes the router's rules in one transaction. */
  async nft(input: string): Promise<void> {
    await runTool(['nft', '-f', '-'], { slug: 'network_rules', input, namespace: this.namespace })
  }

  /** Replaces an incomplete router of an earlier attempt or agent. */
  async #makeNew(): Promise<void> {
    await removeRouter(this.#names)
    await makeNamespace(this.namespace)
    // The namespace of a process can be named, that of a file cannot.
    const uplink = `name ${this.#names.uplink} netns ${process.pid}`
    const pair = `link add name ${routerUplink} type veth peer ${uplink}`
    await this.#ip([pair])
  }

  async #loadRules(lists: readonly ListedLink[], service: ServiceRoute | undefined): Promise<void> {
    const input = [
      routerRules(this.#addresses, service),
      ...lists.map((link) => listRules('add', link)),
    ].join('')
    await runTool(['nft', '-f', '-'], { slug: 'network_rules', input, namespace: this.namespace })
  }

  async #connect({ host4, router4, host6, router6 }: UplinkAddresses): Promise<void> {
    const { uplink } = this.#names
    const slug = 'network_link'
    // A host that does not forward IPv6 would drop packets silently; without a route the router reports an error at once.
    const ip6 = this.hasIp6 && (await forwardsIp6())
    const inside = [
      'link set dev lo up',
      `address replace ${gateway4}/32 dev lo`,
      `address replace ${mirrorAddress}/32 dev lo`,
      `address replace ${router4}/30 dev ${routerUplink}`,
      `link set dev ${routerUplink} up`,
      `route replace default via ${host4}`,
      ...(ip6
        ? [
            `address replace ${router6}/126 dev ${routerUplink} nodad`,
            `route replace default via ${host6} dev ${routerUplink}`,
          ]
        : []),
    ]
    const outside = [
      `address replace ${host4}/30 dev ${uplink}`,
      ...(ip6 ? [`address replace ${host6}/126 dev ${uplink} nodad`] : []),
      `link set dev ${uplink} up`,
    ]
    await forwardIp4()
    await runTool(['sh', '-c', routerSettings], { slug, namespace: this.namespace })
    await runTool(['ip', '-batch', '-'], { slug, input: `${outside.join('\n')}\n` })
    await this.#ip(inside)
  }

  async #ip(lines: readonly string[]): Promise<void> {
    const input = `${lines.join('\n')}\n`
    await runTool(['ip', '-batch', '-'], { slug: 'network_link', input, namespace: this.namespace })
  }
}

/** Forwards packets, ignores redirects, and drops packets of connections that it did not see begin, or that were silent for two hours. */
const routerSettings = `set -e
cd /proc/sys/net
echo 1 >ipv4/ip_forward
[ ! -d ipv6 ] || echo 1 >ipv6/conf/all/forwarding
for conf in ipv4/conf/all ipv4/conf/default ipv4/conf/${routerUplink}; do
  echo 0 >$conf/accept_redirects; echo 0 >$conf/send_redirects; echo 0 >$conf/accept_source_route
done
echo 7200 >netfilter/nf_conntrack_tcp_timeout_established
echo 0 >netfilter/nf_conntrack_tcp_loose
`

/** Removes the router of these names from the host; links in use keep their namespaces until their sandboxes end. */
export async function removeRouter({ namespace, uplink, table }: NetworkNames): Promise<void> {
  const call = { slug: 'network_cleanup' } as const
  const hasUplink = await hasDevice(uplink)
  if (!hasUplink && !(await hasNamespace(namespace))) return
  const removed = `table inet ${table}\ndelete table inet ${table}\n`
  await runTool(['nft', '-f', '-'], { ...call, input: removed })
  if (hasUplink) await removeUplink(uplink)
  await removeNamespace(namespace)
}

/** The kernel removes the device by itself when the last process in the router's namespace ends, possibly meanwhile. */
async function removeUplink(uplink: string): Promise<void> {
  try {
    await runTool(['ip', 'link', 'delete', 'dev', uplink], { slug: 'network_cleanup' })
  } catch (error) {
    if (await hasDevice(uplink)) throw error
  }
}

// The file pads short device names with spaces.
const hasDevice = async (name: string) =>
  new RegExp(`^ *${name}:`, 'm').test(await readFile('/proc/self/net/dev', 'utf8'))

interface HostInterface {
  ifname: string
  addr_info: { family: 'inet' | 'inet6'; local: string }[]
}

/**
 * The machine's routes and addresses as text, to detect changes. Cheap enough to read for each link, and, unlike a list of
 * interfaces, without the locks that the kernel holds while it creates and deletes links. It lacks addresses of devices that
 * are down; these are read after any change.
 */
const addressesSeen = (hasIp6: boolean) =>
  readFileSync('/proc/net/fib_trie', 'utf8') + (hasIp6 ? readFileSync('/proc/net/if_inet6', 'utf8') : '')

async function hostInterfaces(): Promise<HostInterface[]> {
  return JSON.parse(await runTool(['ip', '-j', 'address'], { slug: 'network_link' })) as HostInterface[]
}

function addressesOf(interfaces: HostInterface[], uplink: string): HostAddresses {
  const all = interfaces.filter(({ ifname }) => ifname !== uplink).flatMap(({ addr_info }) => addr_info)
  const of = (family: string) => [
    ...new Set(all.filter((entry) => entry.family === family).map((entry) => entry.local)),
  ]
  return { ip4: of('inet').toSorted(), ip6: of('inet6').toSorted() }
}

/** The addresses that an uplink already has. */
function ownPair({ addr_info }: HostInterface): Partial<UplinkAddresses> {
  const host4 = addr_info.find(({ family }) => family === 'inet')?.local
  if (host4 === undefined) return {}
  const [a, b, c, last] = host4.split('.').map(Number)
  if (last === undefined) throw new ExecutorRefused('network_link', `${host4} is no address of an uplink`)
  return { host4, router4: `${a}.${b}.${c}.${last + 1}` }
}

/** The service may listen on the loopback alone: what the host's rules send there is not dropped as misrouted. */
const permitLoopback = (uplink: string) => writeFile(`/proc/sys/net/ipv4/conf/${uplink}/route_localnet`, '1')

const forwarding4 = '/proc/sys/net/ipv4/ip_forward'

async function forwardIp4(): Promise<void> {
  if ((await readFile(forwarding4, 'utf8')).trim() === '0') await writeFile(forwarding4, '1')
}

async function forwardsIp6(): Promise<boolean> {
  const text = await readFile('/proc/sys/net/ipv6/conf/all/forwarding', 'utf8').catch(() => '0')
  return text.trim() === '1'
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
