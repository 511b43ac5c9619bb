import {
  type ConsoleLanguage,
  type ConsoleTheme,
  consoleLanguages,
  consoleThemes,
} from '@sandbox-jobs/contract/console-look.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../data/api.ts'
import { me } from '../data/me.ts'
import { keepPreference } from '../data/preferences.ts'
import { useStore } from '../data/store.ts'
import { Menu, MenuEntry, MenuGroup } from '../parts/menu.tsx'
import { TenantText } from '../parts/tenant-text.tsx'
import { useTexts } from '../texts/texts.tsx'
import { language, languageNames } from './language.ts'
import styles from './person-menu.module.css'
import { theme } from './theme.ts'

export function PersonMenu({ onShowKeys }: { onShowKeys: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: account } = useQuery(me)
  const chosenLanguage = useStore(language)
  const chosenTheme = useStore(theme)
  function chooseLanguage(each: ConsoleLanguage): void {
    language.set(each)
    void keepPreference(queries, { language: each })
  }
  function chooseTheme(each: ConsoleTheme): void {
    theme.set(each)
    void keepPreference(queries, { theme: each })
  }
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
      <MenuGroup title={t.person.language}>
        {consoleLanguages.map((each) => (
          <MenuEntry key={each} isChosen={each === chosenLanguage} onPress={() => chooseLanguage(each)}>
            <span lang={each}>{languageNames[each]}</span>
          </MenuEntry>
        ))}
      </MenuGroup>
      <MenuGroup title={t.person.theme}>
        {consoleThemes.map((each) => (
          <MenuEntry key={each} isChosen={each === chosenTheme} onPress={() => chooseTheme(each)}>
            {t.person.themes[each]}
          </MenuEntry>
        ))}
      </MenuGroup>
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
