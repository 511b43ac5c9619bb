import type { CSSProperties } from 'react'
import { gridHead } from './fixed-rows.tsx'
import styles from './sort-head.module.css'
import { TenantText } from './tenant-text.tsx'

export interface ColumnSort {
  order: 'ascending' | 'descending' | 'none'
  onPress: () => void
}

interface Props extends ColumnSort {
  name: string
  className: string | undefined
  style: CSSProperties | undefined
}

/** The heading of a column of a grid, which sorts by it when it is pressed. */
export const SortHead = ({ name, order, onPress, className, style }: Props) => (
  <span {...gridHead} {...{ 'aria-sort': order }} className={className} style={style}>
    <button type="button" className={styles.sort} onClick={onPress}>
      <TenantText text={name} />
    </button>
  </span>
)
