import { loggedServices } from '@sandbox-jobs/contract/operator/service-log.ts'
import { Field } from '../../parts/field.tsx'
import type { LogSearch } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { lineLevels, lowestLevel } from './log-search.ts'

interface Props {
  search: LogSearch
  onChange: (change: { service?: string; level?: string }) => void
}

/** The process and the lowest level of the lines. */
export function LogFilters({ search, onChange }: Props) {
  const t = useOperatorTexts().log
  return (
    <>
      <Field label={t.service}>
        {(tied) => (
          <select
            {...tied}
            value={search.service ?? ''}
            onChange={(event) => onChange({ service: event.target.value })}
          >
            <option value="">{t.all}</option>
            {loggedServices.map((service) => (
              <option key={service}>{service}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t.lowest}>
        {(tied) => (
          <select
            {...tied}
            value={search.level ?? lowestLevel}
            onChange={(event) => onChange({ level: event.target.value })}
          >
            {lineLevels.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        )}
      </Field>
    </>
  )
}
