import { tableFieldNamePattern } from '@sandbox-jobs/contract/limits.ts'
import {
  rowColumns,
  type TableFieldRequest,
  type TableFieldType,
} from '@sandbox-jobs/contract/resources/tables/table-field.ts'

/** A new field as it is typed. */
export interface FieldDraft {
  /** Of this page alone. */
  id: number
  name: string
  type: TableFieldType
  isRequired: boolean
}

const nameForm = new RegExp(tableFieldNamePattern)
const taken: ReadonlySet<string> = new Set(rowColumns)

export type FieldProblem = 'name' | 'taken' | 'repeated'

/** One more field than there are. */
export const withNewField = (drafts: readonly FieldDraft[]): FieldDraft[] => [
  ...drafts,
  { id: Math.max(-1, ...drafts.map(({ id }) => id)) + 1, name: '', type: 'text', isRequired: false },
]

/** Why the name of a field cannot be; `others` are the names that the table has already. */
export function problemOfField(
  { id, name }: FieldDraft,
  drafts: readonly FieldDraft[],
  others: readonly string[],
): FieldProblem | undefined {
  if (!nameForm.test(name)) return 'name'
  if (taken.has(name)) return 'taken'
  const isRepeated = others.includes(name) || drafts.some((draft) => draft.id < id && draft.name === name)
  return isRepeated ? 'repeated' : undefined
}

export const areFieldsComplete = (drafts: readonly FieldDraft[], others: readonly string[]): boolean =>
  drafts.every((draft) => problemOfField(draft, drafts, others) === undefined)

/** The same as the API takes them. */
export const fieldsOfDrafts = (drafts: readonly FieldDraft[]): TableFieldRequest[] =>
  drafts.map(({ name, type, isRequired }) => ({ name, type, required: isRequired }))
