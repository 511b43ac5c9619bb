/* How the web console looks in a browser. Cookies tell it the page before any script runs; neither is a secret. */

export const consoleLanguages = ['en', 'de'] as const
export type ConsoleLanguage = (typeof consoleLanguages)[number]
export const consoleThemes = ['system', 'light', 'dark'] as const
export type ConsoleTheme = (typeof consoleThemes)[number]

export const languageCookie = 'sandbox_language'
export const themeCookie = 'sandbox_theme'
