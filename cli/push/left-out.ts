import { lstat, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import {
  IgnoreFile,
  IgnoreFileRefused,
  ignoreFileNames,
} from '@sandbox-jobs/contract/ignore-file/ignore-file.ts'
import { CliError } from '../failure.ts'

/** Files of a folder that are not uploaded, since its ignore file hides them from the build. */
export interface LeftOut {
  /** Name of the ignore file; undefined if there is none. */
  ignoreFile: string | undefined
  /** Files and whole folders that were left out. */
  count: number
  has(path: string): boolean
  /** Whether something below a path that is left out may be uploaded. */
  mayHaveExceptions(path: string): boolean
}

/** As many as the service follows. */
const maxLinks = 40

/** Dockerfile and ignore file are always uploaded. */
export async function readLeftOut(folder: string): Promise<LeftOut> {
  const { name, patterns } = await readPatterns(folder)
  const always = new Set([...ignoreFileNames, ...(await dockerfilePaths(folder))])
  return {
    ignoreFile: name,
    count: 0,
    has: (path) => patterns?.ignores(path) === true && !always.has(path),
    mayHaveExceptions: (path) =>
      patterns?.hasExceptions === true || [...always].some((each) => each.startsWith(`${path}/`)),
  }
}

/** As in BuildKit, the first that is there and not empty counts. */
async function readPatterns(folder: string): Promise<{ name?: string; patterns?: IgnoreFile }> {
  for (const name of ignoreFileNames) {
    const path = join(folder, name)
    const isFile = await lstat(path).then(
      (status) => status.isFile() && status.size > 0,
      () => false,
    )
    if (isFile) return { name, patterns: patternsOf(name, await readFile(path)) }
  }
  return {}
}

function patternsOf(name: string, content: Buffer): IgnoreFile {
  try {
    return new IgnoreFile(content)
  } catch (error) {
    if (!(error instanceof IgnoreFileRefused)) throw error
    const isMalformed = error.slug === 'ignore_file_malformed'
    throw new CliError(`${name} ${isMalformed ? 'cannot be read as patterns' : 'is too large'}.`, {
      hint: isMalformed
        ? 'It is UTF-8 text with a pattern in each line; a pattern has a name after !, a ] for each [, and no backslash at its end.'
        : 'It has at most 128 KiB and 1000 patterns.',
      code: 'cli_context',
    })
  }
}

/** The Dockerfile, and the links and the file that it leads to. */
async function dockerfilePaths(folder: string): Promise<string[]> {
  const paths: string[] = []
  let left = ['Dockerfile']
  let at: string[] = []
  for (let links = 0; links < maxLinks; ) {
    const [name, ...more] = left
    if (name === undefined) break
    left = more
    if (name === '' || name === '.') continue
    if (name === '..') {
      at = at.slice(0, -1)
      continue
    }
    const path = [...at, name].join('/')
    paths.push(path)
    const target = await readlink(join(folder, path)).catch(() => undefined)
    if (target === undefined) at = [...at, name]
    else {
      links += 1
      left = [...target.split('/'), ...more]
    }
  }
  return paths
}
