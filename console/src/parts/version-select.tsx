import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'

interface Numbered {
  id: string
  version_number: number
}

interface Props<Version> {
  versions: readonly Version[]
  shown: Numbered
  /** The chosen one, as an address has it. */
  wanted: string | undefined
  onWanted: (id: string) => void
  children: (other: Version) => ReactNode
}

/** The version that another one is compared with: the chosen one, else the one before it, else the newest. */
export function VersionSelect<Version extends Numbered>(props: Props<Version>) {
  const { versions, shown, wanted, onWanted, children } = props
  const t = useTexts()
  const others = versions
    .filter(({ id }) => id !== shown.id)
    .toSorted((a, b) => b.version_number - a.version_number)
  const other =
    others.find(({ id }) => id === wanted) ??
    others.find(({ version_number }) => version_number < shown.version_number) ??
    others[0]
  if (other === undefined) return <p>{t.compare.noOther}</p>
  return (
    <>
      <Field label={t.compare.with}>
        {(tied) => (
          <select {...tied} value={other.id} onChange={({ target: { value } }) => onWanted(value)}>
            {others.map(({ id, version_number }) => (
              <option key={id} value={id}>
                {t.environments.numbered(version_number)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {children(other)}
    </>
  )
}
