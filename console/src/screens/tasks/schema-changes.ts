import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
/** A difference between two schemas that people who fill in the form notice. */
export interface SchemaChange {
  kind: 'added' | 'added_required' | 'removed' | 'required' | 'optional' | 'type' | 'changed'
  /** Names of fields with dots between them; `[]` for the items of a list. */
  path: string
}

interface Schema {
  type?: unknown
  required?: unknown
  properties?: unknown
  items?: unknown
}

const depthMax = 12
const changesMax = 200

/** The fields that were added, removed or changed. `undefined`: at least one of the texts is no schema with fields. */
export function schemaChanges(before: string | null, after: string | null): SchemaChange[] | undefined {
  const old = parsed(before)
  const now = parsed(after)
  if (old === undefined || now === undefined) return undefined
  return [...changesOf(old, now, '', 0)].slice(0, changesMax)
}

/** Whether the schemas differ in more than their fields. One that comes or goes is all fields. */
export function rulesDiffer(before: string | null, after: string | null): boolean {
  const old = parsed(before)
  const now = parsed(after)
  if (old === undefined || now === undefined) return before !== after
  return before !== null && after !== null && own(old) !== own(now)
}

function parsed(text: string | null): Schema | undefined {
  if (text === null) return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function* changesOf(old: Schema, now: Schema, path: string, depth: number): Generator<SchemaChange> {
  if (depth > depthMax) return
  const oldFields = fieldsOf(old)
  const nowFields = fieldsOf(now)
  for (const name of new Set([...oldFields.keys(), ...nowFields.keys()])) {
    const at = path === '' ? name : `${path}.${name}`
    const isRequired = requires(now, name)
    const before = oldFields.get(name)
    const after = nowFields.get(name)
    if (before === undefined) yield { kind: isRequired ? 'added_required' : 'added', path: at }
    else if (after === undefined) yield { kind: 'removed', path: at }
    else {
      if (isRequired !== requires(old, name)) yield { kind: isRequired ? 'required' : 'optional', path: at }
      yield* fieldChanges(before, after, at, depth)
    }
  }
}

function* fieldChanges(
  before: unknown,
  after: unknown,
  path: string,
  depth: number,
): Generator<SchemaChange> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  if (!isJsonObject(before) || !isJsonObject(after)) yield { kind: 'changed', path }
  else if (JSON.stringify(before.type) !== JSON.stringify(after.type)) yield { kind: 'type', path }
  else {
    if (own(before) !== own(after)) yield { kind: 'changed', path }
    yield* changesOf(before, after, path, depth + 1)
    if (isJsonObject(before.items) && isJsonObject(after.items))
      yield* fieldChanges(before.items, after.items, `${path}[]`, depth + 1)
  }
}

/** A schema without the fields in it. */
const own = (schema: Schema): string =>
  JSON.stringify({
    ...schema,
    properties: null,
    required: null,
    items: isJsonObject(schema.items) ? null : schema.items,
  })

const fieldsOf = ({ properties }: Schema): Map<string, unknown> =>
  new Map(isJsonObject(properties) ? Object.entries(properties) : [])

const requires = ({ required }: Schema, name: string): boolean =>
  Array.isArray(required) && required.includes(name)
