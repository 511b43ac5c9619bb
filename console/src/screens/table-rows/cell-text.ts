import type { TableFieldType } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** Characters of a value that a cell shows; the open row has all of them. */
const shownMax = 200

/** Writes a value as its field is shown; an empty text is: no value. */
export function useCellText(): (value: unknown, type: TableFieldType) => string {
  const t = useTexts().tables
  const formats = useFormats()
  return (value, type) => {
    if (value === undefined || value === null) return ''
    if (typeof value === 'boolean' && type === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'string' && type === 'datetime') return formats.dateTime(new Date(value))
    return (typeof value === 'string' && type === 'text' ? value : JSON.stringify(value)).slice(0, shownMax)
  }
}
