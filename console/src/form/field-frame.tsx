import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { textOfValue } from './cell-value.ts'
import type { Field } from './field.ts'
import styles from './form.module.css'
import { elementId, useForm } from './form-context.ts'
import { useHelp } from './help.ts'

/** The attributes with which a control names its help and its errors. */
export function useControl(field: Field) {
  const form = useForm()
  const id = elementId(form, field)
  const isInvalid = form.problemsOf(field).length > 0
  return {
    id,
    'aria-describedby': `${id}h ${id}e`,
    ...(isInvalid && { 'aria-invalid': true as const }),
    ...(field.isRequired && { 'aria-required': true as const }),
  }
}

/** The title of a field, its control, and below it help and errors. */
export function FieldFrame({ field, children }: { field: Field; children: ReactNode }) {
  const form = useForm()
  return (
    <div className={styles.field}>
      <label className={field.isTitleHidden ? styles.hidden : styles.title} htmlFor={elementId(form, field)}>
        <FieldTitle field={field} />
      </label>
      {children}
      <FieldNotes field={field} />
    </div>
  )
}

interface FieldGroupProps {
  field: Field
  children: ReactNode
  actions?: ReactNode
  /** It has fields of its own. */
  isPart?: boolean
}

/** The same for several controls, such as those of a choice or an object. */
export function FieldGroup({ field, children, actions, isPart = false }: FieldGroupProps) {
  const id = elementId(useForm(), field)
  return (
    <fieldset
      id={id}
      tabIndex={-1}
      className={`${styles.group} ${isPart ? styles.part : ''}`}
      aria-describedby={`${id}h ${id}e`}
    >
      {field.title !== '' && (
        <legend className={field.isTitleHidden ? styles.hidden : styles.title}>
          <FieldTitle field={field} />
          {actions}
        </legend>
      )}
      <FieldNotes field={field} />
      {children}
    </fieldset>
  )
}

function FieldTitle({ field }: { field: Field }) {
  const t = useTexts().inputForm
  return (
    <>
      <bdi>{field.title}</bdi>
      {!field.isRequired && <span className={styles.soft}>{t.optional}</span>}
      {field.isDeprecated && <span className={styles.soft}>{t.deprecated}</span>}
    </>
  )
}

/** Help, the first example, and what is wrong, which stand under a field. */
function FieldNotes({ field }: { field: Field }) {
  const t = useTexts().inputForm
  const form = useForm()
  const id = elementId(form, field)
  const help = useHelp(field)
  const problems = form.problemsOf(field)
  return (
    <div className={styles.notes}>
      <div id={`${id}h`}>
        {field.help && <p dir="auto">{field.help}</p>}
        {help && <p>{help}</p>}
        {field.example !== undefined && (
          <p>
            {t.example} <code>{textOfValue(field.example).slice(0, 200)}</code>
          </p>
        )}
        {field.isSecret && <p className={styles.warning}>{t.secretNote}</p>}
      </div>
      <div id={`${id}e`} className={styles.errors}>
        {problems.map(({ within, words }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: problems have nothing but their order
          <p key={at} lang="en">
            {within.length > 0 && `${rowOf(within)}: `}
            {words}
          </p>
        ))}
      </div>
    </div>
  )
}

/** Where a problem is in a list that has no field for it: rows are counted from 1. */
const rowOf = (within: readonly (string | number)[]): string =>
  within.map((key) => (typeof key === 'number' ? String(key + 1) : key)).join(' › ')
