import { usageFile } from '../../data/company/usage.ts'
import { Field } from '../../parts/field.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { type Dimension, dimensions, type UsageFilters } from './usage-filters.ts'

interface Props {
  filters: UsageFilters
  onChange: (filters: UsageFilters) => void
}

/** The days of the report, and what its lines are by. */
export function UsageBar({ filters, onChange }: Props) {
  const t = useTexts()
  const { by = 'task', ...days } = filters
  return (
    <search className={styles.filters} aria-label={t.runs.filters}>
      <Field label={t.usage.by}>
        {(tied) => (
          <select
            {...tied}
            value={by}
            onChange={(event) => onChange({ ...filters, by: event.target.value as Dimension })}
          >
            {dimensions.map((each) => (
              <option key={each} value={each}>
                {t.usage.dimensions[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(['from', 'to'] as const).map((end) => (
        <Field key={end} label={t.runs[end]}>
          {(tied) => (
            <input
              {...tied}
              type="date"
              value={filters[end] ?? ''}
              onChange={(event) => onChange({ ...filters, [end]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <LinkButton icon="download" href={usageFile({ by: ['day', by], ...days })}>
        {t.usage.csv}
      </LinkButton>
    </search>
  )
}
