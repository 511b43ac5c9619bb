import { useTexts } from '../texts/texts.tsx'
import type { Field, Option } from './field.ts'
import { FieldFrame, FieldGroup, useControl } from './field-frame.tsx'
import styles from './form.module.css'
import { elementId, useForm } from './form-context.ts'
import { areEqual, type Json, valueAt } from './json.ts'

type Kind<Name extends Field['kind']> = Extract<Field, { kind: Name }>

const radiosMax = 5

const positionOf = (options: readonly Option[], value: Json | undefined): number =>
  options.findIndex((option) => areEqual(option.value, value))

/** A few options are all in view; more are in a list, in which typing finds one. */
export function ChoiceControl({ field }: { field: Kind<'choice'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const chosen = positionOf(field.options, valueAt(form.value, field.path))
  const choose = (at: number) => form.set(field.path, field.options[at]?.value)
  if (field.options.length <= radiosMax) {
    const labels = field.options.map(({ label }) => label)
    return (
      <Radios field={field} labels={labels} chosen={chosen} onChoose={choose} canClear={!field.isRequired} />
    )
  }
  return (
    <FieldFrame field={field}>
      <select
        {...control}
        className={styles.input}
        value={chosen}
        onChange={(event) => choose(Number(event.target.value))}
      >
        <option value={-1}>{t.notSet}</option>
        {field.options.map(({ label }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: options are identified by their position
          <option key={at} value={at}>
            {label}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

interface RadiosProps {
  field: Field
  labels: readonly string[]
  /** -1: none. */
  chosen: number
  onChoose: (at: number) => void
  canClear: boolean
}

export function Radios({ field, labels, chosen, onChoose, canClear }: RadiosProps) {
  const t = useTexts().inputForm
  const name = `${elementId(useForm(), field)}r`
  const radio = (at: number, label: string) => (
    <label key={at} className={styles.option}>
      <input type="radio" name={name} checked={chosen === at} onChange={() => onChoose(at)} />
      <bdi>{label}</bdi>
    </label>
  )
  return (
    <FieldGroup field={field}>
      <div className={styles.options}>
        {labels.map((label, at) => radio(at, label))}
        {canClear && radio(-1, t.notSet)}
      </div>
    </FieldGroup>
  )
}

/** Yes or no; an optional one without a default may be neither. */
export function FlagControl({ field }: { field: Kind<'flag'> }) {
  const t = useTexts().inputForm
  const form = useForm()
  const control = useControl(field)
  const value = valueAt(form.value, field.path)
  if (!field.isRequired && field.default === undefined) {
    const chosen = value === true ? 0 : value === false ? 1 : -1
    const choose = (at: number) => form.set(field.path, [true, false][at])
    return <Radios field={field} labels={[t.yes, t.no]} chosen={chosen} onChoose={choose} canClear />
  }
  return (
    <FieldFrame field={field}>
      <input
        {...control}
        type="checkbox"
        className={styles.checkbox}
        checked={value === true}
        onChange={(event) => form.set(field.path, event.target.checked)}
      />
    </FieldFrame>
  )
}

/** A list of different options. */
export function ChoicesControl({ field }: { field: Kind<'choices'> }) {
  const form = useForm()
  const value = valueAt(form.value, field.path)
  const chosen = Array.isArray(value) ? value : []
  function toggle({ value: option }: Option, isChosen: boolean) {
    const others = chosen.filter((one) => !areEqual(one, option))
    form.set(field.path, isChosen ? [...others, option] : others)
  }
  return (
    <FieldGroup field={field}>
      <div className={styles.options}>
        {field.options.map((option, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: options are identified by their position
          <label key={at} className={styles.option}>
            <input
              type="checkbox"
              checked={chosen.some((one) => areEqual(one, option.value))}
              onChange={(event) => toggle(option, event.target.checked)}
            />
            <bdi>{option.label}</bdi>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}
