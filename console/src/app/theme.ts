import { type ConsoleTheme, consoleThemes, themeCookie } from '@sandbox-jobs/contract/console-look.ts'
import { writeLook } from '../data/look-cookie.ts'
import { Store } from '../data/store.ts'

const written = document.documentElement.dataset.theme
/** The theme that the server wrote into the page, so that nothing flashes. */
export const theme = new Store<ConsoleTheme>(consoleThemes.find((each) => each === written) ?? 'system')

theme.subscribe(() => {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  writeLook(themeCookie, chosen)
})
