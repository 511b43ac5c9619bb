import { missedPolicies } from '@sandbox-jobs/contract/resources/schedules/missed-policy.ts'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { ScheduleValues } from './schedule-draft.ts'

interface Props {
  values: ScheduleValues
  onValues: (values: ScheduleValues) => void
}

/** Name and times of a schedule. */
export function ScheduleFields({ values, onValues }: Props) {
  const t = useTexts().schedules
  const set = (change: Partial<ScheduleValues>) => onValues({ ...values, ...change })
  return (
    <>
      <Field label={t.name}>
        {(tied) => (
          <input {...tied} value={values.name} onChange={(event) => set({ name: event.target.value })} />
        )}
      </Field>
      <Field label={t.when} help={t.whenHelp}>
        {(tied) => (
          <input {...tied} value={values.cron} onChange={(event) => set({ cron: event.target.value })} />
        )}
      </Field>
      <Field label={t.zone}>
        {(tied) => (
          <select
            {...tied}
            value={values.time_zone}
            onChange={(event) => set({ time_zone: event.target.value })}
          >
            {zonesWith(values.time_zone).map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t.missed}>
        {(tied) => (
          <select
            {...tied}
            value={values.missed}
            onChange={(event) => set({ missed: event.target.value === 'once' ? 'once' : 'skip' })}
          >
            {missedPolicies.map((policy) => (
              <option key={policy} value={policy}>
                {t.policies[policy]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  )
}

/** The zones that the browser knows; the chosen one and UTC may be missing there. */
const zonesWith = (chosen: string): string[] => [
  ...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')]),
]
