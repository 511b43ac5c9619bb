import type { ReactNode } from 'react'
import { CopyField } from '../../parts/copy-field.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'

interface Props {
  /** The use of the value, and that it is not shown again. */
  why: string
  label: string
  value: string
  children?: ReactNode
}

/** A secret value that was just made. It is shown until the page is left, and never again. */
export const ShownOnce = ({ why, label, value, children }: Props) => (
  <ToneBox tone="accent" icon="secret">
    <p role="status">{why}</p>
    <CopyField label={label} value={value} />
    {children}
  </ToneBox>
)
