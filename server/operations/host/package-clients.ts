import { lookup } from 'node:dns/promises'
import { isPublic, isUsable } from '../../../agent/mirrors/mirror-endpoints.ts'
import { allowListProblem } from '../../../agent/port/allow-list.ts'
import { sleep } from '../../base/clock.ts'
import { CommandFailed, runCommand } from './run-command.ts'

/** The package hosts that one client of this machine uses by its own configuration. */
export interface ClientHosts {
  client: string
  hosts: string[]
}

const pipHosts = `
import glob, sys
sys.path += glob.glob('/usr/share/python-wheels/pip-*.whl')
from pip._internal.models.index import PyPI
print(PyPI.url, 'https://' + PyPI.file_storage_domain)
`

/** Commands that print addresses. A client that is not installed has none. */
const clients: [string, string, string[]][] = [
  ['apt', 'apt-get', ['indextargets', '--format', '$(REPO_URI)']],
  ['pip', 'python3', ['-c', pipHosts]],
  ['npm', 'npm', ['config', 'get', 'registry']],
  ['go', 'go', ['env', 'GOPROXY', 'GOSUMDB']],
  ['gem', 'gem', ['sources', '--list']],
  ['R', 'Rscript', ['-e', 'cat(getOption("repos"))']],
]

/** The hosts of the package clients on this machine, each once. */
export async function packageClients(): Promise<ClientHosts[]> {
  const found: ClientHosts[] = []
  for (const [client, command, args] of clients) {
    const output = await runCommand(command, args).catch((error: unknown) => {
      if (error instanceof CommandFailed) return ''
      throw error
    })
    const hosts = hostsIn(output)
    if (hosts.length > 0) found.push({ client, hosts })
  }
  return found
}

/** The hosts of the addresses in a text, and Go's checksum database, which is a bare name. */
export function hostsIn(text: string): string[] {
  const words = text.split(/[\s,|]+/)
  const hosts = words.map((word) => (/^https?:/.test(word) ? (URL.parse(word)?.hostname ?? '') : word))
  return [...new Set(hosts.filter(isHostName))].toSorted()
}

/** Whether it may be in a list of package hosts: a name of at least two labels, and no address. */
export const isHostName = (name: string): boolean =>
  name.includes('.') && !name.startsWith('*') && allowListProblem({ names: [name], ranges: [] }) === undefined

const lookupMs = 3000

/**
 * Where a host is. `private`: no address is public, so steps reach it as a declared mirror only. `unusable`: an address is
 * reserved or of this machine, where no mirror may be either. A host without an address counts as public.
 */
export type HostReach = 'public' | 'private' | 'unusable'

export async function reachOfHost(host: string): Promise<HostReach> {
  const late = sleep(lookupMs).then(() => [])
  const found = await Promise.race([lookup(host, { all: true }).catch(() => []), late])
  return reachOf(found.map(({ address }) => address))
}

export function reachOf(addresses: readonly string[]): HostReach {
  if (addresses.length === 0 || addresses.some(isPublic)) return 'public'
  return addresses.every((address) => isUsable(address, true)) ? 'private' : 'unusable'
}
