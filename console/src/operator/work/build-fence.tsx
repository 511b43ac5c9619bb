import { buildFenceMaxMinutes } from '@sandbox-jobs/contract/limits.ts'
import { useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { resumeBuilds, stopBuilds } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

const choices = [15, 60, 240, buildFenceMaxMinutes]

/** Refuses new builds of all companies for a time. */
export function StopBuilds({ onClose }: { onClose: () => void }) {
  const t = useOperatorTexts().work
  const [minutes, setMinutes] = useState(choices[0] ?? 1)
  return (
    <ActDialog
      title={t.stop}
      act={t.stop}
      perform={(reason) => stopBuilds(minutes, reason)}
      onClose={onClose}
    >
      <p>{t.stopEffect}</p>
      <Field label={t.howLong}>
        {(tied) => (
          <select {...tied} value={minutes} onChange={(event) => setMinutes(Number(event.target.value))}>
            {choices.map((each) => (
              <option key={each} value={each}>
                {each < 60 ? t.minutes(each) : t.hours(each / 60)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ActDialog>
  )
}

/** Accepts builds again before that time is over. */
export function ResumeBuilds({ onClose }: { onClose: () => void }) {
  const t = useOperatorTexts().work
  return (
    <ActDialog title={t.resume} act={t.resume} perform={resumeBuilds} onClose={onClose}>
      <p>{t.resumeEffect}</p>
    </ActDialog>
  )
}
