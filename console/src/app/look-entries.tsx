import {
  type ConsoleLanguage,
  type ConsoleTheme,
  consoleLanguages,
  consoleThemes,
} from '@sandbox-jobs/contract/console-look.ts'
import { useStore } from '../data/store.ts'
import { MenuEntry, MenuGroup } from '../parts/menu.tsx'
import { useTexts } from '../texts/texts.tsx'
import { language, languageNames } from './language.ts'
import { theme } from './theme.ts'

interface Props {
  /** Keeps a choice elsewhere than in this browser. */
  onChosen?: (chosen: { language: ConsoleLanguage } | { theme: ConsoleTheme }) => void
}

/** The entries of a menu that choose language and theme. */
export function LookEntries({ onChosen }: Props) {
  const t = useTexts()
  const chosenLanguage = useStore(language)
  const chosenTheme = useStore(theme)
  function chooseLanguage(each: ConsoleLanguage): void {
    language.set(each)
    onChosen?.({ language: each })
  }
  function chooseTheme(each: ConsoleTheme): void {
    theme.set(each)
    onChosen?.({ theme: each })
  }
  return (
    <>
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
    </>
  )
}
