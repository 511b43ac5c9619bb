import { tableFieldsMax } from '@sandbox-jobs/contract/limits.ts'
import { type TableFieldType, tableFieldTypes } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { Button } from '../../parts/button.tsx'
import { CheckBox } from '../../parts/check-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type FieldDraft, problemOfField, withNewField } from './field-drafts.ts'
import styles from './tables.module.css'

interface Props {
  drafts: readonly FieldDraft[]
  /** Names of the fields that the table has already. */
  others?: readonly string[]
  isTried: boolean
  /** A table with rows takes no field that must have a value. */
  canRequire?: boolean
  onChange: (drafts: FieldDraft[]) => void
}

/** New fields of a table, one below the other. */
export function FieldRows({ drafts, others = [], isTried, canRequire = true, onChange }: Props) {
  const t = useTexts().tables
  return (
    <fieldset className={styles.fields}>
      <legend>{t.parts.fields}</legend>
      <p className={styles.help}>{t.fieldsHelp}</p>
      {drafts.map((draft, at) => {
        const problem = isTried ? problemOfField(draft, drafts, others) : undefined
        const set = (change: Partial<FieldDraft>) => onChange(drafts.with(at, { ...draft, ...change }))
        return (
          <div key={draft.id} className={styles.field}>
            <input
              aria-label={t.fieldName(at + 1)}
              aria-invalid={problem ? true : undefined}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
            <select
              aria-label={t.fieldType(at + 1)}
              value={draft.type}
              onChange={(event) => set({ type: event.target.value as TableFieldType })}
            >
              {tableFieldTypes.map((type) => (
                <option key={type} value={type}>
                  {t.types[type]}
                </option>
              ))}
            </select>
            {canRequire && (
              <CheckBox
                isChecked={draft.isRequired}
                label={t.requiredField(at + 1)}
                onCheck={(isRequired) => set({ isRequired })}
              >
                {t.required}
              </CheckBox>
            )}
            {drafts.length > 1 && (
              <Button
                kind="quiet"
                icon="trash"
                label={t.removeField(at + 1)}
                onPress={() => onChange(drafts.toSpliced(at, 1))}
              >
                {null}
              </Button>
            )}
            {problem && (
              <p className={styles.error} role="alert">
                {t.fieldProblems[problem]}
              </p>
            )}
          </div>
        )
      })}
      {drafts.length + others.length < tableFieldsMax && (
        <div>
          <Button icon="plus" onPress={() => onChange(withNewField(drafts))}>
            {t.addField}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
