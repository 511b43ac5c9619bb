import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** The operator's settings for registries. */
export interface RegistrySettings {
  /** `host[:port][/prefix]`: the registry for names without a host. Only it gets the authority and the login. */
  registry: string | undefined
  /** File with the certificate authority in PEM; default: the authorities of the builder's system. */
  registryCaFile: string | undefined
  /** File with `user:password` in one line; default: no login. */
  registryLoginFile: string | undefined
  /** Whether images of other hosts may be pulled. */
  publicRegistries: boolean
}

/** The location of a reference's image. */
export interface PullSource {
  /** `host[:port]`. */
  host: string
  /** `host[:port]/path`. */
  repository: string
  tag: string
  /** The digest that the reference pins; then the tag is ignored. */
  pinned: string | undefined
  /** Whether it is the operator's registry. */
  isOwn: boolean
}

/** Why a reference is not pulled. */
export type NoSource = 'no_registry' | 'base_registry_forbidden' | 'not_in_registries'

/** Names in the operator's store of base images only. */
const storeOnly = /^(?:curated|localhost)\//

/** Resolves `name`, a registry reference of an accepted Dockerfile. */
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

/** Whether the first part of a path is a host, by the common rule for references. */
const isHost = (part: string): boolean => /[.:A-Z]/.test(part)

/** Credentials and addresses for a pull. */
export interface PullAccess {
  /** PEM of the registry's certificate authority. */
  authority?: Buffer
  /** `user:password`. */
  login?: string
  /** Addresses of the operator's registry, since sandboxes cannot resolve names to private addresses. Empty otherwise. */
  addresses: string[]
}

/** Reads credentials and addresses for a pull from `source`. Only the operator's registry gets a login. */
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
