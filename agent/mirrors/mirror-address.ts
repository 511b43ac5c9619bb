import { storageIdBase } from '../host/id-ranges.ts'
import { type MirrorKind, mirrorKinds, type PackageMirror } from '../port/package-mirror.ts'

/** The proxy's address on the side of the sandboxes, above those of the links (`linkIndexes`). */
export const mirrorAddress = '198.18.254.1'
const firstPort = 4001
export const lastMirrorPort = firstPort + mirrorKinds.length - 1
export const mirrorPorts = `${firstPort}-${lastMirrorPort}`

/** User of the proxy's process. It owns nothing on the host, and no sandbox uses it. */
export const mirrorProxyUid = storageIdBase - 2

export const portOf = (kind: MirrorKind): number => firstPort + mirrorKinds.indexOf(kind)

/** Key of a mirror: its kind, and for `apt` the archive. */
export interface MirrorKey {
  kind: MirrorKind
  /** For `apt`: the first folder in the addresses of package sources, such as `debian-security`. */
  archive?: string | undefined
}

export const mirrorName = ({ kind, archive }: MirrorKey): string =>
  archive === undefined ? kind : `${kind}/${archive}`

/** A declared mirror as steps reach it. */
export function asReached({ url, ...key }: MirrorKey & { url: string }): PackageMirror {
  const { pathname } = new URL(url)
  const path = key.archive === undefined ? pathname : `/${key.archive}`
  return {
    kind: key.kind,
    name: mirrorName(key),
    url: `http://${mirrorAddress}:${portOf(key.kind)}${path}`,
    source: url,
  }
}
