/** The public hub: the registry of base images without a host in their name, unless the operator sets another one. */
export const publicHub = 'docker.io'

/** Other hosts that name the hub in references. */
const aliases = new Set([publicHub, `index.${publicHub}`])

/** Its images without an owner are below this path. */
const officialImages = 'library'

export const isPublicHub = (host: string): boolean => aliases.has(host)

/** The path of `path`, a name without a host, at the hub or a mirror of it. */
export const hubPath = (path: string): string => (path.includes('/') ? path : `${officialImages}/${path}`)

/** Whether the hub has no images with a login below this path: there, a refused login means that there is no such name. */
export const isOfficial = (host: string, path: string): boolean =>
  isPublicHub(host) && path.startsWith(`${officialImages}/`)

/** The host that serves the API of registry `host`. */
export const apiHost = (host: string): string => (isPublicHub(host) ? `registry-1.${publicHub}` : host)
