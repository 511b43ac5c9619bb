import { type LimitName, limitNames } from '@sandbox-jobs/contract/operator/company-limits.ts'
import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useState } from 'react'
import { CheckBox } from '../../parts/check-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { ActDialog, useActRefusal } from '../act-dialog.tsx'
import { setLimits } from '../operator-api.ts'
import styles from '../overview.module.css'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { changesOf, isInvalid, type LimitsDraft, limitText, maxOf } from './limits-draft.ts'

/** Changes the limits of a company, after the operator has seen what changes and said why. */
export function LimitsForm({ company }: { company: OperatedCompany }) {
  const t = useOperatorTexts().limits
  const refusal = useActRefusal()
  const [draft, setDraft] = useState<LimitsDraft>({})
  const [isAsked, setIsAsked] = useState(false)
  const { limits } = company
  const textOf = (name: LimitName) => draft[name] ?? limitText(name, limits[name])
  const invalid = limitNames.filter((name) => isInvalid(company, name, textOf(name)))
  const changes = changesOf(draft, company)
  const isEmpty = Object.keys(changes).length === 0
  const why = refusal ?? (invalid.length > 0 ? t.invalid : isEmpty ? t.unchanged : undefined)
  return (
    <>
      <Form className={styles.part} onSubmit={() => setIsAsked(why === undefined)}>
        <h2>{t.title}</h2>
        <div className={styles.fields}>
          {limitNames.map((name) => (
            <Field
              key={name}
              label={t.names[name]}
              help={limits[name] === null ? t.notSet : undefined}
              error={invalid.includes(name) ? t.range(limitText(name, maxOf(company, name))) : undefined}
            >
              {(tied) => (
                <input
                  {...tied}
                  value={textOf(name)}
                  onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <CheckBox
          isChecked={draft.runtime_egress_enabled ?? limits.runtime_egress_enabled}
          onCheck={(isOn) => setDraft({ ...draft, runtime_egress_enabled: isOn })}
        >
          {t.egress}
        </CheckBox>
        <SubmitButton isBusy={false} disabledWhy={why}>
          {t.change}
        </SubmitButton>
      </Form>
      {isAsked && (
        <ActDialog
          title={t.changeNamed(company.name)}
          act={t.change}
          perform={(reason) => setLimits(company.id, changes, reason)}
          onDone={() => setDraft({})}
          onClose={() => setIsAsked(false)}
        >
          <ul>
            {limitNames.map((name) => {
              const value = changes[name]
              if (value === undefined) return null
              const before = limitText(name, limits[name])
              return <li key={name}>{t.becomes(t.names[name], before, limitText(name, value))}</li>
            })}
            {changes.runtime_egress_enabled !== undefined && (
              <li>{changes.runtime_egress_enabled ? t.egressOn : t.egressOff}</li>
            )}
          </ul>
          <p>{t.effect}</p>
        </ActDialog>
      )}
    </>
  )
}
