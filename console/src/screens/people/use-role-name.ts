import { roleNameOf } from '../../data/person/roles.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The words for a role, and its number if the service is newer than this page. */
export function useRoleName(): (role: number) => string {
  const t = useTexts()
  return (role) => {
    const name = roleNameOf(role)
    return name === undefined ? String(role) : t.people.roles[name]
  }
}
