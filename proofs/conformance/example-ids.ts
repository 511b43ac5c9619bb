import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { newId } from '../../server/base/ids.ts'
import type { Expectation } from './expectations/expectation.ts'
import type { Example, Seed } from './seed/seed.ts'

/** The example for an id after this path segment. Versions and `aid` depend on their parent. */
const examplesBySegment: Record<string, Example> = {
  environments: 'environment',
  'context-uploads': 'upload',
  builds: 'build',
  findings: 'finding',
  exceptions: 'exception',
  tasks: 'task',
  'granted-jobs': 'task',
  shares: 'share',
  bindings: 'binding',
  secrets: 'secret',
  'secret-approvals': 'secretApproval',
  'shared-task-secret-approvals': 'secretApproval',
  chatrooms: 'room',
  jobs: 'room',
  runs: 'run',
  artifacts: 'artifact',
  files: 'inputFile',
  sessions: 'session',
  'room-sessions': 'session',
  departments: 'department',
  users: 'user',
  members: 'user',
  'api-keys': 'apiKey',
  clients: 'socialClient',
  tools: 'toolName',
  links: 'link',
  proposals: 'proposal',
  notifications: 'notification',
  tables: 'table',
  rows: 'row',
  commands: 'command',
  triggers: 'trigger',
  webhooks: 'webhook',
  deliveries: 'delivery',
  doors: 'door',
  schedules: 'schedule',
}

/** The parameters of a route's path, and the example of each. */
export function parametersOf(route: Route, expectation: Expectation): Record<string, Example> {
  const segments = route.path.split('/')
  const parameters: Record<string, Example> = {}
  for (const [at, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name) parameters[name] = expectation.use?.[name] ?? exampleAfter(segments, at)
  }
  return parameters
}

function exampleAfter(segments: string[], at: number): Example {
  const before = segments[at - 1] ?? ''
  if (segments[at] === '{token}') return 'publicToken'
  if (before === 'versions') return segments.includes('tasks') ? 'taskVersion' : 'version'
  const example = examplesBySegment[before]
  if (!example) throw new Error(`no example of an id after ${before}`)
  return example
}

export const kinds = ['own', 'foreign', 'absent', 'malformed'] as const
export type Kind = (typeof kinds)[number]

/** The ids of a request: all of `own`, except `parameter`, which has another kind. */
export interface Variant {
  parameter: string
  kind: Kind
}

export const variantsOf = (parameters: Record<string, Example>): Variant[] => [
  { parameter: '', kind: 'own' },
  ...Object.keys(parameters).flatMap((parameter) =>
    kinds.filter((kind) => kind !== 'own').map((kind) => ({ parameter, kind })),
  ),
]

export function idsFor(
  parameters: Record<string, Example>,
  variant: Variant,
  seeds: { own: Seed; foreign: Seed },
): Record<string, string> {
  const ids: Record<string, string> = {}
  for (const [name, example] of Object.entries(parameters)) {
    const kind = name === variant.parameter ? variant.kind : 'own'
    if (kind === 'malformed') ids[name] = "no id'; --"
    else if (kind === 'absent') ids[name] = newId('run')
    else ids[name] = seeds[kind].ids[example]
  }
  return ids
}
