import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { me } from '../data/person/me.ts'
import { singleKeys } from './actions.ts'
import { language } from './language.ts'
import { theme } from './theme.ts'

/** Follows what the person chose, in this or in another browser. */
export function usePreferences(): void {
  const { data: chosen } = useQuery({ ...me, select: ({ preferences }) => preferences })
  useEffect(() => {
    if (!chosen) return
    if (chosen.language !== null) language.set(chosen.language)
    theme.set(chosen.theme)
    singleKeys.set(chosen.single_keys)
  }, [chosen])
}
