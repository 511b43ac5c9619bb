import {
  type ConsoleLanguage,
  consoleLanguages,
  languageCookie,
} from '@sandbox-jobs/contract/console-look.ts'
import { writeLook } from '../data/look-cookie.ts'
import { Store } from '../data/store.ts'

/** Each in itself. */
export const languageNames: Readonly<Record<ConsoleLanguage, string>> = { en: 'English', de: 'Deutsch' }

const written = document.documentElement.lang
/** The language that the server wrote into the page: the person's preference, else that of the browser. */
export const language = new Store<ConsoleLanguage>(consoleLanguages.find((each) => each === written) ?? 'en')

language.subscribe(() => {
  document.documentElement.lang = language.get()
  writeLook(languageCookie, language.get())
})
