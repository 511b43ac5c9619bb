import { useEffect, useRef } from 'react'
import { useAction } from '../app/actions.ts'
import { textMaxLength } from '../data/search-values.ts'
import { SearchInput } from './search-input.tsx'

interface Props {
  label: string
  /** The text that the address has. */
  value: string
  onValue: (value: string) => void
}

/**
 * The search of a screen, whose text is in the address. The address changes a moment after the key that was pressed, so the field keeps
 * its own text while it has the focus.
 */
export function AddressSearch({ label, value, onValue }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useAction('search', () => field.current?.focus())
  useEffect(() => {
    const input = field.current
    if (input && input !== document.activeElement) input.value = value
  }, [value])
  return (
    <SearchInput
      ref={field}
      label={label}
      maxLength={textMaxLength}
      defaultValue={value}
      onChange={(event) => onValue(event.target.value)}
    />
  )
}
