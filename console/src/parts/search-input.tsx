import type { ComponentProps } from 'react'
import styles from './search-input.module.css'

type Props = Omit<ComponentProps<'input'>, 'type' | 'className'> & { label: string }

/** Searches in what is beside it. */
export const SearchInput = ({ label, ...others }: Props) => (
  <input
    type="search"
    className={styles.field}
    aria-label={label}
    placeholder={label}
    spellCheck={false}
    {...others}
  />
)
