import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A tracked source file, with the files of the repository that it imports. */
export interface SourceFile {
  path: string
  text: string
  lines: number
  imports: { path: string; typeOnly: boolean }[]
}

const tests = /[.]test[.]tsx?$|(^|\/)(testing|conformance)\/|-conformance[.]ts$|[.]generated[.]/
const fromClause = /^\s*(?:import|export)\b(?<names>[^'"]*?)\bfrom\s+'(?<from>[^']+)'/gm
const packages: Record<string, string> = {
  '@sandbox-jobs/contract/': 'contract/',
  '@sandbox-jobs/server/': 'server/',
}

export const trackedFiles = (): string[] =>
  execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

export const linesOf = (path: string): number => readFileSync(join(root, path), 'utf8').split('\n').length - 1

/** The programs' own TypeScript and C, without tests, their support and generated files. */
export function sourceFiles(): SourceFile[] {
  const paths = trackedFiles().filter((path) =>
    /^(agent|cli|client|console|contract|kubernetes|reader|server)\/.*[.](tsx?|c|h)$/.test(path),
  )
  const known = new Set(paths)
  return paths
    .filter((path) => !tests.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, lines: text.split('\n').length - 1, imports: importsOf(path, text, known) }
    })
}

function importsOf(path: string, text: string, known: ReadonlySet<string>): SourceFile['imports'] {
  return [...text.matchAll(fromClause)].flatMap(({ groups: { names = '', from = '' } = {} }) => {
    const target = targetOf(path, from)
    if (target === undefined || !known.has(target)) return []
    const named =
      /\{([^}]*)\}/
        .exec(names)?.[1]
        ?.split(',')
        .filter((name) => name.trim() !== '') ?? []
    const typeOnly =
      /^\s*type\b/.test(names) || (named.length > 0 && named.every((name) => /^\s*type\b/.test(name)))
    return [{ path: target, typeOnly }]
  })
}

function targetOf(path: string, from: string): string | undefined {
  if (from.startsWith('.')) return posix.normalize(posix.join(dirname(path), from))
  const prefix = Object.keys(packages).find((name) => from.startsWith(name))
  return prefix && `${packages[prefix]}${from.slice(prefix.length)}`
}
