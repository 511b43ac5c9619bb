import { X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  type DeclaredMirror,
  mirrorProblem,
  normalAddress,
  readMirrors,
  writeMirrors,
} from '../../../../agent/mirrors/declared-mirrors.ts'
import { mirrorName } from '../../../../agent/mirrors/mirror-address.ts'
import { addressesOf, hostOf, isPublic, isUsable } from '../../../../agent/mirrors/mirror-endpoints.ts'
import { asRoot, type Outcome, RequestRefused } from '../as-root.ts'

export type MirrorRequest = Omit<DeclaredMirror, 'inner'>

/** A declared mirror with its name. */
export type NamedMirror = DeclaredMirror & { name: string }

const named = (mirror: DeclaredMirror): NamedMirror => ({ name: mirrorName(mirror), ...mirror })

export const readPackageMirrors = (): Outcome<NamedMirror[]> =>
  asRoot(async ({ agent }) => (await readMirrors(agent.root)).map(named))

/** Declares a mirror, or replaces the one of the same name. Its files are read at each build. */
export const addPackageMirror = (request: MirrorRequest): Outcome<NamedMirror> =>
  asRoot(async ({ agent }) => {
    await mkdir(agent.root, { recursive: true, mode: 0o700 })
    const present = await readMirrors(agent.root)
    const url = normalAddress(request.url)
    const declared = { ...request, url, inner: false }
    const problem = mirrorProblem(declared, present) ?? (await filesProblem(declared))
    if (problem !== undefined) throw new RequestRefused(problem)
    const mirror = { ...declared, inner: await isInner(url) }
    const others = present.filter((other) => mirrorName(other) !== mirrorName(mirror))
    await writeMirrors(agent.root, [...others, mirror])
    return named(mirror)
  })

/** Returns whether there was such a mirror. */
export const removePackageMirror = (name: string): Outcome<boolean> =>
  asRoot(async ({ agent }) => {
    const present = await readMirrors(agent.root)
    const others = present.filter((mirror) => mirrorName(mirror) !== name)
    if (others.length < present.length) await writeMirrors(agent.root, others)
    return others.length < present.length
  })

/** Whether an address of the mirror is not public. Throws if it has none, or one where no mirror may be. */
async function isInner(url: string): Promise<boolean> {
  const host = hostOf(new URL(url))
  const addresses = await addressesOf(host)
  if (addresses.length === 0) throw new RequestRefused(`${host} has no address: is its name right?`)
  const wrong = addresses.find((address) => !isUsable(address, true))
  if (wrong !== undefined) {
    throw new RequestRefused(
      `${host} is at ${wrong}: a mirror is at a public address or in a private network`,
    )
  }
  return addresses.some((address) => !isPublic(address))
}

async function filesProblem({ caFile, loginFile }: DeclaredMirror): Promise<string | undefined> {
  for (const path of [caFile, loginFile]) {
    if (path !== undefined && !isAbsolute(path)) return `${path} is not an absolute path`
  }
  try {
    if (caFile !== undefined) new X509Certificate(await readFile(caFile))
  } catch {
    return `${caFile} has no certificate in PEM`
  }
  const login = loginFile === undefined ? 'a:b' : await readFile(loginFile, 'utf8').catch(() => '')
  return /^[^:\n]+:[^\n]+\n?$/.test(login) ? undefined : `${loginFile} has no line USER:PASSWORD`
}
