import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** The operator's settings for registries. */
export interface RegistrySettings {
  /**
   * `host[:port][/prefix]`: the registry for names without a host. Only it gets the authority and the login. Undefined: the
   * public hub; `none`: such names are refused.
   */
  registry: string | undefined
  /** Whether that registry is a mirror of the public hub: it also gets names with the hub's host, by the hub's paths. */
  registryIsMirror: boolean
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
  settings: Pick<RegistrySettings, 'registry' | 'registryIsMirror' | 'publicRegistries'>,
): PullSource | NoSource {
  if (storeOnly.test(name)) return 'not_in_registries'
  const [rest = '', pinned] = name.split('@')
  const [, path = '', tag = 'latest'] = /^(.*?)(?::([^/:]+))?$/.exec(rest) ?? []
  const source = locate(path, settings)
  return typeof source === 'string' ? source : { ...source, tag, pinned }
}

/** The registry of names without a host. Undefined: they are refused. */
export function defaultRegistry({
  registry,
  publicRegistries,
}: Pick<RegistrySettings, 'registry' | 'publicRegistries'>): string | undefined {
  if (registry !== undefined) return registry === 'none' ? undefined : registry
  return publicRegistries ? publicHub : undefined
}

function locate(
  path: string,
  {
    registry,
    registryIsMirror,
    publicRegistries,
  }: Pick<RegistrySettings, 'registry' | 'registryIsMirror' | 'publicRegistries'>,
): Pick<PullSource, 'host' | 'repository' | 'isOwn'> | NoSource {
  const own = registry === 'none' ? undefined : registry
  const ownHost = own?.split('/')[0]
  const [first = ''] = path.split('/')
  const hasHost = path !== first && isHost(first)
  const isOfHub = hasHost && isPublicHub(first)
  const below = hasHost ? path.slice(first.length + 1) : path
  if (own !== undefined && ownHost !== undefined && (!hasHost || (isOfHub && registryIsMirror))) {
    const mirrorsHub = registryIsMirror || isPublicHub(own)
    return { host: ownHost, repository: `${own}/${mirrorsHub ? hubPath(below) : below}`, isOwn: true }
  }
  if (!hasHost && registry === 'none') return 'no_registry'
  const isOwn = hasHost && first === ownHost
  if (!isOwn && !publicRegistries) return 'base_registry_forbidden'
  if (!hasHost || isOfHub) return { host: publicHub, repository: `${publicHub}/${hubPath(below)}`, isOwn }
  return { host: first, repository: path, isOwn }
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

/** The public hub: the registry of base images without a host in their name, unless the operator sets another one. */
export const publicHub = 'docker.io'

/** Other hosts that name the hub in references. */
const aliases = new Set([publicHub, `index.${publicHub}`])

/** Its images without an owner are below this path. */
const officialImages = 'library'

const isPublicHub = (host: string): boolean => aliases.has(host)

/** The path of `path`, a name without a host, at the hub or a mirror of it. */
const hubPath = (path: string): string => (path.includes('/') ? path : `${officialImages}/${path}`)

/** Whether the hub has no images with a login below this path: there, a refused login means that there is no such name. */
export const isOfficial = (host: string, path: string): boolean =>
  isPublicHub(host) && path.startsWith(`${officialImages}/`)

/** The host that serves the API of registry `host`. */
export const apiHost = (host: string): string => (isPublicHub(host) ? `registry-1.${publicHub}` : host)
