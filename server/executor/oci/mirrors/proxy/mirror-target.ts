import type { MirrorKind } from '../../../port/package-mirror.ts'
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

/** Throws for a path that is outside of the folder in any reading of it. */
function pathBelow(root: string, path: string): string {
  const url = URL.parse(`http://mirror${path.startsWith('/') ? path : `/${path}`}`)
  const read = url?.pathname.replace(/%2f/gi, '/') ?? ''
  const isPlain = !/%(?:2e|5c|25|00)|\\/i.test(read) && !read.split('/').includes('..')
  if (!url || !isPlain || !url.pathname.startsWith(root)) throw new MirrorFailure('mirror_path_outside')
  return url.pathname + url.search
}

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
