import { Icon, type IconName } from '../design/icon.tsx'
import type { Tone } from '../design/states.ts'
import styles from './chips.module.css'

interface Chip<Value extends string> {
  value: Value
  text: string
  tone: Tone
  icon?: IconName
}

interface Props<Value extends string> {
  label: string
  items: readonly Chip<Value>[]
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
}

/** Values of a filter, of which several may be chosen at once. */
export const Chips = <Value extends string>({ label, items, chosen, onChange }: Props<Value>) => (
  <fieldset className={styles.chips}>
    <legend className="hidden">{label}</legend>
    {items.map(({ value, text, tone, icon }) => (
      <button
        key={value}
        type="button"
        className={styles.chip}
        aria-pressed={chosen.includes(value)}
        data-tone={tone}
        onClick={() =>
          onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
        }
      >
        {icon && <Icon name={icon} />}
        {text}
      </button>
    ))}
  </fieldset>
)
