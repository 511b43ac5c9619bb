import { consoleLanguages, consoleThemes } from '@sandbox-jobs/contract/console-look.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import styles from '../app/header.module.css'
import { language, languageNames } from '../app/language.ts'
import { theme } from '../app/theme.ts'
import { signInNeeded } from '../data/sign-in-state.ts'
import { useStore } from '../data/store.ts'
import { Menu, MenuEntry, MenuGroup } from '../parts/menu.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { operatorState, signOut } from './operator-api.ts'
import { useOperatorTexts } from './texts/operator-texts.tsx'

export function OperatorHeader() {
  const t = useTexts()
  const own = useOperatorTexts()
  const formats = useFormats()
  const queries = useQueryClient()
  const { data } = useQuery(operatorState)
  const chosenLanguage = useStore(language)
  const chosenTheme = useStore(theme)
  async function end(): Promise<void> {
    await signOut()
    queries.clear()
    signInNeeded.set(true)
  }
  return (
    <header className={styles.header}>
      <a className={styles.skip} href="#main">
        {t.skipToContent}
      </a>
      <span className={styles.product}>{own.product}</span>
      <span className={styles.trail} />
      <Menu label={own.menu} icon="user">
        {data && (
          <p>
            {own.signedInAs(data.sign_in.account)}
            <br />
            {own.until(formats.timeOfDay(new Date(data.sign_in.expires_at)))}
          </p>
        )}
        <MenuGroup title={t.person.language}>
          {consoleLanguages.map((each) => (
            <MenuEntry key={each} isChosen={each === chosenLanguage} onPress={() => language.set(each)}>
              <span lang={each}>{languageNames[each]}</span>
            </MenuEntry>
          ))}
        </MenuGroup>
        <MenuGroup title={t.person.theme}>
          {consoleThemes.map((each) => (
            <MenuEntry key={each} isChosen={each === chosenTheme} onPress={() => theme.set(each)}>
              {t.person.themes[each]}
            </MenuEntry>
          ))}
        </MenuGroup>
        <MenuEntry icon="signOut" onPress={() => void end()}>
          {t.person.signOut}
        </MenuEntry>
      </Menu>
    </header>
  )
}
