import { type ReactNode, useId, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import styles from './check-list.module.css'
import { SearchInput } from './search-input.tsx'
import { TenantText } from './tenant-text.tsx'

const filterFrom = 8

interface Props {
  legend: string
  help?: ReactNode
  error?: string | undefined
  items: readonly { id: string; text: string }[]
  chosen: readonly string[]
  onChoose: (chosen: string[]) => void
}

/** Things of which several are chosen. A long list has a filter, and keeps those that it hides. */
export function CheckList({ legend, help, error, items, chosen, onChoose }: Props) {
  const t = useTexts()
  const id = useId()
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const shown = items.filter(({ text }) => text.toLowerCase().includes(wanted))
  return (
    <fieldset className={styles.group} aria-describedby={`${id}-help`}>
      <legend>{legend}</legend>
      {items.length >= filterFrom && (
        <SearchInput
          label={t.filterOf(legend)}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div className={styles.list}>
        {shown.map((item) => (
          <label key={item.id}>
            <input
              type="checkbox"
              checked={chosen.includes(item.id)}
              onChange={({ target }) =>
                onChoose(target.checked ? [...chosen, item.id] : chosen.filter((each) => each !== item.id))
              }
            />
            <TenantText text={item.text} />
          </label>
        ))}
      </div>
      <p id={`${id}-help`} className={error ? styles.error : styles.help}>
        {error ?? help}
      </p>
    </fieldset>
  )
}
