import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { allowListProblem } from '../../../../agent/port/allow-list.ts'
import { readConfig } from '../../../base/config/config.ts'
import { ownPackageHosts, readPackageHosts } from '../../../builds/network/package-hosts.ts'
import {
  type ClientHosts,
  type HostReach,
  isHostName,
  packageClients,
  reachOfHost,
} from '../../../operations/host/package-clients.ts'
import { asRoot, type Outcome, RequestRefused } from '../as-root.ts'

export interface DetectedHosts {
  clients: ClientHosts[]
  /** Listed now for the first time. */
  added: string[]
  /** Not listed: they are in a private network. */
  private: string[]
  /** Not listed: they are at an address that neither steps nor a mirror may use. */
  unusable: string[]
}

export interface PackageHosts {
  /** The file that builds read. */
  file: string
  hosts: string[]
}

const ownFile = () => {
  const { dataDir, packageHostsFile } = readConfig()
  const own = ownPackageHosts(dataDir)
  if (packageHostsFile === undefined) return own
  throw new RequestRefused(`the list is ${packageHostsFile} (SANDBOX_PACKAGE_HOSTS_FILE): edit that file`)
}

const listed = (file: string) =>
  readPackageHosts(file, { optional: true }).catch((error: Error) => {
    throw new RequestRefused(error.message)
  })

/** Adds the hosts of the package clients on this machine to the list. */
export const detectPackageHosts = (): Outcome<DetectedHosts> =>
  asRoot(async () => {
    const file = ownFile()
    const present = await listed(file)
    const clients = await packageClients()
    const found = [...new Set(clients.flatMap(({ hosts }) => hosts))].filter(
      (host) => !present.includes(host),
    )
    const checked = await Promise.all(found.map(async (host) => ({ host, place: await reachOfHost(host) })))
    const at = (wanted: HostReach) => checked.filter(({ place }) => place === wanted).map(({ host }) => host)
    const added = at('public')
    if (added.length > 0) await write(file, [...present, ...added])
    return { clients, added, private: at('private'), unusable: at('unusable') }
  })

export const readListedHosts = (): Outcome<PackageHosts> =>
  asRoot(async () => {
    const { dataDir, packageHostsFile } = readConfig()
    const file = packageHostsFile ?? ownPackageHosts(dataDir)
    return { file, hosts: await listed(file) }
  })

/** Adds a host, or `*.` and a name for all hosts below it. */
export const addPackageHost = (host: string): Outcome<PackageHosts> =>
  asRoot(async () => {
    const file = ownFile()
    if (!isHostName(host.replace(/^\*\./, '')))
      throw new RequestRefused(`${host} is no name of a host, such as packages.example.org or *.example.org`)
    const hosts = [...new Set([...(await listed(file)), host])]
    if (allowListProblem({ names: hosts, ranges: [] })) throw new RequestRefused('the list is full')
    await write(file, hosts)
    return { file, hosts }
  })

/** Returns whether the host was listed. */
export const removePackageHost = (host: string): Outcome<boolean> =>
  asRoot(async () => {
    const file = ownFile()
    const hosts = await listed(file)
    if (!hosts.includes(host)) return false
    await write(
      file,
      hosts.filter((other) => other !== host),
    )
    return true
  })

async function write(file: string, hosts: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o711 })
  await writeFile(`${file}.part`, `${hosts.toSorted().join('\n')}\n`)
  // The worker reads it.
  await chmod(`${file}.part`, 0o644)
  await rename(`${file}.part`, file)
}
