import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../tables/tables.module.css'
import type { CommandDraft, InputUse } from './command-draft.ts'

interface Props {
  fields: readonly TableField[]
  inputs: CommandDraft['inputs']
  /** A command that reads names no row. */
  canIdentify: boolean
  error: string | undefined
  onChange: (inputs: CommandDraft['inputs']) => void
}

/** Which fields of a table are inputs of a command, and how. */
export function InputUses({ fields, inputs, canIdentify, error, onChange }: Props) {
  const t = useTexts().tables
  const uses: InputUse[] = canIdentify ? ['optional', 'required', 'identity'] : ['optional', 'required']
  function set(name: string, use: string): void {
    const { [name]: _, ...others } = inputs
    onChange(use === '' ? others : { ...others, [name]: use as InputUse })
  }
  function usedAs(name: string): InputUse | '' {
    const use = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    return use === 'identity' && !canIdentify ? 'required' : (use ?? '')
  }
  return (
    <fieldset className={styles.fields}>
      <legend>{t.inputs}</legend>
      <p className={styles.help}>{t.inputsHelp}</p>
      {fields.map(({ name, type }) => (
        <label key={name} className={styles.field}>
          <code>{name}</code>
          <span className={styles.help}>{t.types[type]}</span>
          <select value={usedAs(name)} onChange={(event) => set(name, event.target.value)}>
            <option value="">{t.uses.none}</option>
            {uses.map((use) => (
              <option key={use} value={use}>
                {t.uses[use]}
              </option>
            ))}
          </select>
        </label>
      ))}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
