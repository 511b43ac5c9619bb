import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { AddressSearch } from '../../parts/address-search.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { readPartSearch } from './parts.ts'

const from = '/signed-in/environments/$id/versions/$vid/$part'

/** Searches the packages of the page. The address has the text. */
export function PackageSearch() {
  const t = useTexts()
  const { q = '' } = useSearch({ from })
  const navigate = useNavigate()
  return (
    <AddressSearch
      label={t.images.search}
      value={q}
      onValue={(value) =>
        void navigate({ to: '.', search: (before) => readPartSearch({ ...before, q: value }), replace: true })
      }
    />
  )
}

/** The items whose name has the text. */
export function useSearched<T extends { name: string }>(items: readonly T[]): readonly T[] {
  const { q = '' } = useSearch({ from })
  const wanted = useDeferredValue(q.trim().toLowerCase())
  return useMemo(
    () => (wanted === '' ? items : items.filter(({ name }) => name.toLowerCase().includes(wanted))),
    [items, wanted],
  )
}
