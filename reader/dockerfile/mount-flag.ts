import { FromArguments } from './from-arguments.ts'
import type { Instruction } from './grammar/instruction.ts'

/** A `RUN --mount` of one of the allowed kinds. */
export interface Mount {
  kind: 'tmpfs' | 'cache' | 'bind'
  /** Where it is shown, in its shortest form: absolute, or below the working directory. */
  target: string
  /** Of a bind without `from`: the path in the context, in its shortest form; empty for the whole context. */
  contextPath?: string
  /** Of a bind: the stage that is shown as a whole. */
  from?: string
  /** The value of the flag for the builder. */
  text: string
}

const targets = ['target', 'dst', 'destination']
const sources = ['source', 'src']
const readOnly = ['ro', 'readonly']
const switches = [...readOnly, 'rw', 'readwrite']

const options: Record<Mount['kind'], Set<string>> = {
  tmpfs: new Set(['type', 'size', 'tmpfs-size', 'tmpfs-mode', ...targets, ...switches]),
  cache: new Set(['type', 'id', 'sharing', 'mode', 'uid', 'gid', ...targets, ...switches]),
  bind: new Set(['type', 'from', ...sources, ...targets, ...readOnly]),
}

const plainValue = /^[A-Za-z0-9_.@+~/-]*$/
const cacheId = /^[a-z0-9_-]{1,64}$/

/**
 * Reads a `RUN --mount`; undefined for one that is not allowed (contract, decisions D7 and D15). Allowed are `tmpfs`, a `cache` with
 * an `id` that cannot be a path or with none, and a read-only `bind` of a path in the context or of a whole stage. The
 * builder gets paths without `..`, empty parts and dots; it names a cache without `id` by its target.
 */
export function readMount(value = ''): Mount | undefined {
  const fields = fieldsOf(value)
  const kind = fields?.get('type') ?? 'bind'
  if (!fields || !isKind(kind)) return undefined
  const isKnown = [...fields].every(([key, text]) => options[kind].has(key) && plainValue.test(text))
  const target = onlyOne(fields, targets)
  const path = target && pathOf(target)
  const isUnclear = switches.filter((key) => fields.has(key)).length > 1
  if (!isKnown || !path || isUnclear || !cacheId.test(fields.get('id') ?? 'none')) return undefined
  const shown = new Map(fields)
  for (const key of targets) if (fields.has(key)) shown.set(key, path)
  // The builder has one build at a time: no other waits for a private cache.
  if (shown.get('sharing') === 'private') shown.delete('sharing')
  if (kind === 'bind') return readBind(shown, path)
  return { kind, target: path, text: textOf(shown) }
}

/** The allowed mounts of an instruction. */
export const mountsOf = ({ keyword, flags }: Pick<Instruction, 'keyword' | 'flags'>): Mount[] =>
  keyword !== 'RUN'
    ? []
    : flags.flatMap(({ name, value }) => {
        const mount = name === 'mount' ? readMount(value) : undefined
        return mount ? [mount] : []
      })

/** The builder walks no path in a stage, where links lead anywhere: of a stage only the whole is shown. */
function readBind(fields: Map<string, string>, target: string): Mount | undefined {
  const from = fields.get('from')
  const isSourced = sources.some((key) => fields.has(key))
  const source = isSourced ? onlyOne(fields, sources) : '/'
  const path = source && shortestPath(source)?.replace(/^\//, '')
  if (path === undefined || from === '') return undefined
  const others = [...fields].filter(([key]) => key !== 'type' && !sources.includes(key))
  const shown = new Map([['type', 'bind'], ...(path === '' ? [] : [['source', path] as const]), ...others])
  const text = textOf(shown)
  if (from === undefined) return { kind: 'bind', target, contextPath: path, text }
  return path === '' ? { kind: 'bind', target, from, text } : undefined
}

function fieldsOf(value: string): Map<string, string> | undefined {
  const fields = new Map<string, string>()
  for (const part of value.split(',')) {
    const [key = '', ...text] = part.split('=')
    if (text.length > 1 || fields.has(key)) return undefined
    const [plain = ''] = text
    if (!switches.includes(key)) fields.set(key, key === 'id' ? withConstants(plain) : plain)
    else if (plain === '' || plain === 'true') fields.set(key, '')
    else return undefined
  }
  return fields
}

/** With the values of Docker's own variables, which are the same in every build here. */
const withConstants = (text: string): string => new FromArguments().replaceIn(text) ?? text

function onlyOne(fields: ReadonlyMap<string, string>, keys: string[]): string | undefined {
  const found = keys.filter((key) => fields.has(key))
  return found.length === 1 ? fields.get(found[0] ?? '') : undefined
}

/** Where a mount is shown: an absolute path, or one below the working directory, which `.` is. */
function pathOf(target: string): string | undefined {
  const path = shortestPath(target)
  if (path === '' && target !== '') return '.'
  return path === '/' || path === '' ? undefined : path
}

/** The path without empty parts and dots, with a slash at its start if it has one; undefined for a path with `..`. */
function shortestPath(path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return undefined
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

const textOf = (fields: ReadonlyMap<string, string>): string =>
  [...fields].map(([key, text]) => (switches.includes(key) ? key : `${key}=${text}`)).join(',')

const isKind = (kind: string): kind is Mount['kind'] => Object.hasOwn(options, kind)
