import type { MirrorKind } from '../../port/package-mirror.ts'
import { MirrorFailure } from './mirror-failure.ts'

/** A mirror as the proxy knows it. */
export interface ProxyMirror {
  kind: MirrorKind
  name: string
  archive?: string | undefined
  /** Without `/` at the end. */
  url: string
  /** The only addresses at which it is reached. */
  addresses: string[]
  /** PEM of its certificate authority. */
  authority?: string | undefined
  /** `user:password`. */
  login?: string | undefined
}

/** Indexes of these kinds link to files beside their own folder. */
const filesBeside = new Set<MirrorKind>(['pypi', 'cargo'])

/** The folder of the mirror that may be read, with `/` at the end. */
export function rootOf({ kind, url }: Pick<ProxyMirror, 'kind' | 'url'>): string {
  const path = new URL(url).pathname.replace(/\/$/, '')
  return filesBeside.has(kind) ? path.replace(/[^/]*$/, '') || '/' : `${path}/`
}

/** The mirror and its path that a request asks for: `/path`, or a whole address as a client of an HTTP proxy writes it. */
export function targetOf(
  requested: string,
  mirrors: readonly ProxyMirror[],
): { mirror: ProxyMirror; path: string } {
  const asked = requested.replace(/^http:\/\/[^/]*/, '')
  if (!asked.startsWith('/')) throw new MirrorFailure('mirror_path_outside')
  const [, first = ''] = asked.split(/[/?]/)
  const mirror = mirrors.find(({ archive }) => archive === undefined || archive === first)
  if (!mirror) throw new MirrorFailure('mirror_not_declared')
  const own =
    mirror.archive === undefined ? asked : new URL(mirror.url).pathname + asked.slice(first.length + 1)
  return { mirror, path: pathBelow(rootOf(mirror), own) }
}

/** Throws for a path that is outside of the folder in any server's reading of it. */
function pathBelow(root: string, path: string): string {
  const url = URL.parse(`http://mirror${path.startsWith('/') ? path : `/${path}`}`)
  const [asked = ''] = path.split(/[?#]/)
  if (!url || !isPlain(asked) || !url.pathname.startsWith(root))
    throw new MirrorFailure('mirror_path_outside')
  return url.pathname + url.search
}

/**
 * Servers and the proxies before them read a path in different ways: they cut a segment at `;` or at a control, take a backslash
 * for a slash, decode twice, drop dots and spaces at the end, and map characters to similar ones. So nothing of that kind may
 * be in a path, encoded or not: no tool needs it.
 */
function isPlain(path: string): boolean {
  const isWellEncoded = !/%(?![0-9a-f]{2})/i.test(path)
  const isEncodedAgain = /%(?:2e|25)/i.test(path)
  if (!isWellEncoded || isEncodedAgain) return false
  const read = path.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))
  return /^[ -~]*$/.test(read) && !/[;\\]/.test(read) && !read.split('/').some(isDotSegment)
}

/** Whether a server may read a segment as the folder itself or the one above: what follows the dots may be cut. */
const isDotSegment = (segment: string): boolean => /^ *\.+(?![a-z0-9.])/i.test(segment)

/** The address for the tool that stands for `location`, a redirect of the mirror's answer to `path`. */
export function redirectWithin(mirror: ProxyMirror, { location, path }: { location: string; path: string }) {
  const from = new URL(mirror.url)
  const to = URL.parse(location, `${from.origin}${path}`)
  if (to?.origin !== from.origin) throw new MirrorFailure('mirror_redirect_elsewhere')
  try {
    return pathOfTool(mirror, pathBelow(rootOf(mirror), to.pathname + to.search))
  } catch {
    throw new MirrorFailure('mirror_redirect_elsewhere')
  }
}

/** The inverse of `targetOf`. */
const pathOfTool = ({ archive, url }: ProxyMirror, path: string): string =>
  archive === undefined ? path : `/${archive}${path.slice(new URL(url).pathname.replace(/\/$/, '').length)}`
