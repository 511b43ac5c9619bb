import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { allMax } from '../../data/api/all-pages.ts'
import { AddressSearch } from '../../parts/address-search.tsx'
import { Button } from '../../parts/button.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './company.module.css'

const shownStep = 100
const filterFrom = 8

interface Props<T> {
  items: readonly T[]
  /** The words that the filter searches. */
  textOf: (item: T) => string
  children: (shown: readonly T[]) => ReactNode
}

/** A list with a filter by name, which the address has. It draws 100 items, and 100 more on request. */
export function FilteredList<T>({ items, textOf, children }: Props<T>) {
  const t = useTexts()
  const formats = useFormats()
  const { name = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [count, setCount] = useState(shownStep)
  const isLong = items.length >= filterFrom || name !== ''
  const wanted = name.trim().toLowerCase()
  const found = items.filter((item) => textOf(item).toLowerCase().includes(wanted))
  return (
    <div className={styles.part}>
      {isLong && (
        <AddressSearch
          label={t.company.filter}
          value={name}
          onValue={(value) => void navigate({ to: '.', search: { name: value }, replace: true })}
        />
      )}
      {items.length >= allMax && <p className={styles.help}>{t.company.firstOnly(formats.number(allMax))}</p>}
      {found.length === 0 ? (
        <p className={styles.help}>{t.company.noneMatches}</p>
      ) : (
        children(found.slice(0, count))
      )}
      {found.length > count && (
        <div>
          <Button onPress={() => setCount(count + shownStep)}>{t.more}</Button>
        </div>
      )}
    </div>
  )
}
