import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import type { OpenDoor } from '../../doors/catalogue/door-keys.ts'
import type { ProgramFile } from '../../doors/programs/program-script.ts'
import { selectRuntime } from './piston-versions.ts'
import { requireArguments, requirePath } from './program-parts.ts'

/** The request of Piston's client, checked in Piston's order and words. */
export interface PistonJob {
  runtime: DoorRuntime
  files: ProgramFile[]
  /** Those that the compiler is given. */
  sources: string[]
  args: string[]
  stdin: string
  timeouts: { run: number; compile: number }
}

const encodings = ['utf8', 'base64', 'hex'] as const
const filesMax = 64
const defaultRunMs = 3000
const defaultCompileMs = 10_000

const refuse = (message: string) => new PlainError(400, message)

/** Throws 400. Limits of memory and processor time are those of the environment; a request may name them in vain. */
export function pistonJob({ runtimes, door }: OpenDoor, body: unknown): PistonJob {
  if (!isJsonObject(body)) throw refuse('the body must be an object')
  const { language, version, files, args = [], stdin = '' } = body
  if (!language || typeof language !== 'string') throw refuse('language is required as a string')
  if (!version || typeof version !== 'string') throw refuse('version is required as a string')
  if (!Array.isArray(files) || files.length === 0) throw refuse('files is required as an array')
  if (files.length > filesMax) throw refuse(`files may have at most ${filesMax} entries`)
  const given = files.map((file: unknown, at) => fileOf(file, at))
  const runtime = selectRuntime(runtimes, { language, version })
  if (!runtime) throw refuse(`${language.slice(0, 64)}-${version.slice(0, 64)} runtime is unknown`)
  const sources = given.filter(({ encoding }) => encoding === 'utf8')
  const [main] = sources
  if (!main) throw refuse('files must include at least one utf8 encoded file')
  if (new Set(given.map(({ path }) => path)).size < given.length) throw refuse('files has a name twice')
  return {
    runtime,
    files: [main, ...given.filter((file) => file !== main)].map(({ path, content }) => ({ path, content })),
    sources: sources.map(({ path }) => path),
    args: requireArguments(args),
    stdin: stdinOf(stdin),
    timeouts: {
      run: timeoutOf(body, 'run_timeout', { byDefault: defaultRunMs, limit: door.timeout_seconds * 1000 }),
      compile: timeoutOf(body, 'compile_timeout', {
        byDefault: defaultCompileMs,
        limit: door.timeout_seconds * 1000,
      }),
    },
  }
}

function fileOf(file: unknown, at: number) {
  if (!isJsonObject(file) || typeof file.content !== 'string')
    throw refuse(`files[${at}].content is required as a string`)
  const encoding = encodings.find((each) => each === file.encoding) ?? 'utf8'
  const name = file.name === undefined || file.name === '' ? `file${at}.code` : file.name
  if (typeof name !== 'string') throw refuse(`files[${at}].name must be a string`)
  return {
    path: requirePath(name, `files[${at}].name`),
    encoding,
    content: Buffer.from(file.content, encoding),
  }
}

/** With an end of line, as Piston gives it. */
function stdinOf(stdin: unknown): string {
  if (typeof stdin !== 'string') throw refuse('stdin must be a string')
  return stdin.endsWith('\n') ? stdin : `${stdin}\n`
}

function timeoutOf(
  body: Record<string, unknown>,
  name: string,
  { byDefault, limit }: { byDefault: number; limit: number },
): number {
  const value = body[name]
  if (value === undefined || value === null || value === 0) return Math.min(byDefault, limit)
  if (typeof value !== 'number') throw refuse(`If specified, ${name} must be a number`)
  // Clients send the default of Piston by themselves.
  if (value > Math.max(limit, byDefault))
    throw refuse(`${name} cannot exceed the configured limit of ${limit}`)
  if (value < 0) throw refuse(`${name} must be non-negative`)
  return Math.min(value, limit)
}
