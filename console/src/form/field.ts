import type { NoPlan } from './flatten.ts'
import type { Json, Path } from './json.ts'

/** Demands that help to fill in a field; texts are made of them. */
export interface Limits {
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minContains?: number
  maxContains?: number
  minProperties?: number
  maxProperties?: number
}

export interface FieldBase {
  path: Path
  /** The position in the form, from 0: elements are named by it, never by text of the schema. */
  number: number
  title: string
  /** The title is for screen readers alone, because it stands above already. */
  isTitleHidden?: boolean
  help?: string
  isRequired: boolean
  isDeprecated: boolean
  isReadOnly: boolean
  /** Its name or schema says that it takes a secret. */
  isSecret: boolean
  default?: Json
  example?: Json
  limits: Limits
}

export interface Option {
  value: Json
  label: string
}

export type TextFormat =
  | 'email'
  | 'uri'
  | 'uuid'
  | 'ipv4'
  | 'ipv6'
  | 'hostname'
  | 'regex'
  | 'duration'
  | 'json-pointer'

/** How a field is drawn. */
export type Control =
  | { kind: 'text'; hasLines: boolean; format?: TextFormat }
  | { kind: 'moment'; format: 'date' | 'time' | 'date-time' }
  /** A file whose bytes become the value. */
  | { kind: 'bytes'; mediaType?: string }
  /** The name of a file of the run. */
  | { kind: 'run_file' }
  | { kind: 'number'; isInteger: boolean }
  | { kind: 'flag' }
  | { kind: 'nothing' }
  | { kind: 'constant'; value: Json }
  | { kind: 'choice'; options: Option[] }
  /** Several of the options, in a list. */
  | { kind: 'choices'; options: Option[] }
  /** A value or null. `field` is undefined while it is null. */
  | { kind: 'nullable'; field: Field | undefined; template: Json }
  /** One of several schemas. */
  | { kind: 'kinds'; titles: string[]; chosen: number; field: Field; keeps: string[] }
  | { kind: 'object'; fields: Field[]; extra?: ExtraFields }
  /** `item` draws each value of a list of plain values. */
  | { kind: 'list'; items: Field[]; canAdd: boolean; fixed: number; itemStart: Json }
  | { kind: 'table'; columns: Field[]; rows: number; canAdd: boolean }
  | { kind: 'json'; reason: NoPlan }

/** Fields whose names the person writes. */
export interface ExtraFields {
  fields: Field[]
  canAdd: boolean
}

export type Field = FieldBase &
  Control & {
    /** An optional object or list that is not there: its fields are planned when it is added. */
    isClosed?: boolean
    /** The value with which an item, an entry or the field itself starts when it is added. */
    start?: Json
  }

/** Which branch of a choice of schemas the person chose, by the path as JSON. */
export type ChosenKinds = ReadonlyMap<string, number>

export const keyOf = (path: Path): string => JSON.stringify(path)
