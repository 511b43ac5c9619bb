import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../data/api/api.ts'
import { me } from '../data/person/me.ts'
import { keepPreference } from '../data/person/preferences.ts'
import { Menu, MenuEntry } from '../parts/menu.tsx'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import { LookEntries } from './look-entries.tsx'
import styles from './person-menu.module.css'

export function PersonMenu({ onShowKeys }: { onShowKeys: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: account } = useQuery(me)
  async function signOut(): Promise<void> {
    await api.call(allRoutes.endSignIns, { body: { which: 'current' } })
    queries.clear()
    await navigate({ to: '/sign-in' })
  }
  return (
    <Menu label={t.person.menu} icon="user">
      {account && (
        <p className={styles.who}>
          <TenantText text={account.display_name} />
          <span className={styles.company}>
            <TenantText text={account.company_name} />
          </span>
        </p>
      )}
      <LookEntries onChosen={(chosen) => void keepPreference(queries, chosen)} />
      <MenuEntry icon="user" onPress={() => void navigate({ to: '/me' })}>
        {t.me.title}
      </MenuEntry>
      <MenuEntry icon="keyboard" onPress={onShowKeys}>
        {t.person.keys}
      </MenuEntry>
      <MenuEntry icon="external" onPress={() => location.assign('/docs')}>
        {t.person.docs}
      </MenuEntry>
      <MenuEntry icon="file" onPress={() => location.assign('/console/licences.txt')}>
        {t.person.licences}
      </MenuEntry>
      <MenuEntry icon="signOut" onPress={() => void signOut()}>
        {t.person.signOut}
      </MenuEntry>
    </Menu>
  )
}
