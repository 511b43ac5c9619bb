import { ExecutorRefused } from '../port/errors.ts'

/** The requests for one sandbox: method, and the path segment after its id. */
const sandboxVerbs = {
  start: 'POST start',
  wait: 'GET exit',
  stop: 'POST stop',
  terminate: 'POST terminate',
  forbid: 'POST forbid',
  log: 'GET log',
  logSince: 'GET news',
  file: 'GET files',
  tree: 'GET tree',
  folder: 'GET folder',
  remove: 'DELETE ',
} as const
const imageVerbs = { hasImage: 'GET', installImage: 'PUT', removeImage: 'DELETE' } as const
const hostPaths = {
  capacity: '/capacity',
  runner: '/runner',
  builder: '/builder',
  mirrors: '/mirrors',
  process: '/process',
  list: '/sandboxes',
} as const

/** Every request of the protocol, one per call of the ports. */
export type AgentRequest =
  | { kind: keyof typeof hostPaths }
  | { kind: Exclude<keyof typeof imageVerbs, 'installImage'>; digest: string }
  | { kind: 'installImage'; digest: string; lower?: string | undefined }
  | { kind: Exclude<keyof typeof sandboxVerbs, 'logSince' | 'file'>; id: string }
  | { kind: 'logSince'; id: string; position: number; waitMs: number }
  | { kind: 'file'; id: string; name: string }

export type AgentMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const sandboxIdPattern = /^[a-z0-9_]{1,64}$/
export const imageDigestPattern = /^sha256:[0-9a-f]{64}$/
const logWaitMaxMs = 10_000

/** The request as HTTP method and path. */
export function requestLine(request: AgentRequest): { method: AgentMethod; path: string } {
  switch (request.kind) {
    case 'capacity':
    case 'runner':
    case 'builder':
    case 'mirrors':
    case 'process':
    case 'list':
      return { method: 'GET', path: hostPaths[request.kind] }
    case 'hasImage':
    case 'removeImage':
      return { method: imageVerbs[request.kind], path: `/images/${request.digest}` }
    case 'installImage': {
      const above = request.lower === undefined ? '' : `/above/${request.lower}`
      return { method: imageVerbs.installImage, path: `/images/${request.digest}${above}` }
    }
    case 'logSince':
      return sandboxLine(request, request.position, request.waitMs)
    case 'file':
      return sandboxLine(request, encodeURIComponent(request.name))
    case 'start':
    case 'wait':
    case 'stop':
    case 'terminate':
    case 'forbid':
    case 'log':
    case 'tree':
    case 'folder':
    case 'remove':
      return sandboxLine(request)
  }
}

function sandboxLine(
  { kind, id }: { kind: keyof typeof sandboxVerbs; id: string },
  ...rest: (string | number)[]
): { method: AgentMethod; path: string } {
  const [method, action] = sandboxVerbs[kind].split(' ') as [AgentMethod, string]
  return { method, path: ['/sandboxes', id, ...(action ? [action] : []), ...rest].join('/') }
}

/** Parses and checks method and path. Throws `ExecutorRefused` with `request_invalid`. */
export function requestOf(method: string, url: string): AgentRequest {
  const [, resource, name = '', action = '', part = '', wait = '0'] = partsOf(url)
  if (resource === 'sandboxes' && sandboxIdPattern.test(name)) {
    const kind = kindOf(sandboxVerbs, `${method} ${action}`)
    if (kind === 'file') return { kind, id: name, name: part }
    if (kind !== 'logSince') return { kind, id: name }
    return { kind, id: name, position: wholeNumber(part), waitMs: wholeNumber(wait, logWaitMaxMs) }
  }
  if (resource === 'images' && imageDigestPattern.test(name)) {
    const kind = kindOf(imageVerbs, method)
    if (kind !== 'installImage') return { kind, digest: name }
    return { kind, digest: name, lower: lowerOf(action, part) }
  }
  if (name !== '') throw unknownRequest()
  return { kind: kindOf(hostPaths, `/${resource}`) }
}

/** The image that a layer is installed above, if the path names one. */
function lowerOf(action: string, part: string): string | undefined {
  if (action === '') return undefined
  if (action === 'above' && imageDigestPattern.test(part)) return part
  throw unknownRequest()
}

function kindOf<Kind extends string>(table: Record<Kind, string>, found: string): Kind {
  const [kind] = (Object.keys(table) as Kind[]).filter((key) => table[key] === found)
  if (kind === undefined) throw unknownRequest()
  return kind
}

export const unknownRequest = (): ExecutorRefused =>
  new ExecutorRefused('request_invalid', 'the host agent does not know this request')

function partsOf(url: string): string[] {
  try {
    return url.split('/').map(decodeURIComponent)
  } catch {
    throw new ExecutorRefused('request_invalid', 'the path is not acceptable')
  }
}

function wholeNumber(text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return value
  throw new ExecutorRefused('request_invalid', `${text} is no whole number up to ${max}`)
}
