import { type ComponentType, createContext, useContext } from 'react'
import type { Field } from './field.ts'
import type { Json, Path } from './json.ts'
import type { FieldProblem } from './problems.ts'

/** The state that the fields of one form share. */
export interface FormState {
  /** Elements are named by it and the number of their field. */
  id: string
  value: Json | undefined
  /** Draws a field within another. */
  Draw: ComponentType<{ field: Field }>
  /** Names of the run's files. */
  files: readonly string[]
  problemsOf: (field: Field) => FieldProblem[]
  /** Undefined removes the value. */
  set: (path: Path, value: Json | undefined) => void
  /** Adds a part with the defaults in it. */
  add: (path: Path, start: Json) => void
  chooseKind: (field: Extract<Field, { kind: 'kinds' }>, kind: number) => void
}

export const FormContext = createContext<FormState | undefined>(undefined)

export function useForm(): FormState {
  const form = useContext(FormContext)
  if (form === undefined) throw new Error('a field stands in no form')
  return form
}

export const elementId = ({ id }: FormState, { number }: Field): string => `${id}${number}`
