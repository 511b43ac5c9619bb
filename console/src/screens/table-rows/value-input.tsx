import { rowFilterMaxLength } from '@sandbox-jobs/contract/limits.ts'
import type { TableFieldType } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Operator } from './conditions.ts'

interface Props {
  type: TableFieldType
  op: Operator
  value: string
  onValue: (value: string) => void
}

/** The value of a condition, in the control of its type. */
export function ValueInput({ type, op, value, onValue }: Props) {
  const t = useTexts().tables
  const label = t.value
  if (op === 'is' || type === 'boolean') {
    const options = op === 'is' ? Object.entries(t.presence) : Object.entries({ true: t.yes, false: t.no })
    return (
      <select aria-label={label} value={value} onChange={(event) => onValue(event.target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      aria-label={label}
      type={type === 'datetime' ? 'datetime-local' : 'text'}
      step={type === 'datetime' ? 1 : undefined}
      inputMode={type === 'integer' || type === 'number' ? 'decimal' : undefined}
      maxLength={rowFilterMaxLength}
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  )
}
