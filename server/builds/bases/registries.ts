import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** What the operator settled about registries. */
export interface RegistrySettings {
  /** `host[:port][/prefix]`: where names without a host are, and what is trusted and logged in to. */
  registry: string | undefined
  /** PEM of whoever vouches for it; absent: the authorities of the builder's system. */
  registryCaFile: string | undefined
  /** `user:password` in one line; absent: everybody may read. */
  registryLoginFile: string | undefined
  /** Whether names with another host are asked for there. */
  publicRegistries: boolean
}

/** Where the image of a reference is. */
export interface PullSource {
  /** `host[:port]`. */
  host: string
  /** `host[:port]/path`. */
  repository: string
  tag: string
  /** The digest that the reference pins; its tag says nothing then. */
  pinned: string | undefined
  /** In the operator's own registry. */
  isOwn: boolean
}

/** Why a reference leads to no registry. */
export type NoSource = 'no_registry' | 'base_registry_forbidden' | 'not_in_registries'

/** Names that only the operator's own store of base images has. */
const storeOnly = /^(?:curated|localhost)\//

/** `name` is a registry reference of a Dockerfile that the gate accepted. */
export function pullSource(
  name: string,
  { registry, publicRegistries }: Pick<RegistrySettings, 'registry' | 'publicRegistries'>,
): PullSource | NoSource {
  if (storeOnly.test(name)) return 'not_in_registries'
  const [rest = '', pinned] = name.split('@')
  const [, path = '', tag = 'latest'] = /^(.*?)(?::([^/:]+))?$/.exec(rest) ?? []
  const ownHost = registry?.split('/')[0]
  const [first = ''] = path.split('/')
  if (path === first || !isHost(first)) {
    if (registry === undefined || ownHost === undefined) return 'no_registry'
    return { host: ownHost, repository: `${registry}/${path}`, tag, pinned, isOwn: true }
  }
  if (first !== ownHost && !publicRegistries) return 'base_registry_forbidden'
  return { host: first, repository: path, tag, pinned, isOwn: first === ownHost }
}

/** The first part of a path is a host by the rule that all readers of references share. */
const isHost = (part: string): boolean => /[.:A-Z]/.test(part)

/** What a pull brings along. */
export interface PullAccess {
  /** PEM of whoever vouches for the registry. */
  authority?: Buffer
  /** `user:password`. */
  login?: string
  /** Where it is, as this machine knows: sandboxes are told no name of an inner address. Empty where nobody needs to say. */
  addresses: string[]
}

/** Reads what a pull from `source` brings along: only the operator's own registry gets a login. */
export async function registryAccess(
  { isOwn, host }: PullSource,
  { registryCaFile, registryLoginFile }: RegistrySettings,
): Promise<PullAccess> {
  if (!isOwn) return { addresses: [] }
  const [name = ''] = host.split(':')
  const found = await lookup(name, { all: true }).catch(() => [])
  return {
    addresses: found.map(({ address }) => address).filter((address) => address !== name),
    ...(registryCaFile !== undefined && { authority: await readFile(registryCaFile) }),
    ...(registryLoginFile !== undefined && { login: (await readFile(registryLoginFile, 'utf8')).trim() }),
  }
}
