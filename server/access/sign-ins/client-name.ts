import { signInClientMaxLength } from '@sandbox-jobs/contract/resources/access/sign-in.ts'

/* The browsers and systems that people know, in the order in which their marks decide: browsers name their ancestors too. */
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const firstOf = (known: typeof browsers, text: string): string | undefined =>
  known.find(([mark]) => mark.test(text))?.[1]

/** A browser in words that its person recognises: `Firefox on Linux`; of an unknown one, the start of what it calls itself. */
export function clientName(userAgent = ''): string {
  const browser = firstOf(browsers, userAgent)
  const system = firstOf(systems, userAgent)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  return userAgent
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, signInClientMaxLength)
}
