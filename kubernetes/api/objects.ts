import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { KubernetesUnavailable } from './failures.ts'

/** An object of the API: only what every object has is checked. */
export interface KubernetesObject {
  metadata: {
    name: string
    uid: string
    resourceVersion: string
    labels: Record<string, unknown>
    [field: string]: unknown
  }
  [field: string]: unknown
}

/** A page of a list. */
export interface ObjectPage {
  items: KubernetesObject[]
  /** From which a watch continues. */
  resourceVersion: string
  /** Where the next page begins; empty on the last one. */
  next: string
}

const malformed = (what: string) => new KubernetesUnavailable(`the API server sent ${what}`)

export function jsonObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw malformed('what is no JSON')
  }
  if (!isJsonObject(value)) throw malformed('JSON that is no object')
  return value
}

export function objectOf(value: unknown): KubernetesObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) throw malformed('an object without metadata')
  const { name, uid = '', resourceVersion, labels = {} } = value.metadata
  if (typeof name !== 'string' || typeof uid !== 'string' || typeof resourceVersion !== 'string')
    throw malformed('an object without a name or version')
  if (!isJsonObject(labels)) throw malformed('labels of another form')
  return { ...value, metadata: { ...value.metadata, name, uid, resourceVersion, labels } }
}

export function pageOf(value: Record<string, unknown>): ObjectPage {
  const { items, metadata } = value
  if (!isJsonObject(metadata) || typeof metadata.resourceVersion !== 'string')
    throw malformed('a list without a version')
  // An empty list of some servers is null.
  if (!Array.isArray(items) && items !== null) throw malformed('a list without items')
  const next = metadata.continue ?? ''
  if (typeof next !== 'string') throw malformed('a list with a next page of another form')
  return { items: (items ?? []).map(objectOf), resourceVersion: metadata.resourceVersion, next }
}
