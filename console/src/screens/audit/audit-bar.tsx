import { useState } from 'react'
import { textMaxLength } from '../../data/search-values.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import type { AuditFilters } from './audit-filters.ts'

interface Props {
  filters: AuditFilters
  onChange: (filters: AuditFilters) => void
}

/** Filters of the audit log by time, operation, actor and object. */
export function AuditBar({ filters, onChange }: Props) {
  const t = useTexts()
  return (
    <search className={styles.filters} aria-label={t.runs.filters}>
      {(['from', 'to'] as const).map((end) => (
        <Field key={end} label={t.runs[end]}>
          {(tied) => (
            <input
              {...tied}
              type="datetime-local"
              value={filters[end] ?? ''}
              onChange={(event) => onChange({ ...filters, [end]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {(['action', 'actor', 'kind', 'object'] as const).map((each) => (
        <IdField
          key={each}
          label={t.audit[each]}
          value={filters[each] ?? ''}
          onValue={(value) => onChange({ ...filters, [each]: value })}
        />
      ))}
      {Object.keys(filters).length > 0 && (
        <Button icon="close" onPress={() => onChange({})}>
          {t.runs.clear}
        </Button>
      )}
    </search>
  )
}

/** An identifier, which applies when it is written: half of one finds nothing. */
function IdField({
  label,
  value,
  onValue,
}: {
  label: string
  value: string
  onValue: (value: string) => void
}) {
  /** Not applied yet. */
  const [typed, setTyped] = useState<string>()
  function apply(): void {
    if (typed !== undefined && typed.trim() !== value) onValue(typed)
    setTyped(undefined)
  }
  return (
    <Field label={label}>
      {(tied) => (
        <input
          {...tied}
          maxLength={textMaxLength}
          spellCheck={false}
          value={typed ?? value}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={apply}
          onKeyDown={(event) => event.key === 'Enter' && apply()}
        />
      )}
    </Field>
  )
}
