import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Field } from './field.tsx'
import { type Answer, Panel } from './panel.tsx'

interface Numbered {
  id: string
  version_number: number
}

interface Props<Version> {
  /** The versions to choose from. The shown one may be among them. */
  query: Answer<readonly Version[]>
  shown: Numbered
  children: (other: Version) => ReactNode
}

/** The version that another one is compared with: that of the address, else the one before it, else the newest. */
export function VersionSelect<Version extends Numbered>({ query, shown, children }: Props<Version>) {
  const t = useTexts()
  const { with: wanted } = useSearch({ strict: false })
  const navigate = useNavigate()
  return (
    <Panel query={query} rows={8}>
      {(versions) => {
        const others = othersOf(shown, versions)
        const other =
          others.find(({ id }) => id === wanted) ??
          others.find(({ version_number }) => version_number < shown.version_number) ??
          others[0]
        if (other === undefined) return <p>{t.compare.noOther}</p>
        return (
          <>
            <Field label={t.compare.with}>
              {(tied) => (
                <select
                  {...tied}
                  value={other.id}
                  onChange={({ target }) =>
                    void navigate({
                      to: '.',
                      search: (search) => ({ ...search, with: target.value }),
                      replace: true,
                    })
                  }
                >
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
      }}
    </Panel>
  )
}

/** The newest first. */
const othersOf = <Version extends Numbered>(shown: Numbered, versions: readonly Version[]): Version[] =>
  versions.filter(({ id }) => id !== shown.id).toSorted((a, b) => b.version_number - a.version_number)
