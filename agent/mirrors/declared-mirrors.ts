import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExecutorRefused } from '../port/errors.ts'
import { mirrorKinds } from '../port/package-mirror.ts'
import { type MirrorKey, mirrorName } from './mirror-address.ts'

/** A package mirror in the operator's file, which only root can read. */
export interface DeclaredMirror extends MirrorKey {
  /** `http` or `https`, without user, query or fragment; its path has no `/` at the end. */
  url: string
  /** Whether it had an address that is not public when it was declared. If not, it is never reached at such an address. */
  inner: boolean
  /** File with the certificate authority in PEM; absent: the authorities of the system. */
  caFile?: string | undefined
  /** File with `user:password` in one line; absent: no login. */
  loginFile?: string | undefined
}

const fileOf = (folder: string) => join(folder, 'mirrors.json')
const archive = /^[a-z0-9][a-z0-9.-]{0,62}$/
const maxMirrors = 16

/** Reads the mirrors of the agent's folder. Refuses with `mirrors_unreadable` a file that this release does not understand. */
export async function readMirrors(folder: string): Promise<DeclaredMirror[]> {
  const path = fileOf(folder)
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (Array.isArray(found) && found.every(isMirror)) return found
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  }
  throw new ExecutorRefused('mirrors_unreadable', `${path} cannot be used: declare the package mirrors again`)
}

export async function writeMirrors(folder: string, mirrors: readonly DeclaredMirror[]): Promise<void> {
  const part = `${fileOf(folder)}.part`
  await writeFile(part, JSON.stringify(mirrors, null, 2), { mode: 0o600 })
  await rename(part, fileOf(folder))
}

/** Why the mirror cannot be declared; undefined if it can. */
export function mirrorProblem(mirror: DeclaredMirror, others: readonly DeclaredMirror[]): string | undefined {
  const { kind, url, loginFile } = mirror
  if (!mirrorKinds.includes(kind)) return `the kind of a mirror is one of ${mirrorKinds.join(', ')}`
  if (!isAddress(url))
    return `${url} is no address of a mirror: http or https, without user, query or fragment`
  if ((kind === 'apt') !== (mirror.archive !== undefined)) return 'only a mirror for apt has an archive'
  if (mirror.archive !== undefined && !archive.test(mirror.archive))
    return `${mirror.archive} is no folder of package sources`
  if (loginFile !== undefined && !url.startsWith('https:')) return 'a login is only sent over HTTPS'
  const rest = others.filter((other) => mirrorName(other) !== mirrorName(mirror))
  return rest.length >= maxMirrors ? `there are ${maxMirrors} mirrors already` : undefined
}

const isMirror = (value: unknown): value is DeclaredMirror => {
  const { kind, url, inner, ...files } = (value ?? {}) as DeclaredMirror
  const texts = [files.archive, files.caFile, files.loginFile]
  return (
    typeof inner === 'boolean' &&
    typeof url === 'string' &&
    texts.every((text) => text === undefined || typeof text === 'string') &&
    mirrorProblem({ kind, url, inner, ...files }, []) === undefined
  )
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text !== trimmed(url)) return false
  const isPlain = /^[\w./~+@%-]*$/.test(url.pathname) && !/%(?:2[ef]|5c|00)/i.test(url.pathname)
  return isPlain && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

const trimmed = (url: URL) => `${url.origin}${url.pathname.replace(/\/+$/, '')}`

/** The address as it is stored. */
export const normalAddress = (text: string): string => {
  const url = URL.parse(text)
  const isPlain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return isPlain ? trimmed(url) : text
}
